"""How many studies are simulated, so that a whole check takes a few seconds of one core at most.

What they take is counted and not timed, so that the same document has the same answer on any machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from claims.power.population import Kind

# Nanoseconds of one core, of all hypotheses of a check together: for their chances, and for what is searched for.
_CHANCES, _SEARCH = 800e6, 2000e6
# Simulations in which what is detectable, and the smallest n, are found: as many as it takes on the whole.
_STEPS = 20
# Of how many hypotheses they are searched for; where units are drawn again, of fewer, if that is done often.
_SEARCHED, _SEARCHED_RESAMPLING, _RESAMPLES_SEARCHED = 16, 6, 12_000
# Studies: at most for a chance, and at a step of a search; half as many where units are drawn again. And at least.
_STUDIES, _STEP, _FEWEST = 4000, 2000, 100
# To draw a unit and to leave it out; to draw one again; and what a resample takes besides.
_A_UNIT: Mapping[Kind, float] = MappingProxyType(
    {
        "normal": 100,
        "gamma": 150,
        "two_points": 150,
        "beta": 150,
        "unit_normal": 150,
        "binormal": 300,
        "agreement": 100,
        "largest": 150,
        "slope": 150,
    }
)
_A_UNIT_AGAIN, _A_RESAMPLE = 0.25, 35


def searched(hypotheses: int, resamples: int | None) -> int:
    """Of how many of `hypotheses` that anything is known of."""
    most = _SEARCHED if resamples is None else min(_SEARCHED_RESAMPLING, max(1, _RESAMPLES_SEARCHED // resamples))
    return min(hypotheses, most)


def studies(kind: Kind, units: int, resamples: int | None, hypotheses: int, *, searching: bool) -> int:
    """Of so many units (pairs of texts, where their scores are drawn), for each of `hypotheses`."""
    of_one = units * _A_UNIT[kind]
    most = _STEP if searching else _STUDIES
    if resamples is not None:
        of_one += resamples * (units * _A_UNIT_AGAIN + _A_RESAMPLE)
        most //= 2
    time = _SEARCH / searched(hypotheses, resamples) / _STEPS if searching else _CHANCES / hypotheses
    return max(_FEWEST, min(most, int(time / of_one)))
