"""The nonce that was committed to, and what follows from it."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from claims.instruments import catalogue
from claims.instruments.manifest import Shard
from claims.nondeterminism import chosen, label
from claims.registration.model import Registration
from claims.rows import decode_chunks
from claims.verifying.case import Case
from claims.verifying.lines import CannotBeCheckedError, require

Pair: TypeAlias = tuple[int | str, str]
"""The organism's number or the dimension, and the pair's id."""


def check_nonce(case: Case) -> str:
    """The nonce that was revealed as the first worker started is the one whose hash the receipt holds."""
    committed = case.registered.payload["nonce_sha256"]
    opened = case.of_type("opened")
    if not opened:
        raise CannotBeCheckedError(f"no worker has opened the claim: the nonce of {committed} is not revealed yet")
    nonce = opened[0].payload["nonce"]
    found = hashlib.sha256(bytes.fromhex(nonce)).hexdigest()
    require(found == committed, f"the nonce {nonce} has the SHA-256 {found}, and {committed} was committed to")
    return f"revealed as committed to, sha256:{committed}"


def check_seeds(case: Case) -> str:
    """Every seed that picked pairs to be measured twice, derived again: it picks those that were."""
    opened = case.of_type("opened")
    run = opened[0].payload["run"] if opened else None
    if run not in case.runs:
        raise CannotBeCheckedError("the deciding run has no evidence")
    stated = case.recorded_evidence(run).nondeterminism.get("cells")
    if stated is None:
        raise CannotBeCheckedError("no cell was measured twice, and rows tell no other use of a seed")
    cells = cells_of(decode_chunks(case.row_chunks(run)))
    shards = pairs_of_shards(case.registration, cells)
    seed = case.seeds_of(run)
    seeds = {shard: seed(label(shard)) for shard in shards}
    picked = {pair: cells[pair] for shard, pairs in shards.items() for pair in _picked(pairs, seeds[shard])}
    if run in case.parts.again:
        require(
            cells_of(decode_chunks(case.parts.again[run]())) == picked,
            "the seeds pick other pairs than were measured twice",
        )
    count = sum(picked.values())
    require(count == stated, f"the seeds pick {count} cells to be measured twice, and {stated:g} were")
    first = next(iter(shards))
    shown = f"{label(first)} = {seeds[first]:016x}"
    return f"{len(seeds)} derived from the nonce ({shown} …): they pick the {count} cells that were measured twice"


def _picked(pairs: Sequence[Pair], of_shard: int) -> list[Pair]:
    picked = chosen([name for _, name in pairs], of_shard)
    return [pair for pair in pairs if pair[1] in picked]


def cells_of(rows: Iterable[Mapping[str, Any]]) -> dict[Pair, int]:
    """How many cells each pair has, in the order of the rows; pairs are known by organism, or by dimension, and id."""
    cells: Counter[Pair] = Counter()
    for row in rows:
        if row.get("pair_id") is not None:
            cells[row.get("organism", row["dimension"]), row["pair_id"]] += 1
    return dict(cells)


def pairs_of_shards(registration: Registration, pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """The pairs of each shard of the run's plan, by the shard's label."""
    by_part: defaultdict[int | str, list[str]] = defaultdict(list)
    for part, pair in pairs:
        by_part[part].append(pair)
    sizes = {part: len(ids) for part, ids in by_part.items() if isinstance(part, str)}
    plan = catalogue()[registration.instrument.name].plan(registration, sizes)
    return {shard.label: _of_shard(shard, by_part) for shard in plan}


def _of_shard(shard: Shard, by_part: Mapping[int | str, list[str]]) -> list[Pair]:
    params = shard.params
    if "organism" in params:
        return [(params["organism"], pair) for pair in by_part[params["organism"]]]
    block = slice(params["first"], params["first"] + params["pairs"])
    return [(params["dimension"], pair) for pair in sorted(by_part[params["dimension"]])[block]]
