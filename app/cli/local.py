"""The service that `antedate up` runs on this machine: where it listens, and the key it left for us."""

from __future__ import annotations

from pathlib import Path

from app.cli.errors import BadInputError, UnreachableError
from app.cli.service import Service
from app.embedded.errors import EmbeddedError
from app.embedded.running import Running, find_running
from app.settings import SettingsError, read_settings


def connect(url: str | None, key: str | None) -> Service:
    """The service that `url` names, else the one running here; with the key given, else, for the latter, its own.

    The key of this machine's service is never sent to another one.
    """
    if url is not None:
        return Service(url, key)
    running = running_here()
    return Service(running.url, key or own_key(running.secrets))


def key_file(secrets: Path) -> Path:
    """The 0600 file of the key of registrant `local`."""
    return secrets / "local.key"


def running_here() -> Running:
    """The service of ANTEDATE_DATA; raises `CommandError` where none runs, or this user may not look."""
    try:
        data = read_settings().data
    except SettingsError as error:
        raise BadInputError(str(error)) from error
    try:
        running = find_running(data)
    except EmbeddedError as error:
        raise BadInputError(str(error)) from error
    if running is None:
        raise UnreachableError(
            f"no service of {data} is running: start one with `antedate up`, or name another by --url or ANTEDATE_URL."
        )
    return running


def own_key(secrets: Path) -> str | None:
    """The key in the file; None where there is no file, or something else is in it."""
    try:
        return key_file(secrets).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
