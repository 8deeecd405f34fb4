"""Every line that can be said of a fetched bundle: its own checks, and those that need a memory or a service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from app.cli.anchored import Believed, outside_of
from app.cli.errors import UnreachableError
from app.cli.fetching import Fetched, get_text
from app.cli.following import NOW, SEEN, Following
from app.cli.remembered import Memory
from app.cli.service import Service
from app.cli.since_then import SINCE_THEN, check_since
from app.cli.whole_log import COMPLETE, check_complete
from claims.beacon import MAINNET
from claims.bundle.parts import Parts
from claims.signed_note import InvalidNoteError, name_of
from claims.verifying import Case, Line, Pin, checked, verify_file
from claims.verifying.lines import printable


@dataclass(frozen=True)
class Asked:
    """What the command was told of what to believe."""

    memory: Memory
    vkey: str | None
    since: Path | None
    chains: Sequence[str]
    believed: Believed
    whole_log: bool


def verified(fetched: Fetched, asked: Asked) -> Iterator[Line]:
    found: list[Case] = []

    def case_of(parts: Parts) -> Case:
        chains = frozenset({MAINNET.hash, *asked.chains})
        case = Case(parts, _pin(parts, fetched, asked), chains)
        found.append(replace(case, outside=outside_of(case, asked.believed, fetched.service)))
        return found[0]

    signed = False
    for line in verify_file(fetched.file, case_of):
        signed = signed or (line.name == "checkpoint" and line.state == "ok")
        yield line
    for case in found:
        if fetched.claim is not None:
            yield asked_for(case, fetched.claim)
        yield checked(COMPLETE, partial(check_complete, case, fetched.service, whole=asked.whole_log))
        yield checked(SINCE_THEN, partial(check_since, case, fetched.service))
        yield from _followed(case, fetched, asked, signed=signed)


def _followed(case: Case, fetched: Fetched, asked: Asked, *, signed: bool) -> Iterator[Line]:
    if case.pin is None or not signed:
        why = "the checkpoint is not known to be the log's"
        yield from (Line(name, "not checked", why) for name in (SEEN, NOW))
    else:
        following = Following(asked.memory, case.pin, fetched.service)
        yield from following.lines(case.parts.checkpoint, asked.since)


def asked_for(case: Case, claim: str) -> Line:
    """Whether the bundle is of the claim that was asked for, and not of another, as good a one."""
    found = case.registered.claim
    same = found == claim
    detail = f"it is of claim {claim}, as asked for" if same else f"it is of claim {found}, and {claim} was asked for"
    return Line("claim", "ok" if same else "failed", printable(detail))


def _pin(parts: Parts, fetched: Fetched, asked: Asked) -> Pin | None:
    """The key of the bundle's log: the one that was given, else the one remembered, else the one the service shows.

    A bundle's own key only says which log it claims to be of; a service stays with the log that it showed first.
    """
    memory, service = asked.memory, fetched.service
    if asked.vkey is not None:
        memory.pin(name_of(asked.vkey), asked.vkey)
        return Pin(asked.vkey, "given")
    origin = (None if service is None else memory.log_at(service.url)) or parts.vkey.partition("+")[0]
    known = memory.of(origin)
    if known is not None:
        return Pin(known.vkey, "remembered", str(memory.file(origin)))
    return None if service is None else _first_use(service, memory)


def _first_use(service: Service, memory: Memory) -> Pin:
    shown = get_text(service, "/v1/log/key").removesuffix("\n")
    try:
        origin = name_of(shown)
    except InvalidNoteError as error:
        raise UnreachableError(f"{service.url} shows no key of a log: {error}.") from error
    known = memory.pin(origin, shown)
    memory.note_log_at(service.url, origin)
    return Pin(known.vkey, "first use" if known.vkey == shown else "remembered", str(memory.file(origin)))
