"""A published result of others, schema `antedate.import/1`: its only definition, and the reading of it.

Nobody measured it here: it stands on the word of whoever imports it, its precedence is `attested`, and no verdict is
computed from it. What it says of a prediction, of code and of outcomes is what the source says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from claims.canonical import canonical_bytes, sha256_hex
from claims.flaws import Flaw, pointer
from claims.provenance import Dirty
from claims.registration.model import Prose, Sentence, Title
from claims.registration.reading import refusal
from claims.shape import flaws_of_shape
from claims.strict_json import decode, parse, settle

SCHEMA = "antedate.import/1"
# `reported` is a number that nobody predicted.
Outcome = Literal["confirmed", "refuted", "inconclusive", "reported"]


def _a_day(text: str) -> str:
    """`text`, where what is missing of a day (its month, its day of the month) could be anything."""
    date.fromisoformat(text + "-01-01"[len(text) - len("2026") :])
    return text


RecordId = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]{12,20}$"),
    Field(description="the id of an imported record of this ledger"),
]
Metric = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)?$", max_length=128),
    Field(description="a name such as `mean_rho`, or one of a dimension, such as `rho.safety`"),
]
Commit = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f]{40}$"), Field(description="a commit as 40 lower-case hex digits")
]
Url = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[!-~]+$", max_length=2000),
    Field(description="an address that begins with http:// or https://, its other characters escaped"),
]
Published = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"),
    AfterValidator(_a_day),
    Field(description='a day, a month or a year that there is, in quotes: "2026-05-06", "2026-05" or "2026"'),
]
Level = Annotated[float, Field(gt=0, lt=1, description="a confidence level between 0 and 1, such as 0.95")]
Tolerance = Annotated[float, Field(gt=0)]


class RecordPart(BaseModel):
    """Every part of a record: unknown keys refused, nothing coerced, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class PublishedSubject(RecordPart):
    """What was measured, as the source calls it; the ledger does not know these names."""

    model: Title
    dataset: Title | None = None


class Source(RecordPart):
    """What was published where. The address is shown, never fetched."""

    title: Title
    version: Title | None = None
    url: Url | None = None
    published: Published | None = None


class PublishedCode(RecordPart):
    """The code that measured, as the source names it; without a commit nothing is known of its tree either."""

    commit: Commit | None
    dirty: Dirty


class SupersededValue(RecordPart):
    """A value that was published for the same figure before, where, and why it no longer stands."""

    value: float
    published_in: Title
    cause: Sentence


class Figure(RecordPart):
    """A published number. `lo` and `hi` are its interval at `level`, as far as the source states them."""

    metric: Metric
    value: float
    lo: float | None = None
    hi: float | None = None
    level: Level | None = None
    tolerance: Tolerance | None = None
    unit: Title | None = None
    note: Sentence | None = None
    superseded: Annotated[list[SupersededValue], Field(max_length=20)] = []


class Replacement(RecordPart):
    """The imported record that this one replaces, by the same registrant."""

    record: RecordId
    reason: Sentence


class Record(RecordPart):
    """One published result."""

    schema_: Annotated[Literal["antedate.import/1"], Field(alias="schema")]
    title: Title
    statement: Sentence
    subject: PublishedSubject
    instrument: Title | None = None
    source: Source
    code: PublishedCode
    frozen_before_data: bool | None
    outcome: Outcome
    figures: Annotated[list[Figure], Field(min_length=1, max_length=200)]
    limits: Annotated[list[Sentence], Field(max_length=100)] = []
    notes: Prose = ""
    replaces: Replacement | None = None


@dataclass(frozen=True)
class ReadRecord:
    """A record that can be imported: as read, as models, its RFC 8785 bytes and their SHA-256 in hex."""

    document: dict[str, Any]
    record: Record
    canonical: bytes
    sha256: str


def read_record(body: bytes) -> ReadRecord:
    """The record in a JSON text; raises `RefusedInputError` with every flaw that can be told at once."""
    document, flaws = settle(parse(decode(body)))
    try:
        record = Record.model_validate(document)
    except ValidationError as error:
        told = {flaw.pointer for flaw in flaws}
        flaws += [flaw for flaw in flaws_of_shape(error, Record) if flaw.pointer not in told]
        raise refusal(flaws, document) from error
    flaws += _flaws_in(record)
    if flaws:
        raise refusal(flaws, document)
    canonical = canonical_bytes(document)
    return ReadRecord(document, record, canonical, sha256_hex(canonical))


def _flaws_in(record: Record) -> Iterator[Flaw]:
    """What contradicts itself in a record of the right shape."""
    if record.code.commit is None and record.code.dirty != "unknown":
        detail = f"without a commit the tree is said to be {record.code.dirty}"
        yield Flaw(pointer("code", "dirty"), "not_allowed", detail, "Use unknown, or name the commit.")
    if record.outcome == "reported" and record.frozen_before_data:
        detail = "a number that nobody predicted is said to have been frozen before the data"
        remedy = "Use confirmed, refuted or inconclusive for what was predicted; else write false or null here."
        yield Flaw(pointer("frozen_before_data"), "not_predicted", detail, remedy)
    seen: set[str] = set()
    for index, figure in enumerate(record.figures):
        yield from _flaws_of_figure(figure, pointer("figures", index))
        if figure.metric in seen:
            remedy = "Give each figure a metric of its own; a value that was replaced stands under `superseded`."
            detail = f"{figure.metric} stands above already"
            yield Flaw(pointer("figures", index, "metric"), "duplicate_id", detail, remedy)
        seen.add(figure.metric)


def _flaws_of_figure(figure: Figure, at: str) -> Iterator[Flaw]:
    for end, other in (("lo", "hi"), ("hi", "lo")):
        if getattr(figure, end) is None and getattr(figure, other) is not None:
            detail = f"the interval has a “{other}” and no “{end}”"
            yield Flaw(at, "missing_key", detail, f"Add “{end}”, or leave “{other}” out.")
    if figure.level is not None and figure.lo is None and figure.hi is None:
        yield Flaw(at, "missing_key", "a level stands without its interval", "Add “lo” and “hi”, or leave “level” out.")
    if figure.lo is not None and figure.hi is not None and figure.lo > figure.hi:
        detail = f"the interval runs from {figure.lo} down to {figure.hi}"
        yield Flaw(at + pointer("lo"), "reversed_band", detail, "Put the lower end under “lo”.")
