"""From the shards of a run to its evidence: rows joined, estimated, and stated with where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from claims.canonical import sha256_hex
from claims.correction import controls_of
from claims.entries import format_time
from claims.evidence import SCHEMA, Estimated, Evidence, Refusal
from claims.instruments import catalogue
from claims.instruments.manifest import Manifest
from claims.instruments.params import completed
from claims.nondeterminism import named, nondeterminism
from claims.registration.model import LocalModel, PairsDataset, Registration
from claims.seeds import Seeds
from workers.row_file import RowFiles

UNKNOWN = "unknown"  # a model that was not measured
MEASURED = ("estimates", "diagnostics", "not_measured", "counts", "nondeterminism", "controls", "conformance", "cost")
TOKEN_LAYERS = ("token_layers", "token_layers_floor")


class InconsistentShardsError(ValueError):
    """Shards of one run do not speak of one subject, so no estimate over them means anything."""


@dataclass(frozen=True)
class MeasuredShard:
    """What is known of a shard besides its rows: its facts, the code that measured it, when, and in how many leases."""

    label: str
    facts: Mapping[str, Any]
    source: Mapping[str, Any]
    started: datetime
    finished: datetime
    attempts: int


def assemble(
    registration: Registration,
    seeds: Seeds,
    shards: Sequence[MeasuredShard],
    files: RowFiles,
    opened: datetime | None,
) -> Evidence:
    """The evidence of a run whose shards are all done; `files` hold their rows, joined in order.

    Raises `InconsistentShardsError`, `claims.nondeterminism.MisplacedCellError`, and whatever the instrument's
    `estimate` raises for rows that it cannot read.
    """
    instrument = catalogue()[registration.instrument.name]
    estimated = instrument.estimate(files.rows.rows(), registration, seeds)
    again = partial(instrument.estimate, registration=registration, seeds=seeds)
    twice = nondeterminism(estimated, files.rows.rows(), files.again.rows(), again)
    evidence = {
        "schema": SCHEMA,
        **_instrument(registration, instrument.MANIFEST),
        **estimated.model_dump(),
        "subject": _subject(registration, [shard.facts for shard in shards], estimated),
        "nondeterminism": named(files.again.sha256, twice),
        "controls": controls_of(registration, estimated.diagnostics),
        "conformance": _conformance(shards),
        "provenance": _provenance(shards, opened),
        "cost": _cost(shards),
        "rows_sha256": files.rows.sha256,
    }
    return Evidence.model_validate(evidence)


def refused(registration: Registration, refusal: Refusal, source: Mapping[str, Any]) -> Evidence:
    """The evidence of a measurement that was refused: what was asked, of which subject, by which code, and why not."""
    manifest = catalogue()[registration.instrument.name].MANIFEST
    now = format_time(datetime.now(UTC))
    model = {"weights_sha256": None, "dtype": UNKNOWN, "device": UNKNOWN, "attention": UNKNOWN}
    evidence = {
        "schema": SCHEMA,
        **_instrument(registration, manifest),
        "subject": {"model": model, "dataset": {"sha256": _frozen(registration)["pairs"], "n": 0}},
        **{part: {} for part in MEASURED},
        "provenance": {**source, "started": now, "finished": now},
        "rows_sha256": sha256_hex(b""),
        "refusal": refusal,
    }
    return Evidence.model_validate(evidence)


def _instrument(registration: Registration, manifest: Manifest) -> dict[str, Any]:
    params = completed(manifest.params, registration.instrument.params)
    return {
        "instrument": manifest.name,
        "version": manifest.version,
        "params": params,
        "access": list(manifest.access),
        "gauge": manifest.gauge_under(params),
    }


def _subject(registration: Registration, facts: Sequence[Mapping[str, Any]], estimated: Estimated) -> dict[str, Any]:
    frozen = _frozen(registration)
    return {
        "model": {
            "weights_sha256": _hash("weights", frozen["weights"], {fact["weights_sha256"] for fact in facts}),
            **{key: _all_of(fact[key] for fact in facts) for key in ("dtype", "device", "attention")},
        },
        "dataset": {
            "sha256": _hash("pairs", frozen["pairs"], {fact["dataset_sha256"] for fact in facts}),
            "n": estimated.counts["pairs"],
        },
    }


def _frozen(registration: Registration) -> dict[str, str | None]:
    """The hashes that the registration names."""
    model, dataset = registration.subject.model, registration.subject.dataset
    return {
        "weights": model.weights_sha256 if isinstance(model, LocalModel) else None,
        "pairs": dataset.sha256 if isinstance(dataset, PairsDataset) else None,
    }


def _hash(what: str, frozen: str | None, found: set[str | None]) -> str | None:
    """The hash of what every shard measured, or one that is not the frozen one: the verdict looks at just that."""
    others = found - {frozen}
    if frozen is not None and others:
        return min(others, key=str)
    if len(found) != 1:
        raise InconsistentShardsError(f"shards measured different {what}: {sorted(map(str, found))}")
    return next(iter(found))


def _conformance(shards: Sequence[MeasuredShard]) -> dict[str, Any]:
    """What the conformance gate measured: once where every shard has the same, else by shard."""
    measured = {shard.label: shard.facts["conformance"] for shard in shards}
    first = shards[0].facts["conformance"]
    return dict(first) if all(one == first for one in measured.values()) else measured


def _provenance(shards: Sequence[MeasuredShard], opened: datetime | None) -> dict[str, Any]:
    """The code of the shards. Where they were measured by trees in different states, nobody knows one: `unknown`."""
    sources = [shard.source for shard in shards]
    states = {(source["commit"], source["dirty"], source["diff_sha256"]) for source in sources}
    finished = max(shard.finished for shard in shards)
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
        "started": format_time(opened or finished),
        "finished": format_time(finished),
    }


def _cost(shards: Sequence[MeasuredShard]) -> dict[str, float]:
    """Forwards of one text each, seconds of all shards together, bytes of the largest, leases taken.

    Token-layers, and the fewest that these measurements need, where the instrument counted them in every shard.
    """
    facts = [shard.facts for shard in shards]
    counted = [name for name in TOKEN_LAYERS if all(name in fact for fact in facts)]
    return {
        "forwards": float(sum(fact["forwards"] for fact in facts)),
        **{name: float(sum(fact[name] for fact in facts)) for name in counted},
        "seconds": sum((shard.finished - shard.started).total_seconds() for shard in shards),
        "peak_memory_bytes": float(max(fact["peak_memory_bytes"] for fact in facts)),
        "attempts": float(sum(shard.attempts for shard in shards)),
    }


def _all_of(words: Iterable[str]) -> str:
    """The word that all agree on, or every one that was said."""
    return ", ".join(sorted(set(words)))
