"""Grows one planted-key organism and measures what attribution and patching say of it."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from claims.instruments.manifest import Shard
from claims.instruments.params import completed
from claims.instruments.planted_key_recipe import recipe_of
from claims.instruments.planted_key_recovery import PARAMS
from claims.nondeterminism import label
from claims.registration.model import Registration
from claims.seeds import Seeds
from workers.models.memory import peak_bytes
from workers.models.pair_rows import Asked, Row, pair_rows
from workers.models.pair_runs import PatchPlan, Tally
from workers.models.pairs import TokenPair, TokenText
from workers.nondeterminism import rows_again
from workers.organisms.planted_key import ATTENTION, BATCH, HELD_OUT, TWINS, Organism, grow
from workers.organisms.planted_key_pairs import Purpose
from workers.resources import Measured, Progress, Resources

DIMENSION = "planted_key"


def measure(
    shard: Shard, registration: Registration, seeds: Seeds, resources: Resources, progress: Progress
) -> Measured:
    """The rows of the shard's organism, whether or not it obeys its rule.

    Seeds by label: those of `workers.organisms.planted_key.grow`, `organism/<number>/pairs` for the scored pairs, and
    `again/organism/<number>`, which picks those that are measured twice. `progress` is told how many rows are
    measured. Raises `RefusalError` as `pair_rows` does.
    """
    del resources  # an organism needs neither files nor a dataset
    number, recipe = int(shard.params["organism"]), recipe_of(registration)
    organism = grow(recipe, seeds, number)
    pairs = _scored_pairs(organism, number, registration.sampling.sizes["pairs_per_organism"], seeds)
    plan = PatchPlan.of(completed(PARAMS, registration.instrument.params))
    asked, tally = Asked(attribution="frozen_norm", patch=plan), Tally()

    def rows() -> Iterator[Row]:
        yield from _organism_rows(organism, number, recipe["min_accuracy"])
        done = 1 + len(organism.twin_norms)
        for of_pair in pair_rows(organism.anatomy, pairs, asked, tally):
            yield from ({**row, "organism": number} for row in of_pair)
            done += len(of_pair)
            progress(done)

    grown = 2 * (BATCH * recipe["steps"] + HELD_OUT + TWINS)
    again = rows_again(organism.anatomy, pairs, asked, tally, seeds(label(shard.label)))
    of_organism = ({**row, "organism": number} for of_pair in again for row in of_pair)
    return Measured(rows(), lambda: _facts(grown, tally), of_organism)


def _organism_rows(organism: Organism, number: int, min_accuracy: float) -> Iterator[Row]:
    at = {"pair_id": None, "dimension": DIMENSION, "cluster": _cluster(number), "organism": number}
    governed = organism.accuracy >= min_accuracy
    yield {"kind": "organism", **at, "accuracy": organism.accuracy, "governed": governed}
    for component, norm in organism.twin_norms.items():
        constructed = component in organism.carriers
        yield {"kind": "key", **at, "component": component, "norm": norm, "constructed": constructed}


def _scored_pairs(organism: Organism, number: int, count: int, seeds: Seeds) -> list[TokenPair]:
    generator = torch.Generator().manual_seed(seeds(f"organism/{number}/pairs"))
    chosen, rejected = organism.pairs.draw(count, Purpose.SCORED, generator)
    prompt = organism.pairs.prompt_tokens
    return [
        TokenPair(f"{_cluster(number)}/{index}", DIMENSION, _cluster(number), _text(a, prompt), _text(b, prompt))
        for index, (a, b) in enumerate(zip(chosen, rejected, strict=True))
    ]


def _text(ids: Tensor, prompt_tokens: int) -> TokenText:
    return TokenText(tuple(ids.tolist()), prompt_tokens)


def _cluster(number: int) -> str:
    return f"organism/{number}"


def _facts(grown: int, tally: Tally) -> dict[str, object]:
    return {
        "weights_sha256": None,
        "dtype": "float32",
        "device": "cpu",
        "attention": ATTENTION,
        **tally.facts(),
        "forwards": grown + tally.texts,
        "peak_memory_bytes": peak_bytes(),
        "conformance": {},
    }
