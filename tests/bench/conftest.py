"""Campaigns that compare two ways of doing one thing, side by side in one run, in turn.

`make bench` runs them at full size and prints the table. `make test` runs the same code at a size of seconds, to hold
that both ways give the same answer; nothing is ever asserted of a time.
"""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from workers.models.anatomy import Anatomy
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally
from workers.models.pairs import TokenPair, TokenText
from workers.models.patching import sites_of, source_index
from workers.models.reading import read, score

VOCABULARY = 1_000
ROUNDS = 3


@dataclass(frozen=True)
class Comparison:
    """The last answer of each way, and the median over rounds of their times' ratio."""

    ours: Any
    theirs: Any
    ratio: float


@pytest.fixture
def one_thread():
    """Threads are the same on both sides: one, so that the processor's time is the time taken."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def patching(full) -> SimpleNamespace:
    """What campaigns of patch grids share.

    `pairs(shortest, longest, shared)` are 12, one at the small size. `grid(anatomy, pairs, plan, tally)` gives each
    pair's effects by the code that the worker runs, `one_forward_a_patch(anatomy, pairs, plan)` by the model's own
    forward at batch 1, clean runs included, and `token_layers(...)` how many tokens go through a layer for that.
    """
    return SimpleNamespace(
        pairs=partial(random_pairs, 12 if full else 1),
        grid=grid,
        one_forward_a_patch=lambda anatomy, pairs, plan: [_by_forwards(anatomy, pair, plan) for pair in pairs],
        token_layers=token_layers,
    )


@pytest.fixture
def side_by_side(full, request) -> Callable[..., Comparison]:
    """`side_by_side(ours, theirs, names, clock, rounds)`: both in turn; of several rounds the first is not counted.

    `clock` is the wall's, unless told otherwise: on a busy machine `time.process_time` is steadier, and as good for
    what runs in one thread.
    """

    def compare(
        ours: Callable[[], Any],
        theirs: Callable[[], Any],
        names: tuple[str, str],
        clock: Callable[[], float] = time.perf_counter,
        rounds: int = 1 + ROUNDS,
    ) -> Comparison:
        taken: list[tuple[float, float]] = []
        for _ in range(rounds if full else 1):
            (first, one), (second, other) = _timed(ours, clock), _timed(theirs, clock)
            taken.append((one, other))
        counted = taken[1:] or taken
        ratios = [other / one for one, other in counted]
        ratio = statistics.median(ratios)
        ms = [1000 * statistics.median(times) for times in zip(*counted, strict=True)]
        print(f"\n{request.node.name}: {names[0]} {ms[0]:.1f} ms, {names[1]} {ms[1]:.1f} ms")
        print(f"  ratio {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
        return Comparison(first, second, ratio)

    return compare


def random_pairs(count: int, shortest: int = 60, longest: int = 120, shared: float = 0.5) -> list[TokenPair]:
    """Each pair's texts have one length and begin alike: a part `shared` of them, their first token at least."""
    draw = random.Random(0)

    def tokens(length: int) -> tuple[int, ...]:
        return tuple(draw.randrange(3, VOCABULARY) for _ in range(length))

    made = []
    for number in range(count):
        length = draw.randint(shortest, longest)
        before = max(1, int(length * shared))
        prefix = (1, *tokens(before - 1))
        sides = [TokenText((*prefix, first, *tokens(length - before - 1)), before) for first in (1, 2)]
        made.append(TokenPair(str(number), "speed", str(number), *sides))
    return made


def grid(anatomy: Anatomy, pairs: Sequence[TokenPair], plan: PatchPlan, tally: Tally) -> list[list[float]]:
    rows = pair_rows(anatomy, pairs, Asked(patch=plan), tally)
    return [[row["effect"] for row in of_pair if row["kind"] == "patch"] for of_pair in rows]


def token_layers(anatomy: Anatomy, pairs: Sequence[TokenPair], plan: PatchPlan) -> int:
    patches, layers = len(sites_of(anatomy, plan.granularity)), len(anatomy.blocks)
    return sum(layers * ((1 + patches) * len(pair.chosen.ids) + len(pair.rejected.ids)) for pair in pairs)


def _by_forwards(anatomy: Anatomy, pair: TokenPair, plan: PatchPlan) -> list[float]:
    ids, other = (torch.tensor([text.ids]) for text in (pair.chosen, pair.rejected))
    index = source_index(pair.chosen, pair.rejected, plan.alignment, plan.positions)
    where = torch.nonzero(index >= 0)[:, 0]
    said, clean = read(anatomy, other).outputs, score(anatomy, ids, {})
    effects = []
    for site in sites_of(anatomy, plan.granularity):
        name = f"heads_L{site.layer}" if site.kind == "heads" else site.name
        width = said[name].shape[-1] // (anatomy.blocks[site.layer].heads if site.kind == "heads" else 1)
        columns = slice(site.head * width, (site.head + 1) * width)

        def edit(output, name=name, columns=columns):
            changed = output.clone()
            changed[:, where, columns] = said[name][:, index[where], columns]
            return changed

        effects.append(float(clean - score(anatomy, ids, {name: edit})))
    return effects


def _timed(do: Callable[[], Any], clock: Callable[[], float]) -> tuple[Any, float]:
    began = clock()
    answer = do()
    return answer, clock() - began
