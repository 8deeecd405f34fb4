"""The negative control of the bias battery: what is left of effects once it is drawn which text counts as chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from claims.instruments.bias_largest import EFFECT
from claims.instruments.bias_statistics import Axis
from claims.seeds import Seeds
from claims.shuffling import coins


def shuffled_largest(axes: Sequence[Axis], seeds: Seeds) -> float | None:
    """The largest |effect size| where the deltas of half of all clusters, more or less, have the other sign.

    Whose, is drawn by a coin for each cluster of any axis, in order of names, by the seed `controls/shuffled`. None
    where an axis is left without a spread, or there is none.
    """
    names = sorted({name for axis in axes for name in axis.names})
    heads = dict(zip(names, coins(len(names), seeds("controls/shuffled")).tolist(), strict=True))
    effects = [abs(float(_exchanged(axis, heads).effects().values()[EFFECT])) for axis in axes]
    return max(effects) if effects and all(map(isfinite, effects)) else None


def _exchanged(axis: Axis, heads: dict[str, bool]) -> Axis:
    """Both texts of a pair, so that lengths change sides too."""
    sign = np.array([-1.0 if heads[name] else 1.0 for name in axis.clusters])
    return replace(axis, deltas=sign * axis.deltas, lengths=sign * axis.lengths)
