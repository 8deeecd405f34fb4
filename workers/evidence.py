"""From the shards of a run to its evidence: rows joined, estimated, and stated with where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlmodel import Session

from app.ledger import blobs
from app.ledger.tables import RunRow, ShardRow
from claims import rows
from claims.canonical import sha256_hex
from claims.entries import format_time
from claims.evidence import SCHEMA, Estimated, Evidence
from claims.instruments import catalogue
from claims.instruments.manifest import Manifest
from claims.instruments.params import completed
from claims.registration.model import LocalModel, PairsDataset, Registration, meets


class InconsistentShardsError(ValueError):
    """Shards of one run do not speak of one subject, so no estimate over them means anything."""


def assemble(
    session: Session, run: RunRow, registration: Registration, shards: Sequence[ShardRow]
) -> tuple[Evidence, bytes]:
    """The evidence of a run whose shards are all done, and its `rows.jsonl`.

    Raises `InconsistentShardsError`, and whatever the instrument's `estimate` raises for rows that it cannot read.
    """
    body = b"".join(blobs.read(session, str(shard.rows_sha256)) for shard in shards)
    instrument = catalogue()[registration.instrument.name]
    estimated = instrument.estimate(rows.decode(body), registration)
    facts = [dict(shard.facts or {}) for shard in shards]
    evidence = {
        "schema": SCHEMA,
        **_instrument(registration, instrument.MANIFEST),
        **estimated.model_dump(),
        "subject": _subject(registration, facts, estimated),
        "nondeterminism": {},
        "controls": _controls(registration, estimated),
        "conformance": _conformance(shards, facts),
        "provenance": _provenance(run, shards),
        "cost": _cost(shards, facts),
        "rows_sha256": sha256_hex(body),
    }
    return Evidence.model_validate(evidence), body


def _instrument(registration: Registration, manifest: Manifest) -> dict[str, Any]:
    return {
        "instrument": manifest.name,
        "version": manifest.version,
        "params": completed(manifest.params, registration.instrument.params),
        "access": list(manifest.access),
        "gauge": manifest.gauge,
    }


def _subject(registration: Registration, facts: list[dict[str, Any]], estimated: Estimated) -> dict[str, Any]:
    model, dataset = registration.subject.model, registration.subject.dataset
    weights = model.weights_sha256 if isinstance(model, LocalModel) else None
    pairs = dataset.sha256 if isinstance(dataset, PairsDataset) else None
    return {
        "model": {
            "weights_sha256": _hash("weights", weights, {fact["weights_sha256"] for fact in facts}),
            **{key: _all_of(fact[key] for fact in facts) for key in ("dtype", "device", "attention")},
        },
        "dataset": {
            "sha256": _hash("pairs", pairs, {fact["dataset_sha256"] for fact in facts}),
            "n": estimated.counts["pairs"],
        },
    }


def _hash(what: str, frozen: str | None, found: set[str | None]) -> str | None:
    """The hash of what every shard measured, or one that is not the frozen one: the verdict looks at just that."""
    others = found - {frozen}
    if frozen is not None and others:
        return min(others, key=str)
    if len(found) != 1:
        raise InconsistentShardsError(f"shards measured different {what}: {sorted(map(str, found))}")
    return next(iter(found))


def _controls(registration: Registration, estimated: Estimated) -> dict[str, bool]:
    """Whether each control held; one whose metric was not measured did not."""
    controls = {"positive": registration.controls.positive, "negative": registration.controls.negative}
    found = estimated.diagnostics
    return {
        name: control.metric in found and meets(found[control.metric], control.op, control.value)
        for name, control in controls.items()
        if control is not None
    }


def _conformance(shards: Sequence[ShardRow], facts: list[dict[str, Any]]) -> dict[str, Any]:
    """What the conformance gate measured: once where every shard has the same, else by shard."""
    measured = {shard.label: fact["conformance"] for shard, fact in zip(shards, facts, strict=True)}
    first = facts[0]["conformance"]
    return dict(first) if all(one == first for one in measured.values()) else measured


def _provenance(run: RunRow, shards: Sequence[ShardRow]) -> dict[str, Any]:
    """The code of the shards. Where they were measured by trees in different states, nobody knows one: `unknown`."""
    sources = [dict(shard.source or {}) for shard in shards]
    states = {(source["commit"], source["dirty"], source["diff_sha256"]) for source in sources}
    finished = max(shard.finished for shard in shards if shard.finished is not None)
    one = len(states) == 1
    return {
        "commit": sources[0]["commit"],
        "dirty": sources[0]["dirty"] if one else "unknown",
        "diff_sha256": sources[0]["diff_sha256"] if one else None,
        "instrument_source_sha256": _all_of(source["instrument_source_sha256"] for source in sources),
        "packages": {
            name: _all_of(source["packages"][name] for source in sources if name in source["packages"])
            for name in sorted({name for source in sources for name in source["packages"]})
        },
        "platform": _all_of(source["platform"] for source in sources),
        "started": format_time(run.opened or finished),
        "finished": format_time(finished),
    }


def _cost(shards: Sequence[ShardRow], facts: list[dict[str, Any]]) -> dict[str, float]:
    """Forwards of one text each, seconds of all shards together, bytes of the largest, leases taken."""
    spent = [shard.finished - shard.started for shard in shards if shard.finished and shard.started]
    return {
        "forwards": float(sum(fact["forwards"] for fact in facts)),
        "seconds": sum(time.total_seconds() for time in spent),
        "peak_memory_bytes": float(max(fact["peak_memory_bytes"] for fact in facts)),
        "attempts": float(sum(shard.attempts for shard in shards)),
    }


def _all_of(words: Iterable[str]) -> str:
    """The word that all agree on, or every one that was said."""
    return ", ".join(sorted(set(words)))
