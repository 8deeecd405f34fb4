"""The service as the command line sees it: plain HTTP, and errors in the words of `app.cli.errors`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from app.cli.errors import BadInputError, RefusedError, UnreachableError

Query = Mapping[str, str | int | Sequence[str]]
# Uploads take as long as they take; silence does not.
TIMEOUT = httpx.Timeout(60, connect=5)


@dataclass(frozen=True)
class Posted:
    """The JSON value that a POST was answered with, and whether it made something that was not there before."""

    value: Any
    created: bool


class Service:
    """A client of one service. Raises UnreachableError, or RefusedError with the problem it answered."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self.url = url.rstrip("/")
        headers = {} if key is None else {"Authorization": f"Bearer {_checked(key)}"}
        _check_url(url)
        try:
            # A proxy of the environment is for the world outside, never for this machine.
            outside = not is_loopback(self.url)
            self.client = httpx.Client(base_url=self.url, timeout=TIMEOUT, trust_env=outside, headers=headers)
        except (httpx.InvalidURL, ValueError) as error:
            raise BadInputError(f"{url!r} is not a URL: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()

    def get(self, path: str, query: Query | None = None) -> Any:  # noqa: ANN401 - any JSON value
        return _json(self._send("GET", path, query=query))

    def post(
        self,
        path: str,
        body: bytes,
        media_type: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Posted:
        sent = {"Content-Type": media_type, **(headers or {})}
        answer = self._send("POST", path, query=query, body=body, headers=sent)
        return Posted(_json(answer), answer.status_code == HTTPStatus.CREATED)

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        try:
            answer = self.client.request(method, path, params=dict(query or {}), content=body, headers=headers)
        except (httpx.TransportError, httpx.UnsupportedProtocol) as error:
            raise UnreachableError(
                f"cannot reach {self.url}: {error or type(error).__name__}. Is the service running? `antedate up` "
                "starts one here; --url or ANTEDATE_URL names another."
            ) from error
        if answer.is_success:
            return answer
        raise refusal(answer)


def _json(answer: httpx.Response) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return answer.json()
    except ValueError as error:
        raise UnreachableError(
            f"{answer.request.url} answered, but not as Antedate does: it is another service."
        ) from error


def refusal(answer: httpx.Response) -> RefusedError | UnreachableError:
    """The error that an answer other than a success is: the problem in it, or that Antedate did not answer."""
    if answer.headers.get("Content-Type", "").startswith("application/problem+json"):
        return RefusedError(answer.status_code, answer.json())
    reason = HTTPStatus(answer.status_code).phrase if answer.status_code in set(HTTPStatus) else "unknown status"
    return UnreachableError(
        f"{answer.request.url} answered {answer.status_code} {reason}, but not as Antedate does: it is another service."
    )


def _checked(key: str) -> str:
    if not (key.isascii() and key.isprintable() and key and " " not in key):
        raise BadInputError("the API key is not one: it is ant_ and 43 letters, digits, - or _.")
    return key


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole:
        raise BadInputError(f"{url!r} is not the address of a service: write it whole, such as http://127.0.0.1:8000.")


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine, by name or by address."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
