"""What patching each component does on average over clusters of pairs, and what the component ahead of all moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from claims.evidence import Estimate
from claims.instruments.answers import NO_SPREAD, Answer, Asked, in_sample
from claims.instruments.grid import LEFT_OUT, Floats, Patched
from claims.instruments.ratios import Ratios


def mean_effects(laid: Patched, asked: Asked, name: str) -> Iterator[tuple[str, Answer]]:
    """By metric, `name` of each component: the mean effect over the cells where its patch could act, or why none."""
    for place, component in enumerate(laid.components):
        acted, metric = laid.joined[:, place], f"{name}.{component}"
        if not acted.any():
            yield metric, why_never(laid, place)
            continue
        clusters = tuple(compress(laid.clusters, acted))
        yield metric, Ratios.means(laid.effect[acted, place : place + 1], clusters).answer(asked, metric)


def moves(laid: Patched, asked: Asked) -> Iterator[tuple[str, Answer]]:
    """By metric, one of each component: |sum of effects| / |sum of margins| over the same cells, or why there is none.

    Without a cluster the quotient keeps the sign that makes the whole positive, and may fall below 0; its bounds not.
    """
    for place, component in enumerate(laid.components):
        acted, metric = laid.joined[:, place], f"moves.{component}"
        if not acted.any():
            yield metric, why_never(laid, place)
            continue
        effect, margin = laid.effect[acted, place : place + 1], laid.margin[acted]
        sign = np.sign(effect.sum()) * np.sign(margin.sum())
        ratio = Ratios(sign * effect, margin, tuple(compress(laid.clusters, acted)))
        answer = ratio.answer(asked, metric)
        yield metric, answer.model_copy(update={"lo": max(0.0, answer.lo)}) if isinstance(answer, Estimate) else answer


def why_never(laid: Patched, place: int) -> str:
    """What kept every patch of that component from acting."""
    return f"{' or '.join(state for state in LEFT_OUT if laid.cells_in(state)[place])} in every pair"


@dataclass(frozen=True)
class TopComponent:
    """What the component with the largest |mean effect| moves, where it was not chosen by the pairs it is read off.

    The largest of noisy values is too large on average. So the component, and the sign of its mean effect, are chosen
    from all clusters but one, and what it does is read off that one. `effect`, `margin` and `cells` (how many) are
    sums (G, C) over the cells of G clusters and C components where a patch could act.
    """

    clusters: tuple[str, ...]
    components: tuple[str, ...]
    effect: Floats
    margin: Floats
    cells: Floats

    @classmethod
    def of(cls, laid: Patched) -> TopComponent:
        clusters = sorted(set(laid.clusters))
        numbers = {cluster: number for number, cluster in enumerate(clusters)}
        number = [numbers[cluster] for cluster in laid.clusters]

        def summed(values: Floats) -> Floats:
            sums = np.zeros((len(clusters), len(laid.components)))
            np.add.at(sums, number, np.where(laid.joined, values, 0.0))
            return sums

        return cls(
            tuple(clusters),
            laid.components,
            summed(laid.effect),
            summed(np.broadcast_to(laid.margin[:, None], laid.effect.shape)),
            summed(np.ones_like(laid.effect)),
        )

    def contenders(self) -> TopComponent:
        """The same without the components that are first in no sample, whichever two clusters it lacks.

        Without two clusters a sum of effects is nearer to 0, or farther, by no more than its two largest do.
        """
        total, two = np.abs(self.effect.sum(axis=0)), _two_largest(np.abs(self.effect))
        cells = self.cells.sum(axis=0)
        fewest = cells - _two_largest(self.cells)
        at_least = np.divide(total - two, cells, out=np.zeros_like(total), where=cells > 0)
        at_most = np.divide(total + two, fewest, out=np.full_like(total, inf), where=fewest > 0)
        kept = at_most >= at_least.max(initial=0.0)
        sums = (each[:, kept] for each in (self.effect, self.margin, self.cells))
        return TopComponent(self.clusters, tuple(compress(self.components, kept)), *sums)

    def without(self, place: int) -> TopComponent:
        sums = (np.delete(sums, place, axis=0) for sums in (self.effect, self.margin, self.cells))
        return TopComponent(self.clusters[:place] + self.clusters[place + 1 :], self.components, *sums)

    @cached_property
    def chosen(self) -> NDArray[np.int64]:
        """(G,) the component that is first in the other clusters."""
        places: NDArray[np.int64] = np.abs(self._of_others).argmax(axis=1)
        return places

    @property
    def value(self) -> float:
        """The sum of effects read off, in the sign chosen, over |the sum of margins| of those cells; NaN for none."""
        each = np.arange(len(self.clusters))
        signs = np.sign(self._of_others[each, self.chosen])
        margin = abs(float(self.margin[each, self.chosen].sum()))
        return float((signs * self.effect[each, self.chosen]).sum()) / margin if margin else np.nan

    def answer(self, asked: Asked) -> Answer:
        """With bounds for what the truly first component moves, whichever that is, widened, if need be, to hold it.

        Leaving clusters out does not tell how much luck there was in the choice: where components are alike, one may be
        first in every sample that lacks a cluster. So the upper end is the largest of all components' own upper bounds,
        since that of the truly first one holds, and the lower end the largest of their lower bounds, at a tail shared
        among them (Bonferroni).
        """
        if not len(self.components):
            return "nothing was patched"
        if few := asked.too_few("top_moves", len(self.clusters)):
            return few
        top = self.contenders()
        value, jointly = top.value, 1 - (1 - asked.level) / len(self.components)
        if not isfinite(value):
            return "the margins of the pairs where the first component's patch could act add up to 0"
        lower, upper = self._bounds(jointly)[:, 0], self._bounds(asked.level)[:, 1]
        if np.isnan(upper[self._of_all().argmax()]):
            return in_sample(value, NO_SPREAD)
        read_off = top.cells[np.arange(len(top.clusters)), top.chosen].astype(int)
        named = [cluster for cluster, n in zip(top.clusters, read_off, strict=True) for _ in range(n)]
        return asked.estimated(value, (min(value, float(np.nanmax(lower))), max(value, float(np.nanmax(upper)))), named)

    def _of_all(self) -> Floats:
        """(C,) each component's |mean effect|; 0 where no patch could act."""
        cells = self.cells.sum(axis=0)
        means: Floats = np.divide(np.abs(self.effect.sum(axis=0)), cells, out=np.zeros_like(cells), where=cells > 0)
        return means

    def _bounds(self, level: float) -> Floats:
        """(C, 2) of what each component moves, in the sign that makes it positive; NaN where it has no known error."""
        signs = np.sign(self.effect.sum(axis=0)) * np.sign(self.margin.sum(axis=0))
        each = range(len(self.components))
        of_each = [Ratios(signs[k] * self.effect[:, [k]], self.margin[:, k], self.clusters) for k in each]
        return np.concatenate([ratio.bounds(level) for ratio in of_each])

    def times(self) -> Counter[str]:
        """For how many clusters each component was chosen by the others."""
        return Counter(self.components[place] for place in self.chosen) if self.components else Counter()

    @cached_property
    def _of_others(self) -> Floats:
        """(G, C) mean effects without each cluster; 0 where no patch could act."""
        cells = self.cells.sum(axis=0) - self.cells
        means: Floats = np.divide(
            self.effect.sum(axis=0) - self.effect, cells, out=np.zeros_like(cells), where=cells > 0
        )
        return means


def _two_largest(values: Floats) -> Floats:
    """The sum (C,) of the two largest of each column of `values` (G, C)."""
    largest: Floats = np.sort(values, axis=0)[-2:].sum(axis=0)
    return largest
