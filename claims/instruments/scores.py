"""Rows of kind score, laid out by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import compress
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from claims.instruments.manifest import Row


@dataclass(frozen=True)
class Scores:
    """P pairs in the order of their first rows. Every array is (P,): rewards, and lengths in tokens, of each side."""

    pairs: tuple[str, ...]
    dimensions: tuple[str, ...]
    clusters: tuple[str, ...]
    chosen: NDArray[np.float64]
    rejected: NDArray[np.float64]
    chosen_tokens: NDArray[np.int64]
    rejected_tokens: NDArray[np.int64]

    @property
    def margin(self) -> NDArray[np.float64]:
        """Chosen less rejected."""
        return self.chosen - self.rejected

    @property
    def right(self) -> NDArray[np.float64]:
        """1 where chosen scores above rejected, 0 where below, one half where both score the same."""
        return np.where(self.margin == 0, 0.5, self.margin > 0).astype(float)

    def of(self, dimension: str) -> NDArray[np.bool_]:
        """Which pairs are of this dimension."""
        return np.array([name == dimension for name in self.dimensions])

    def part(self, kept: NDArray[np.bool_]) -> Scores:
        """Of the pairs (P,) that are kept."""
        pairs, dimensions, clusters = (
            tuple(compress(names, kept)) for names in (self.pairs, self.dimensions, self.clusters)
        )
        scores = self.chosen[kept], self.rejected[kept]
        return Scores(pairs, dimensions, clusters, *scores, self.chosen_tokens[kept], self.rejected_tokens[kept])


@dataclass
class ScoreRows:
    """Takes rows one by one, so that none needs to be kept."""

    _at: dict[str, tuple[str, str]] = field(default_factory=dict)
    _cells: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Raises ValueError for a second row of the same side of a pair."""
        cell = (row["pair_id"], row["side"])
        if cell in self._cells:
            raise ValueError(f"the text {cell} has two rows of kind score")
        self._at[row["pair_id"]] = (row["dimension"], row["cluster"])
        self._cells[cell] = (float(row["score"]), int(row["tokens"]))

    def scores(self) -> Scores:
        """Raises KeyError for a pair of which one side is missing."""
        pairs = tuple(self._at)
        chosen, rejected = ([self._cells[pair, side] for pair in pairs] for side in ("chosen", "rejected"))
        return Scores(
            pairs,
            tuple(self._at[pair][0] for pair in pairs),
            tuple(self._at[pair][1] for pair in pairs),
            np.array([score for score, _ in chosen]),
            np.array([score for score, _ in rejected]),
            np.array([tokens for _, tokens in chosen], dtype=np.int64),
            np.array([tokens for _, tokens in rejected], dtype=np.int64),
        )


def read_scores(rows: Iterable[Row]) -> Scores:
    """The scores among `rows`; other kinds are passed over."""
    found = ScoreRows()
    for row in rows:
        if row["kind"] == "score":
            found.add(row)
    return found.scores()


class Paired(Protocol):
    """What rows of one kind, taken one by one, are laid out as."""

    @property
    def pairs(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Paired)


def read_beside_scores(
    rows: Iterable[Row], kind: str, add: Callable[[Row], None], laid_out: Callable[[], T]
) -> tuple[T, Scores]:
    """One pass over rows: those of `kind` as `laid_out` has them once `add` took each, and the scores.

    Raises ValueError where the pairs of the two kinds of rows differ.
    """
    score = ScoreRows()
    takers = {kind: add, "score": score.add}
    for row in rows:
        if row["kind"] in takers:
            takers[row["kind"]](row)
    found, scores = laid_out(), score.scores()
    if set(found.pairs) != set(scores.pairs):
        raise ValueError(f"the pairs that have {kind} rows are not those that have score rows")
    return found, scores


def counts(scores: Scores) -> dict[str, int]:
    """What was measured, whole and by dimension."""
    by_dimension = {name: scores.margin[scores.of(name)] for name in sorted(set(scores.dimensions))}
    return {
        "pairs": len(scores.pairs),
        "clusters": len(set(scores.clusters)),
        "dimensions": len(by_dimension),
        "negative_margins": int((scores.margin < 0).sum()),
        "ties": int((scores.margin == 0).sum()),
        **{f"negative_margins.{name}": int((margin < 0).sum()) for name, margin in by_dimension.items()},
        **{f"ties.{name}": int((margin == 0).sum()) for name, margin in by_dimension.items()},
    }
