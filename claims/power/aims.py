"""How far beyond its threshold a metric must lie for a prediction to be confirmed as often as is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from claims.power.study import ENOUGH
from claims.registration.model import Prediction, Threshold
from claims.verdict.regions import bounds

# Distances tried, in those at which a normal approximation has enough power; then halving between two of them.
_LADDER = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 64.0)
_HALVINGS = 6


@dataclass(frozen=True)
class Aim:
    """From `edge`, where the prediction begins to be true, by `direction` (1 or -1) no further than `limit`."""

    edge: float
    direction: int
    limit: float

    @property
    def room(self) -> float:
        return max(0.0, (self.limit - self.edge) * self.direction)

    def at(self, distance: float) -> float:
        return self.limit if distance >= self.room else self.edge + self.direction * distance


def aim_of(predict: Prediction, low: float, high: float, value: float | None) -> Aim:
    """Where `predict` is easiest to confirm, for a metric in [low, high] and on the side of `value` where two are open.

    Of a band to lie outside of, away from it; of one to lie within, from the end nearer to `value` to its middle, or to
    the end of the metric's range where the band reaches over that.
    """
    if isinstance(predict, Threshold):
        up = predict.op in {">", ">="}
        return Aim(predict.value, 1, high) if up else Aim(predict.value, -1, low)
    bottom, top = bounds(predict)
    middle = bottom + (top - bottom) / 2
    if predict.op == "outside":
        above, below = Aim(top, 1, high), Aim(bottom, -1, low)
        rather_above = above.room >= below.room if value is None else value >= middle
        chosen, other = (above, below) if rather_above else (below, above)
        return chosen if chosen.room > 0 else other
    if bottom <= low:
        return Aim(top, -1, low)
    if top >= high:
        return Aim(bottom, 1, high)
    return Aim(top, -1, middle) if value is not None and value >= middle else Aim(bottom, 1, middle)


def nearest(aim: Aim, scale: float, chance: Callable[[float], float]) -> float | None:
    """The smallest distance from the edge at which `chance` of the value there is enough; None where none is.

    `scale` is about the distance to be expected, where the search begins: it goes back as long as the chance is enough,
    else onwards. Where the room ends, its end is tried last.
    """
    within = [step * scale for step in _LADDER if step * scale < aim.room]
    distances = [0.0, *within, *([aim.room] if isfinite(aim.room) else [])]
    at = min(_LADDER.index(1.0) + 1, len(distances) - 1)
    if chance(aim.at(distances[at])) >= ENOUGH:
        while at > 1 and chance(aim.at(distances[at - 1])) >= ENOUGH:
            at -= 1
    else:
        at += 1
        while at < len(distances) and chance(aim.at(distances[at])) < ENOUGH:
            at += 1
    return _halved(aim, distances[at - 1], distances[at], chance) if 0 < at < len(distances) else None


def _halved(aim: Aim, short: float, enough: float, chance: Callable[[float], float]) -> float:
    for _ in range(_HALVINGS):
        between = (short + enough) / 2
        if chance(aim.at(between)) >= ENOUGH:
            enough = between
        else:
            short = between
    return enough
