"""Evidence, schema `antedate.evidence/1`: the immutable result of one run."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = "antedate.evidence/1"


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Estimate(Record):
    """A metric's value with its equal-tailed interval [lo, hi] at `level`, in the metric's own unit.

    `unit` is the sampling unit, `n` how many of them, `n_effective` how many independent ones they amount to.
    A zero-width interval of a metric that is not exact is degenerate: `claims.verdict` voids it.
    """

    value: float
    lo: float
    hi: float
    level: float
    method: str
    unit: str
    n: int
    n_effective: float


class Estimated(Record):
    """What `estimate(rows, registration, seeds)` of an instrument returns: everything that follows from rows."""

    estimates: dict[str, Estimate]
    diagnostics: dict[str, float]
    not_measured: dict[str, str]
    counts: dict[str, int]


class MeasuredModel(Record):
    """`weights_sha256` is null for organisms, whose weights are made by the run from its seeds."""

    weights_sha256: str | None
    dtype: str
    device: str
    attention: str


class MeasuredDataset(Record):
    """`sha256` is null for a generated dataset, which exists only as its generator and the run's seeds."""

    sha256: str | None
    n: int


class MeasuredSubject(Record):
    model: MeasuredModel
    dataset: MeasuredDataset


class Refusal(Record):
    """An instrument's typed answer that it cannot measure this, with the remedy."""

    reason: str
    detail: str
    remedy: str


class Provenance(Record):
    commit: str
    dirty: Literal["clean", "dirty", "unknown"]
    diff_sha256: str | None
    instrument_source_sha256: str
    packages: dict[str, str]
    platform: str
    started: str
    finished: str


class Evidence(Record):
    """`rows_sha256` is the SHA-256 of the bytes of `rows.jsonl`; cost is in forwards, seconds and bytes."""

    schema_: Literal["antedate.evidence/1"] = Field(alias="schema")
    instrument: str
    version: str
    params: dict[str, Any]
    subject: MeasuredSubject
    access: list[str]
    estimates: dict[str, Estimate]
    diagnostics: dict[str, float]
    not_measured: dict[str, str]
    counts: dict[str, int]
    nondeterminism: dict[str, float]
    controls: dict[str, bool]
    conformance: dict[str, Any]
    gauge: Literal["invariant", "covariant", "raw_only"]
    provenance: Provenance
    cost: dict[str, float]
    rows_sha256: str
    refusal: Refusal | None = None
