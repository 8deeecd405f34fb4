"""Some pairs of a shard measured a second time, in batches of another make: docs/nondeterminism.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from claims.nondeterminism import chosen
from workers.models.anatomy import Anatomy
from workers.models.pair_rows import Asked, Row, pair_rows
from workers.models.pair_runs import Tally, blocks
from workers.models.pairs import TokenPair

SMALLER_BUDGET = 3


def rows_again(
    anatomy: Anatomy, pairs: Sequence[TokenPair], asked: Asked, tally: Tally, seed: int
) -> Iterator[list[Row]]:
    """The rows of those of the pairs that the seed picks, in the order of `pairs`; all are measured in `asked`'s way.

    A pair that shared its block is run alone, one that had it for itself beside a copy of itself, and fewer patches
    together, so that every product is one of other matrices. Raises as `pair_rows` does.
    """
    neighbours = {pair.id: len(block) for block in blocks(pairs, asked.tokens) for pair in block}
    twice = chosen([pair.id for pair in pairs], seed)
    for pair in pairs:
        if pair.id in twice:
            copies = 1 if neighbours[pair.id] > 1 else 2
            yield next(pair_rows(anatomy, [pair] * copies, _otherwise(asked, pair, copies), tally))


def _otherwise(asked: Asked, pair: TokenPair, copies: int) -> Asked:
    longest = max(len(pair.chosen.ids), len(pair.rejected.ids))
    return replace(asked, tokens=copies * longest, budget=asked.budget // SMALLER_BUDGET)
