"""Sealed forecasts: a probability that somebody else commits to before a claim opens, and tells after.

The format is described for others in docs/forecasts.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from claims.canonical import canonical_bytes
from claims.entries import Entry

SALT_BYTES = 32
_HEX = re.compile(r"[0-9a-f]{64}")
_SEAL = {"sealed"}
_REVEAL = {"reveals", "probability", "salt"}


class InvalidForecastError(ValueError):
    """A seal, or what is said to have been sealed, that cannot stand; the text says why."""


@dataclass(frozen=True)
class Forecast:
    """What entry `seq` sealed for `forecaster`, and once entry `revealed` told it, with which `probability`.

    The probability is that of a confirmed claim.
    """

    forecaster: str
    seq: int
    sealed: str
    probability: float | None = None
    revealed: int | None = None


def seal(claim: str, forecaster: str, probability: float, salt: bytes) -> str:
    """SHA-256 of the salt and the canonical JSON of `{"claim", "forecaster", "probability"}`, in hex.

    `salt` is 32 random bytes: a probability alone could be guessed. The claim and the forecaster are sealed with it, so
    that nobody can hand in another's seal as their own. Raises `InvalidForecastError` for another salt or probability.
    """
    if len(salt) != SALT_BYTES:
        raise InvalidForecastError(f"the salt has {len(salt)} bytes, not {SALT_BYTES}")
    if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 <= probability <= 1:
        raise InvalidForecastError(f"{probability!r} is no probability: it is a number from 0 to 1")
    said = {"claim": claim, "forecaster": forecaster, "probability": probability}
    return hashlib.sha256(salt + canonical_bytes(said)).hexdigest()


def is_seal(payload: Mapping[str, Any]) -> bool:
    """Whether a `forecast` entry with this payload seals; else it reveals."""
    return "sealed" in payload


def by(forecasts: tuple[Forecast, ...], forecaster: str) -> Forecast | None:
    """The forecaster's own: there is one at most."""
    return next((one for one in forecasts if one.forecaster == forecaster), None)


def after(forecasts: tuple[Forecast, ...], entry: Entry) -> tuple[Forecast, ...]:
    """A claim's forecasts once `entry`, of type `forecast`, is among its entries; raises `InvalidForecastError`."""
    shape = _SEAL if is_seal(entry.payload) else _REVEAL
    if set(entry.payload) != shape:
        raise InvalidForecastError(
            f"a forecast holds {sorted(_SEAL)} or {sorted(_REVEAL)}, not {sorted(entry.payload)}"
        )
    return _sealed(forecasts, entry) if shape is _SEAL else _revealed(forecasts, entry)


def _sealed(forecasts: tuple[Forecast, ...], entry: Entry) -> tuple[Forecast, ...]:
    known = by(forecasts, entry.actor)
    if known is not None:
        raise InvalidForecastError(f"{entry.actor} has sealed a forecast already, at entry {known.seq}")
    _of_hex(entry.payload["sealed"], "seal")
    return (*forecasts, Forecast(entry.actor, entry.seq, entry.payload["sealed"]))


def _revealed(forecasts: tuple[Forecast, ...], entry: Entry) -> tuple[Forecast, ...]:
    known, payload = by(forecasts, entry.actor), entry.payload
    if known is None or known.seq != payload["reveals"]:
        raise InvalidForecastError(f"{entry.actor} sealed nothing at entry {payload['reveals']}")
    if known.probability is not None:
        raise InvalidForecastError(f"what {entry.actor} sealed at entry {known.seq} is revealed already")
    found = seal(str(entry.claim), entry.actor, payload["probability"], _of_hex(payload["salt"], "salt"))
    if found != known.sealed:
        raise InvalidForecastError(
            f"probability and salt give the seal {found}, and {entry.actor} sealed {known.sealed}"
        )
    told = replace(known, probability=payload["probability"], revealed=entry.seq)
    return tuple(told if one is known else one for one in forecasts)


def _of_hex(text: Any, what: str) -> bytes:  # noqa: ANN401 - what a payload holds
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise InvalidForecastError(f"the {what} is not 64 lower-case hex digits")
    return bytes.fromhex(text)
