"""How far beyond its threshold a metric must lie for a prediction to be confirmed as often as is asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from claims.power.study import ENOUGH
from claims.registration.model import Prediction, Threshold
from claims.verdict.regions import bounds

# Distances tried, in those at which a normal approximation has enough power, and in parts of the room there is; then
# halving between two of them.
_LADDER = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 64.0)
_PARTS = (1 / 4, 1 / 2, 3 / 4, 7 / 8, 15 / 16, 1.0)
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
    else onwards, and, where that leads nowhere, back to where it is enough: near an end of the metric's range units may
    be so much alike that there is no interval.
    """
    parts = [part * aim.room for part in _PARTS] if isfinite(aim.room) else []
    distances = sorted({0.0, *(step * scale for step in _LADDER if step * scale < aim.room), *parts})
    first = min(max(1, bisect_left(distances, scale)), len(distances) - 1)
    order = [*range(first, len(distances)), *range(first - 1, 0, -1)]
    at = next((one for one in order if chance(aim.at(distances[one])) >= ENOUGH), 0)
    while at > 1 and at <= first and chance(aim.at(distances[at - 1])) >= ENOUGH:
        at -= 1
    return _halved(aim, distances[at - 1], distances[at], chance) if at else None


def _halved(aim: Aim, short: float, enough: float, chance: Callable[[float], float]) -> float:
    for _ in range(_HALVINGS):
        between = (short + enough) / 2
        if chance(aim.at(between)) >= ENOUGH:
            enough = between
        else:
            short = between
    return enough
