"""The beacon round that a run is opened with, and why it could not be known when the prediction was frozen.

Somebody outside (an anchor: a timestamp authority or a witness) says that a checkpoint which holds the registration
existed at some time. The round is then no matter of choice: it is the first that the chain publishes more than
`MARGIN` later, which leaves room for the anchor's clock to be slow.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from claims import beacon
from claims.beacon import Chain, InvalidBeaconError, Round
from claims.entries import format_time, parse_time

MARGIN = timedelta(seconds=5)
KINDS = ("witness", "timestamp")
_YEARS = (1970, 9000)
_KEYS = {"chain", "round", "signature", "previous", "information", "anchor"}
_ANCHOR_KEYS = {"size", "kind", "name", "time"}


@dataclass(frozen=True)
class Anchor:
    """That the checkpoint over `size` entries existed at `time`, on the word of `name`."""

    size: int
    kind: str
    name: str
    time: datetime


@dataclass(frozen=True)
class AnchoredRound:
    """A round of a chain, with the anchor that it follows."""

    chain: Chain
    round: Round
    anchor: Anchor

    @property
    def randomness(self) -> bytes:
        """The 32 bytes that are mixed into every seed."""
        return self.round.randomness

    @property
    def time(self) -> datetime:
        """When the round was published."""
        return beacon.time_of(self.chain, self.round.round)

    def follows(self, registered: int) -> bool:
        """Whether the anchored checkpoint holds entry `registered`, and the round is the one that this settles on."""
        return self.anchor.size > registered and self.round.round == awaited(self.chain, self.anchor.time)

    def verify(self) -> None:
        """Raises `InvalidBeaconError` unless the chain's group signed the round."""
        beacon.verify(self.chain, self.round)

    def as_payload(self) -> dict[str, Any]:
        """The `beacon` of an `opened` entry. The chain's information is there to be hashed: `chain` is its hash."""
        return {
            "chain": self.chain.hash,
            "round": self.round.round,
            "signature": self.round.signature.hex(),
            "previous": self.round.previous.hex(),
            "information": self.chain.information(),
            "anchor": {
                "size": self.anchor.size,
                "kind": self.anchor.kind,
                "name": self.anchor.name,
                "time": format_time(self.anchor.time),
            },
        }


def awaited(chain: Chain, anchored: datetime) -> int:
    """The number of the round that an anchor of that time settles on."""
    return beacon.first_after(chain, anchored + MARGIN)


def read(payload: Any) -> AnchoredRound:  # noqa: ANN401 - any JSON value
    """The `beacon` of an `opened` entry, in its one form; raises `InvalidBeaconError` for anything else.

    That the chain's information has the hash `chain` is checked, the round's signature is not: see `verify`.
    """
    if not isinstance(payload, dict) or payload.keys() != _KEYS:
        raise InvalidBeaconError(f"a beacon is null or an object with {', '.join(sorted(_KEYS))}")
    chain = beacon.read_chain(payload["information"], payload["chain"])
    found = AnchoredRound(chain, beacon.round_of(payload, previous="previous"), _anchor(payload["anchor"]))
    if found.as_payload() != payload:
        raise InvalidBeaconError("the beacon is not in its one form")
    return found


def _anchor(value: Any) -> Anchor:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict) or value.keys() != _ANCHOR_KEYS:
        raise InvalidBeaconError(f"a beacon's anchor is an object with {', '.join(sorted(_ANCHOR_KEYS))}")
    size, kind, name, time = value["size"], value["kind"], value["name"], value["time"]
    if type(size) is not int or size < 1 or kind not in KINDS or not isinstance(name, str) or not name:
        raise InvalidBeaconError(f"a beacon's anchor names a size from 1, one of {', '.join(KINDS)} and who it was")
    return Anchor(size, kind, name, _moment(time))


def _moment(text: Any) -> datetime:  # noqa: ANN401 - any JSON value
    try:
        moment = parse_time(text)
    except (TypeError, ValueError) as error:
        raise InvalidBeaconError(f"the time of a beacon's anchor cannot be read: {error}") from error
    if not _YEARS[0] <= moment.year <= _YEARS[1]:
        raise InvalidBeaconError(f"a beacon's anchor is of the years {_YEARS[0]} to {_YEARS[1]}, not {moment.year}")
    return moment
