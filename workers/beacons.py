"""Rounds of the beacon, from the light worker, who fetches them, to those who open runs.

They pass through the broker's server as messages do: whoever opens a run checks the round again, so that nothing
there needs to be believed, and what is lost is fetched again while a run waits for it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from redis import Redis
from redis.exceptions import RedisError

from app.ledger import opening
from app.ledger.database import Ledger
from claims import anchored_round, beacon
from claims.anchored_round import Anchor, AnchoredRound
from claims.beacon import MAINNET, Chain, InvalidBeaconError, Round
from workers import fetching
from workers.fetching import UnreachableError

KEPT_SECONDS = 24 * 3600
TIMEOUTS = {"socket_connect_timeout": 1.0, "socket_timeout": 1.0}
OK = 200
Kept = TypeVar("Kept")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Beacon:
    """A chain pinned by its hash, and the relay that is asked for its rounds (drand's HTTP API)."""

    url: str
    chain: str

    def fetch_chain(self) -> Chain:
        """Raises `UnreachableError`, and `InvalidBeaconError` for another chain than the pinned one."""
        return beacon.read_chain(self._ask("info"), self.chain)

    def fetch(self, chain: Chain, number: int) -> Round:
        """The round of that number, its signature checked; raises as `fetch_chain` does."""
        found = beacon.read_round(self._ask(f"public/{number}"))
        if found.round != number:
            raise InvalidBeaconError(f"round {number} was asked for, and {found.round} was answered")
        beacon.verify(chain, found)
        return found

    def _ask(self, what: str) -> Any:  # noqa: ANN401 - any JSON value
        url = f"{self.url}/{self.chain}/{what}"
        answer = fetching.get(url)
        if answer.status != OK:
            raise UnreachableError(f"{url}: answered {answer.status}: {answer.text()[:200]}")
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise InvalidBeaconError(f"{url}: the answer is no JSON: {error}") from error


class Rounds:
    """The rounds at hand of the pinned chain `chain`, kept for a day in the Redis or Valkey at `redis_url`."""

    def __init__(self, redis_url: str, chain: str) -> None:
        self._redis = Redis.from_url(redis_url, **TIMEOUTS)
        self._chain = chain

    def keep_chain(self, chain: Chain) -> None:
        self._redis.set(self._key("chain"), json.dumps(chain.information()), ex=KEPT_SECONDS)

    def keep(self, found: Round) -> None:
        answer = {"signature": found.signature.hex(), "previous": found.previous.hex(), "round": found.round}
        self._redis.set(self._key(str(found.round)), json.dumps(answer), ex=KEPT_SECONDS)

    def chain(self) -> Chain | None:
        """The pinned chain; None while nobody has fetched what is to be known of it."""
        if self._chain == MAINNET.hash:
            return MAINNET
        return self._read("chain", lambda kept: beacon.read_chain(kept, self._chain))

    def settled_by(self, anchor: Anchor) -> AnchoredRound | None:
        """The round that the anchor settles on, its signature not checked; None while it is not at hand."""
        chain = self.chain()
        if chain is None:
            return None
        number = anchored_round.awaited(chain, anchor.time)
        found = self._read(str(number), lambda kept: beacon.round_of(kept, previous="previous"))
        return AnchoredRound(chain, found, anchor) if found is not None and found.round == number else None

    def _read(self, what: str, read: Callable[[Any], Kept]) -> Kept | None:
        """What is kept under this name; None where there is nothing, or nothing that can be read."""
        kept = self._redis.get(self._key(what))
        if kept is None:
            return None
        try:
            return read(json.loads(kept))
        except (ValueError, RecursionError) as error:
            log.warning("%s is fetched again: %s", self._key(what), error)
            return None

    def _key(self, what: str) -> str:
        return f"antedate:beacon:{self._chain}:{what}"


def round_for(ledger: Ledger, rounds: Rounds, run: str) -> AnchoredRound | None:
    """The round to open the run with, its signature checked; None where it takes none, or has none yet."""
    with ledger.begin() as session:
        waiting = opening.unopened(session, run)
    if not waiting or waiting[0].anchor is None:
        return None
    try:
        settled = rounds.settled_by(waiting[0].anchor)
        if settled is not None:
            settled.verify()
    except (RedisError, InvalidBeaconError) as error:
        log.warning("run %s has no round of the beacon: %s", run, error)
        return None
    return settled


def fetch_awaited(ledger: Ledger, rounds: Rounds, source: Beacon) -> None:
    """Fetch every published round that a queued run waits for and that is not at hand.

    Raises `UnreachableError`, `InvalidBeaconError` or `RedisError`; what came before it is kept.
    """
    with ledger.begin() as session:
        settling = {waiting.anchor for waiting in opening.unopened(session) if waiting.anchor is not None}
    if not settling:
        return
    chain = rounds.chain()
    if chain is None:
        chain = source.fetch_chain()
        rounds.keep_chain(chain)
    missing = {anchored_round.awaited(chain, anchor.time) for anchor in settling if rounds.settled_by(anchor) is None}
    for number in sorted(missing):
        if beacon.time_of(chain, number) <= datetime.now(UTC):
            rounds.keep(source.fetch(chain, number))


def not_ready(ledger: Ledger, rounds: Rounds) -> set[str]:
    """The queued runs whose round is not at hand."""
    with ledger.begin() as session:
        waiting = opening.unopened(session)
    settled = {anchor for anchor in {one.anchor for one in waiting} if anchor and rounds.settled_by(anchor) is not None}
    return {one.run for one in waiting if one.anchor not in settled}
