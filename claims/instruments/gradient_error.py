"""How far estimated patch effects are from the exact ones of the same cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from claims.instruments.answers import Answer, Asked
from claims.instruments.grid import Floats, Grid
from claims.instruments.ratios import Ratios


@dataclass(frozen=True)
class GradientError:
    """Over P runs of pairs, sums over each run's cells where a patch could act, all (P,).

    `missed` is |estimate - exact|, `exact` |exact|; `signed` counts the cells whose exact effect is not 0, `positive`
    those of them above 0, and `agreed` those whose estimate has the same sign.
    """

    missed: Floats
    exact: Floats
    signed: Floats
    positive: Floats
    agreed: Floats
    clusters: tuple[str, ...]

    @classmethod
    def of(cls, laid: Sequence[Grid]) -> GradientError:
        def summed(values: Sequence[Floats]) -> Floats:
            return np.concatenate(
                [np.where(grid.joined, value, 0.0).sum(axis=1) for grid, value in zip(laid, values, strict=True)]
            )

        signs = [np.sign(grid.effect) for grid in laid]
        alike = [(sign != 0) & (sign == np.sign(grid.differential)) for sign, grid in zip(signs, laid, strict=True)]
        return cls(
            missed=summed([np.abs(grid.differential - grid.effect) for grid in laid]),
            exact=summed([np.abs(grid.effect) for grid in laid]),
            signed=summed([np.abs(sign) for sign in signs]),
            positive=summed([(sign > 0).astype(float) for sign in signs]),
            agreed=summed([one.astype(float) for one in alike]),
            clusters=tuple(cluster for grid in laid for cluster in grid.clusters),
        )

    def relative_error(self, asked: Asked, metric: str) -> Answer:
        """The sum of |estimate - exact| over the sum of |exact|: 0 is perfect, 1 what estimating 0 would get."""
        return Ratios(self.missed[:, None], self.exact, self.clusters).answer(asked, metric, (0.0, inf))

    def sign_agreement(self, asked: Asked, metric: str) -> Answer:
        """The share of cells with an exact effect other than 0 whose estimate has its sign."""
        return Ratios(self.agreed[:, None], self.signed, self.clusters).answer(asked, metric, (0.0, 1.0))

    def majority_sign(self) -> float | None:
        """The share of those cells that always saying the more frequent sign gets right; None where there is none."""
        signed = float(self.signed.sum())
        share = float(self.positive.sum()) / signed if signed else None
        return None if share is None else max(share, 1 - share)
