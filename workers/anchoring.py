"""What is asked of the world outside: timestamps and cosignatures of checkpoints, and rounds of the beacon.

All of it by the light worker, on its clock, and none of it waited for: who is down is asked again later.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from cryptography.x509 import Certificate
from redis.exceptions import RedisError

from app.ledger import anchors, checkpoints, opening
from app.ledger.anchors import RefusedAnchorError, Witness
from app.ledger.checkpoints import Issued
from app.ledger.database import Ledger
from app.settings import Settings, SettingsError, variable
from claims import timestamps
from claims.anchored_round import Anchor
from workers import beacons, fetching, witnessing
from workers.beacons import Beacon, Rounds
from workers.fetching import UnreachableError

AT_LEAST_SECONDS = 4.0  # between two requests to one of them while runs wait
AT_REST_SECONDS = 60.0  # while none does
AFTER_FAILURE_SECONDS = 15.0
OK = 200
Read = TypeVar("Read")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Authority:
    """An RFC 3161 timestamp authority, known by the host in its URL, with the roots that it is trusted under."""

    url: str
    roots: tuple[Certificate, ...]

    @property
    def name(self) -> str:
        return urlsplit(self.url).netloc


@dataclass(frozen=True)
class Outside:
    """Who is asked, as the settings name them. `patience` is None where runs wait for nothing."""

    authority: Authority | None
    witnesses: tuple[Witness, ...]
    beacon: Beacon | None
    patience: timedelta | None

    @property
    def are_asked(self) -> bool:
        """Whether there is anything to ask anybody."""
        return self.authority is not None or self.patience is not None or any(one.url for one in self.witnesses)


def outside(settings: Settings) -> Outside:
    """Raises `SettingsError` for a file that is not what it should be."""
    authority = None
    if settings.timestamp_url is not None and settings.timestamp_roots is not None:
        roots = _read(settings, "timestamp_roots", lambda path: timestamps.read_roots(path.read_bytes()))
        authority = Authority(settings.timestamp_url, tuple(roots))
    witnesses: tuple[Witness, ...] = ()
    if settings.witnesses is not None:
        witnesses = _read(settings, "witnesses", lambda path: anchors.read_witnesses(path.read_text(encoding="utf-8")))
    beacon = None if settings.beacon_url is None else Beacon(settings.beacon_url.rstrip("/"), settings.beacon_chain)
    anchored = authority is not None or bool(witnesses)
    patience = timedelta(seconds=settings.beacon_wait_seconds) if beacon is not None and anchored else None
    return Outside(authority, witnesses, beacon, patience)


def _read(settings: Settings, field: str, read: Callable[[Path], Read]) -> Read:
    path: Path = getattr(settings, field)
    try:
        return read(path)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{variable(field)}={path} cannot be used: {error}") from error


class Asking:
    """When each of those outside is to be asked again. Kept by the one process that asks."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: dict[str, float] = {}
        self._failed: dict[str, float] = {}

    def due(self, name: str, every: float) -> bool:
        now = self._clock()
        rested = now - self._asked.get(name, -every) >= every
        return rested and now - self._failed.get(name, -AFTER_FAILURE_SECONDS) >= AFTER_FAILURE_SECONDS

    def ask(self, name: str, request: Callable[[], object]) -> None:
        """Make the request; a failure is logged, and the next request comes later."""
        self._asked[name] = self._clock()
        try:
            request()
        except (UnreachableError, RefusedAnchorError, ValueError, RedisError) as error:
            self._failed[name] = self._clock()
            log.warning("%s is asked again in %g s: %s", name, AFTER_FAILURE_SECONDS, error)


def anchor_newest(ledger: Ledger, outside: Outside, asking: Asking) -> None:
    """Have the newest checkpoint anchored by everybody who has not, soon if a run waits for it, else at leisure."""
    with ledger.begin() as session:
        newest = checkpoints.newest(session)
        waiting = outside.beacon is not None and any(one.anchor is None for one in opening.unopened(session))
    if newest is None:
        return
    for kind, name, request in _requests(ledger, outside, newest):
        with ledger.begin() as session:
            behind = anchors.largest(session, kind, name) < newest.size
        if behind and asking.due(name, AT_LEAST_SECONDS if waiting else AT_REST_SECONDS):
            asking.ask(name, request)


def fetch_rounds(ledger: Ledger, rounds: Rounds, source: Beacon, asking: Asking) -> None:
    """Fetch what queued runs wait for, as soon as it is published."""
    if asking.due(source.url, 0):
        asking.ask(source.url, lambda: beacons.fetch_awaited(ledger, rounds, source))


def have_stamped(ledger: Ledger, issued: Issued, authority: Authority) -> Anchor:
    """Ask the authority for a timestamp of the checkpoint, and keep it.

    Raises `UnreachableError`, and `RefusedAnchorError` in words for an answer that does not hold.
    """
    asked = timestamps.request(timestamps.text_of(issued.note))
    answer = fetching.post(authority.url, asked.body, timestamps.REQUEST_TYPE)
    if answer.status != OK:
        raise RefusedAnchorError(f"{authority.name} answered {answer.status}: {answer.text()[:200]}")
    with ledger.begin() as session:
        return anchors.accept_timestamp(session, issued.size, answer.body, authority.name, authority.roots, asked.nonce)


def _requests(ledger: Ledger, outside: Outside, issued: Issued) -> Iterator[tuple[str, str, Callable[[], Anchor]]]:
    """Whom to ask: kind of anchor, name, request."""
    authority = outside.authority
    if authority is not None:
        yield anchors.TIMESTAMP, authority.name, partial(have_stamped, ledger, issued, authority)
    for witness in outside.witnesses:
        if witness.url is not None:
            yield anchors.WITNESS, witness.name, partial(witnessing.have_cosigned, ledger, issued, witness)
