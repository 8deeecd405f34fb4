"""The port that the API listens on, held by the supervisor so that nobody takes it between a choice and a start."""

import errno
import socket

from app.embedded.errors import EmbeddedError

_MOST_TRIES = 100
_BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on the first free port from `port` on.

    Connections wait in it while the API restarts. Raises EmbeddedError where none can be had.
    """
    for candidate in range(port, min(port + _MOST_TRIES, 65536)):
        try:
            return socket.create_server((host, candidate), family=_family(host), backlog=_BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise EmbeddedError(
                    f"cannot listen on {host} port {candidate}: {error.strerror}; set ANTEDATE_HOST to an address of "
                    "this machine and ANTEDATE_PORT to a port that this user may open"
                ) from error
    raise EmbeddedError(f"no port from {port} to {candidate} is free on {host}: set ANTEDATE_PORT to one that is")


def reachable_url(listener: socket.socket) -> str:
    """The URL under which this machine reaches the socket: an any-address is reached through loopback."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared with, not bound to
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _family(host: str) -> socket.AddressFamily:
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except socket.gaierror as error:
        raise EmbeddedError(f"ANTEDATE_HOST={host} is no address of this machine: {error.strerror}") from error
