"""A public randomness beacon: the chained rounds of drand (scheme `pedersen-bls-chained`), checked as its clients do.

Every `period` seconds a round is published: a BLS signature (BLS12-381, keys in G1, signatures in G2) by the chain's
group over SHA-256(previous signature ‖ round as 8 bytes, big-endian). Its randomness is SHA-256(signature), which
nobody knows before enough members of the group have signed.
"""

from __future__ import annotations

import hashlib
import re
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

SCHEME = "pedersen-bls-chained"
KEY_BYTES, SIGNATURE_BYTES, HASH_BYTES = 48, 96, 32
_UNNAMED = "default"
# Within these, every round has a time in the calendar. A slower beacon would be of no use to a run that waits.
_LARGEST_ROUND = 2**31
_LONGEST_PERIOD = 60
_LATEST_GENESIS = 2**36
_HEX = re.compile(r"(?:[0-9a-f]{2})+", re.ASCII)
_BEACON_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


class InvalidBeaconError(ValueError):
    """A chain or a round that is not what it says; the text names what is wrong."""


@dataclass(frozen=True)
class Chain:
    """What a chain's hash stands for. `period` in seconds, `genesis` the time of round 1 in seconds since 1970.

    `group_hash` is what round 1 is chained to; `beacon_id` tells apart the chains of one group.
    """

    public_key: bytes
    period: int
    genesis: int
    group_hash: bytes
    beacon_id: str = _UNNAMED

    @property
    def hash(self) -> str:
        """The chain's name, in hex: SHA-256(period, 4 bytes ‖ genesis, 8 bytes ‖ key ‖ group hash ‖ id if it has one).

        Integers are big-endian. The formula is that of drand's `chain.Info.Hash`.
        """
        named = b"" if self.beacon_id == _UNNAMED else self.beacon_id.encode()
        numbers = struct.pack(">Iq", self.period, self.genesis)
        return hashlib.sha256(numbers + self.public_key + self.group_hash + named).hexdigest()

    def information(self) -> dict[str, Any]:
        """The chain as drand's `/info` gives it."""
        return {
            "public_key": self.public_key.hex(),
            "period": self.period,
            "genesis_time": self.genesis,
            "hash": self.hash,
            "groupHash": self.group_hash.hex(),
            "schemeID": SCHEME,
            "metadata": {"beaconID": self.beacon_id},
        }


MAINNET = Chain(
    public_key=bytes.fromhex(
        "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a569937c529eeda66c7293784a9402801af31"
    ),
    period=30,
    genesis=1595431050,
    group_hash=bytes.fromhex("176f93498eac9ca337150b46d21dd58673ea4e3581185f869672e59fa4cb390a"),
)
"""The League of Entropy's default chain, 8990e7a9…b2ce."""


@dataclass(frozen=True)
class Round:
    """A published round; `previous` is the signature of the one before it, of round 1 the group's hash."""

    round: int
    signature: bytes
    previous: bytes

    @property
    def randomness(self) -> bytes:
        return hashlib.sha256(self.signature).digest()


def read_chain(information: Any, pinned: str) -> Chain:  # noqa: ANN401 - any JSON value
    """The chain that drand's `/info` describes, if its hash is `pinned`; raises `InvalidBeaconError` otherwise."""
    found = _mapping(information, "information on a chain")
    if found.get("schemeID") != SCHEME:
        raise InvalidBeaconError(f"the chain's scheme is {found.get('schemeID')!r}, and only {SCHEME} is read here")
    chain = Chain(
        public_key=_bytes(found, "public_key", KEY_BYTES),
        period=_integer(found, "period", 1, _LONGEST_PERIOD),
        genesis=_integer(found, "genesis_time", 0, _LATEST_GENESIS),
        group_hash=_bytes(found, "groupHash", HASH_BYTES),
        beacon_id=_beacon_id(_mapping(found.get("metadata"), "the chain's metadata")),
    )
    if chain.hash != pinned or found.get("hash") != pinned:
        raise InvalidBeaconError(f"the chain's key, period and genesis have the hash {chain.hash}, not {pinned}")
    return chain


def read_round(answer: Any) -> Round:  # noqa: ANN401 - any JSON value
    """The round that drand's `/public/<round>` describes, its signature not yet checked."""
    read = round_of(answer, previous="previous_signature")
    if answer.get("randomness") != read.randomness.hex():
        raise InvalidBeaconError(f"the randomness of round {read.round} is not the SHA-256 of its signature")
    return read


def round_of(value: Any, *, previous: str) -> Round:  # noqa: ANN401 - any JSON value
    """The round that `round`, `signature` and the member called `previous` give; raises `InvalidBeaconError`."""
    found = _mapping(value, "a round")
    number = _integer(found, "round", 1, _LARGEST_ROUND)
    before = _bytes(found, previous, HASH_BYTES if number == 1 else SIGNATURE_BYTES)
    return Round(number, _bytes(found, "signature", SIGNATURE_BYTES), before)


def verify(chain: Chain, published: Round) -> None:
    """Raises `InvalidBeaconError` unless the chain's group signed the round. Takes some 0.3 s."""
    if published.round == 1 and published.previous != chain.group_hash:
        raise InvalidBeaconError("round 1 is chained to something else than the group's hash")
    message = hashlib.sha256(published.previous + published.round.to_bytes(8, "big")).digest()
    if not bls().Verify(chain.public_key, message, published.signature):
        raise InvalidBeaconError(f"the signature of round {published.round} is not by the group of chain {chain.hash}")


def bls() -> Any:  # noqa: ANN401 - py_ecc is untyped
    """BLS over G2, loaded where it is needed, which takes half a second.

    Loading it lets Python recurse a hundred times deeper, which a deep JSON file then overflows the stack by; it does
    without.
    """
    limit = sys.getrecursionlimit()
    try:
        from py_ecc.bls import G2Basic  # noqa: PLC0415
    finally:
        sys.setrecursionlimit(limit)
    return G2Basic


def time_of(chain: Chain, number: int) -> datetime:
    """When the round is published: genesis + (number - 1) periods."""
    return _start(chain) + (number - 1) * timedelta(seconds=chain.period)


def first_after(chain: Chain, moment: datetime) -> int:
    """The first round that is published later than `moment`."""
    return max(1, (moment - _start(chain)) // timedelta(seconds=chain.period) + 2)


def _start(chain: Chain) -> datetime:
    return datetime.fromtimestamp(chain.genesis, UTC)


def _mapping(value: Any, what: str) -> Mapping[str, Any]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict):
        raise InvalidBeaconError(f"{what} is a JSON object, not {str(value)[:80]!r}")
    return value


def _bytes(found: Mapping[str, Any], name: str, size: int) -> bytes:
    value = found.get(name)
    if not isinstance(value, str) or not _HEX.fullmatch(value) or len(value) != 2 * size:
        raise InvalidBeaconError(f"{name} is {size} bytes in lower-case hex, not {str(value)[:80]!r}")
    return bytes.fromhex(value)


def _integer(found: Mapping[str, Any], name: str, least: int, most: int) -> int:
    value = found.get(name)
    if type(value) is not int or not least <= value <= most:
        raise InvalidBeaconError(f"{name} is a whole number from {least} to {most}, not {str(value)[:80]!r}")
    return value


def _beacon_id(metadata: Mapping[str, Any]) -> str:
    value = metadata.get("beaconID")
    if not isinstance(value, str) or not _BEACON_ID.fullmatch(value):
        raise InvalidBeaconError(f"beaconID is the chain's name within its group, not {str(value)[:80]!r}")
    return value
