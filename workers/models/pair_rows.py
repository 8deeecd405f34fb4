"""Rows of preference pairs: what scores, lens, attribution and patches say of each, in the fields that evidence has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from workers.models.anatomy import Anatomy
from workers.models.attribution import Convention, contributions
from workers.models.finite import refuse_not_finite
from workers.models.gradients import estimates
from workers.models.grid import patch_each
from workers.models.pair_runs import SIDES, TOKENS_A_BLOCK, PairRun, PatchPlan, Tally, pair_runs
from workers.models.pairs import TokenPair
from workers.models.patching import Direction, Granularity, Patching, Site, sites_of

Row = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """Which rows a measurement writes beside those of kind score.

    `budget` bounds the bytes that patching takes, `tokens` how many tokens a side pairs that run together have.

    `attribution` at `granularity`; with `gradient`, rows of kind attribution are first-order estimates of the patches.
    """

    lens: bool = False
    attribution: Convention | None = None
    granularity: Granularity = "component"
    patch: PatchPlan | None = None
    gradient: bool = False
    budget: int = 1 << 30
    tokens: int = TOKENS_A_BLOCK


@dataclass(frozen=True)
class _Cell:
    """One row of every pair of a run: what all have alike, and columns of what each has of its own."""

    alike: Row
    own: Mapping[str, Sequence[Any]]


def pair_rows(anatomy: Anatomy, pairs: Sequence[TokenPair], asked: Asked, tally: Tally) -> Iterator[list[Row]]:
    """The rows of each pair, in the order of `pairs`.

    Raises `RefusalError` when a value is not finite or the attribution of a text is not complete.
    """
    for run in pair_runs(anatomy, pairs, asked.patch, tally, gradients=asked.gradient, tokens=asked.tokens):
        cells = list(_cells(anatomy, run, asked, tally))
        for number, pair in enumerate(run.pairs):
            at = {"pair_id": pair.id, "dimension": pair.dimension, "cluster": pair.cluster}
            yield [
                {**at, **cell.alike, **{name: column[number] for name, column in cell.own.items()}} for cell in cells
            ]


def _cells(anatomy: Anatomy, run: PairRun, asked: Asked, tally: Tally) -> Iterator[_Cell]:
    for trace in run.traces.values():
        refuse_not_finite(trace.said())
    yield from _scores(run)
    if asked.lens:
        yield from _lens(anatomy, run)
    if asked.attribution is not None:
        yield from _attribution(anatomy, run, asked.attribution, asked.granularity)
    if asked.patch is not None:
        sites = sites_of(anatomy, asked.patch.granularity)
        for direction, patching in run.patchings.items():
            if asked.gradient:
                yield from _gradients(sites, direction, patching)
            yield from patch_cells(anatomy, run, sites, direction, budget=asked.budget, tally=tally)


def _scores(run: PairRun) -> Iterator[_Cell]:
    for side in SIDES:
        scores = run.traces[side].scores.tolist()
        yield _Cell({"kind": "score", "side": side, "tokens": run.traces[side].length}, {"score": scores})


def _lens(anatomy: Anatomy, run: PairRun) -> Iterator[_Cell]:
    with torch.no_grad():
        margins = {side: anatomy.reward(trace.stream()) for side, trace in run.traces.items()}
    margins["margin"] = margins["chosen"] - margins["rejected"]
    for layer in range(len(anatomy.blocks) + 1):
        own = {name: values[layer].tolist() for name, values in margins.items()}
        yield _Cell({"kind": "lens", "layer": layer - 1}, own)


def _attribution(anatomy: Anatomy, run: PairRun, convention: Convention, granularity: Granularity) -> Iterator[_Cell]:
    with torch.no_grad():
        chosen, rejected = (contributions(anatomy, run.traces[side], convention, granularity) for side in SIDES)
    for component, of_chosen in chosen.items():
        yield _differential(component, of_chosen, rejected[component])


def _gradients(sites: Sequence[Site], direction: Direction, patching: Patching) -> Iterator[_Cell]:
    """What the chosen and what the rejected text has there, weighted by the gradient at the text that is patched."""
    for site, (own, taken) in zip(sites, estimates(patching, sites), strict=True):
        cell = _differential(site.name, *((own, taken) if direction == "noising" else (taken, own)))
        yield _Cell({**cell.alike, "direction": direction}, cell.own)


def _differential(component: str, chosen: Tensor, rejected: Tensor) -> _Cell:
    own = {"chosen": chosen.tolist(), "rejected": rejected.tolist(), "differential": (chosen - rejected).tolist()}
    return _Cell({"kind": "attribution", "component": component}, own)


def patch_cells(
    anatomy: Anatomy, run: PairRun, sites: Sequence[Site], direction: Direction, *, budget: int, tally: Tally
) -> Iterator[_Cell]:
    """Effect is r_chosen - r_patched when noising, r_patched - r_rejected when denoising: towards the other run."""
    chosen, rejected = (run.traces[side].scores.double() for side in SIDES)
    patching, margin = run.patchings[direction], (chosen - rejected).tolist()
    with torch.no_grad():
        states = patching.states(anatomy, sites)
        acting = [site for site, state in zip(sites, states, strict=True) if "ok" in state]
        grid = patch_each(anatomy, acting, patching, budget)
    refuse_not_finite({f"Patching {site.name}": scores for site, scores in zip(acting, grid.scores, strict=True)})
    tally.patched(len(run.pairs) * len(acting), grid.token_layers, patching.floor(acting))
    sign = -1 if direction == "noising" else 1
    changes = sign * (grid.scores.double() - patching.clean.scores.double())
    effects = dict(zip((site.name for site in acting), changes.tolist(), strict=True))
    for site, state in zip(sites, states, strict=True):
        # A patch that cannot act changes nothing, whatever rounding beside the others suggests.
        found = effects.get(site.name, [0.0] * len(state))
        effect = [change if word == "ok" else 0.0 for change, word in zip(found, state, strict=True)]
        yield _Cell(
            {"kind": "patch", "component": site.name, "direction": direction},
            {"effect": effect, "state": state, "margin": margin},
        )
