"""What one hypothesis has to expect, as it stands in the design check's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from claims.power.aims import Aim
from claims.power.chances import Chances
from claims.power.population import Kind
from claims.power.units import Units
from claims.registration.model import Hypothesis


@dataclass(frozen=True)
class Prospect:
    """A hypothesis, and what simulation says of it: None where nothing is known, and `note` says why.

    `target` is the outcome that the assumed value should have. `detectable` is the distance beyond the edge of `aim`;
    it and `smallest_n` are None also where, `searched` for, no value and no number was enough.
    """

    hypothesis: Hypothesis
    unit: str
    units: Units
    note: str = ""
    sd: float | None = None
    assumed: float | None = None
    drawn_from: Kind | None = None
    source: str | None = None
    aim: Aim | None = None
    half_width: float | None = None
    detectable: float | None = None
    chances: Chances | None = None
    target: str | None = None
    searched: bool = False
    smallest_n: int | None = None

    @property
    def decided(self) -> float | None:
        """The chance of the outcome that the assumed value should have."""
        if self.chances is None or self.target is None:
            return None
        return self.chances.confirmed if self.target == "confirmed" else self.chances.refuted

    def as_json(self) -> dict[str, Any]:
        found = self.chances
        return {
            "id": self.hypothesis.id,
            "metric": self.hypothesis.metric,
            "n": self.units.n,
            "unit": self.unit,
            "sd": figure(self.sd),
            "assumed": figure(self.assumed),
            "drawn_from": self.drawn_from,
            "source": self.source,
            "power": share(found.confirmed if found else None),
            "refuted": share(found.refuted if found else None),
            "inconclusive": share(found.inconclusive if found else None),
            "void": share(found.void if found else None),
            "error": share(found.error(found.confirmed) if found else None),
            "half_width": figure(self.half_width),
            "detectable": self._detectable(),
            "smallest_n": self.smallest_n,
            "note": "; ".join(part for part in (self.units.note, self.note) if part) or None,
        }

    def _detectable(self) -> dict[str, float | None] | None:
        if self.detectable is None or self.aim is None:
            return None
        return {"effect": figure(self.detectable), "value": figure(self.aim.at(self.detectable))}


def figure(value: float | None) -> float | None:
    """Three significant digits: simulation gives no more."""
    return None if value is None else float(f"{value:.3g}") + 0.0


def share(value: float | None) -> float | None:
    return None if value is None else round(value, 3) + 0.0
