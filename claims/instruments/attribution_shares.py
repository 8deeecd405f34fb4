"""What share of all |differential| a component, or the last layers, have.

A share is of sums over pairs of |differential|, not of |mean differential|: the magnitude of a mean that is near 0 is
mostly noise, which does not average out over the many components that do little, and no interval that starts from it
holds. Sums of magnitudes are means over pairs, and their ratios have sound intervals.
"""

from __future__ import annotations

import numpy as np

from claims.instruments.answers import NO_SPREAD, OF_NOTHING, Answer, Asked, in_sample
from claims.instruments.differentials import Differentials, late_layers, layer_of
from claims.instruments.ratios import Ratios

SHARE_OF_ALL = (0.0, 1.0)


def shares(attributed: Differentials) -> Ratios:
    """Each component's."""
    magnitude = np.abs(attributed.values)
    return Ratios(magnitude, magnitude.sum(axis=1), attributed.clusters)


def late_share(attributed: Differentials, asked: Asked, metric: str) -> Answer:
    """The last layers' together, of everything: what is of no layer, such as the embedding, counts in the whole."""
    last = late_layers(attributed.layers)
    late = [layer_of(component) in last for component in attributed.components]
    magnitude = np.abs(attributed.values)
    together = magnitude[:, late].sum(axis=1, keepdims=True)
    return Ratios(together, magnitude.sum(axis=1), attributed.clusters).answer(asked, metric, SHARE_OF_ALL)


def top_share(attributed: Differentials, asked: Asked, metric: str) -> Answer:
    """The largest share, whichever component has it.

    The one that is largest in a sample is partly so by luck: its own interval would lie too high. The upper end is the
    largest of all components' upper bounds, which holds since that of the truly largest does; the lower end is the
    largest of their lower bounds, at a tail shared among them (Bonferroni).
    """
    of_each = shares(attributed)
    value, first = float(of_each.values.max()), int(of_each.values.argmax())
    if np.isnan(value):
        return OF_NOTHING
    if few := asked.too_few(metric, of_each.sample.clusters):
        return in_sample(value, few)
    jointly = 1 - (1 - asked.level) / len(attributed.components)
    lower, upper = of_each.bounds(jointly, *SHARE_OF_ALL)[:, 0], of_each.bounds(asked.level, *SHARE_OF_ALL)[:, 1]
    if np.isnan(upper[first]):
        undefined = np.isnan(of_each.sample.left_out()[first]).any()
        return in_sample(value, "one cluster has every differential" if undefined else NO_SPREAD)
    return asked.estimated(value, (float(np.nanmax(lower)), float(np.nanmax(upper))), attributed.clusters)
