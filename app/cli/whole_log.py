"""Whether a bundle leaves out an entry about its claim: only the whole log tells."""

from __future__ import annotations

from collections.abc import Iterator

from rich.progress import Progress

from app.cli.errors import RefusedError, UnreachableError
from app.cli.output import progress_console
from app.cli.service import Service
from claims.checkpoint import parse
from claims.entries import Entry, leaf_hash
from claims.merkle import root_of
from claims.verifying import Case
from claims.verifying.lines import CannotBeCheckedError, DoesNotHoldError, require

COMPLETE = "complete"
AT_ONCE = 256
_MEMBERS = ("seq", "type", "claim", "actor", "time", "payload")


def check_complete(case: Case, service: Service | None, *, whole: bool) -> str:
    """Every entry of the log, as served, gives the root that was signed; those about the claim are in the bundle."""
    if service is None or not whole:
        raise CannotBeCheckedError(
            "that no entry about the claim is left out takes the whole log: --whole-log fetches it from a service"
        )
    head, claim, about = parse(case.parts.checkpoint), case.registered.claim, []

    def leaves() -> Iterator[bytes]:
        for entry in _entries(service, head.size):
            if entry.claim == claim:
                about.append(entry.seq)
            yield leaf_hash(entry.canonical())

    require(root_of(leaves()) == head.root, f"the {head.size} entries that the service shows are not those it signed")
    missing = sorted(set(about) - {proven.index for proven in case.parts.entries})
    require(not missing, f"the log speaks of the claim in entries that the bundle leaves out: {missing}")
    return f"the {head.size} entries of the log give the signed root, and {len(about)} are about the claim"


def _entries(service: Service, size: int) -> Iterator[Entry]:
    """The first `size` entries, with a bar on a terminal."""
    console = progress_console()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        for start in bar.track(range(0, size, AT_ONCE), description="the whole log"):
            limit = min(AT_ONCE, size - start)
            found = _part(service, start, limit)
            if [item["seq"] for item in found] != list(range(start, start + limit)):
                raise DoesNotHoldError(f"the service does not show the {limit} entries from {start} on")
            yield from (Entry.from_object({name: item[name] for name in _MEMBERS}) for item in found)


def _part(service: Service, start: int, limit: int) -> list[dict[str, object]]:
    try:
        found: list[dict[str, object]] = service.get("/v1/log/entries", {"start": start, "limit": limit})["items"]
    except UnreachableError as error:
        raise CannotBeCheckedError(str(error)) from error
    except RefusedError as error:
        raise DoesNotHoldError(f"the service does not show the entries from {start} on: {error}") from error
    return found
