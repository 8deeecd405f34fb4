"""Where a bundle comes from: a file, the address of a claim, or a claim's id."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import httpx
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from app.cli.errors import BadInputError, UnreachableError
from app.cli.local import connect
from app.cli.naming import CLAIM
from app.cli.output import progress_console
from app.cli.service import Service, refusal

ADDRESS = re.compile(
    r"(?P<origin>https?://[^?#]+?)(?:/v1)?/claims/(?P<claim>[a-z0-9]{12,20})(?:/bundle\.zip)?(?:\?tree_size=(?P<size>[0-9]+))?"
)
MEBIBYTE = 1024 * 1024
LONGEST_TEXT = 64 * 1024


@dataclass(frozen=True)
class Fetched:
    """A bundle's file; the claim that it was asked for by, and the service at hand, where there are any."""

    file: BinaryIO
    claim: str | None
    service: Service | None


@contextmanager
def fetch(target: str, *, url: str | None, key: str | None, tree_size: int | None, largest: int) -> Iterator[Fetched]:
    """The bundle that `target` names, of at most `largest` bytes.

    A file is read where it lies, and `url` then names a service that is asked for proofs alone. Raises BadInputError
    for what names nothing, and as `Service` does.
    """
    with ExitStack() as stack:
        address = ADDRESS.fullmatch(target)
        if address is None and (Path(target).exists() or not CLAIM.fullmatch(target)):
            service = None if url is None else stack.enter_context(Service(url, key))
            yield Fetched(stack.enter_context(_opened(Path(target), largest)), None, service)
            return
        claim, base = (target, url) if address is None else (address["claim"], address["origin"])
        if address is not None and url is not None and url.rstrip("/") != base:
            raise BadInputError(
                f"{target} is not of {url}: leave --url and ANTEDATE_URL out, or name the same service."
            )
        size = address["size"] if address is not None and address["size"] else tree_size
        # The key is of the service that the caller named, not of whoever's address somebody wrote into a paper.
        service = stack.enter_context(connect(base, key if address is None or url is not None else None))
        file = stack.enter_context(tempfile.TemporaryFile())
        _download(
            service, f"/v1/claims/{claim}/bundle.zip", {} if size is None else {"tree_size": str(size)}, file, largest
        )
        yield Fetched(file, claim, service)


def _opened(path: Path, largest: int) -> BinaryIO:
    try:
        file = path.open("rb")
        size = path.stat().st_size
    except OSError as error:
        raise BadInputError(
            f"cannot read {path}: {error.strerror or error}. Name a bundle's file, a claim's address or its id."
        ) from error
    if size > largest:
        file.close()
        raise BadInputError(f"{path} has {size} bytes, more than --largest allows ({largest // MEBIBYTE} MiB).")
    return file


def get_text(service: Service, path: str, query: Mapping[str, str] | None = None) -> str:
    """A short text that the service answers with; raises as `Service` does."""
    file = BytesIO()
    _download(service, path, query or {}, file, LONGEST_TEXT)
    return file.getvalue().decode(errors="replace")


def _download(service: Service, path: str, query: Mapping[str, str], file: BinaryIO, largest: int) -> None:
    try:
        with service.client.stream("GET", path, params=query) as answer:
            if not answer.is_success:
                answer.read()
                raise refusal(answer)
            _receive(answer, file, largest, path)
    except httpx.TransportError as error:
        raise UnreachableError(
            f"{service.url} cannot be reached, or broke off: {error or type(error).__name__}. Is the service running?"
        ) from error
    file.seek(0)


def _receive(answer: httpx.Response, file: BinaryIO, largest: int, path: str) -> None:
    length = answer.headers.get("Content-Length", "")
    total = int(length) if length.isdecimal() else None
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = progress_console()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(path.rpartition("/")[2], total=total)
        received = 0
        for chunk in answer.iter_bytes(MEBIBYTE):
            received += len(chunk)
            if received > largest:
                raise BadInputError(f"{path} is larger than allowed ({largest} bytes): see --largest.")
            file.write(chunk)
            bar.update(task, completed=received)
