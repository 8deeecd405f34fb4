"""Imported records, put into words: what was published elsewhere, plainly apart from what was measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.ledger.tables import ImportRow
from app.pages import words
from app.pages.claim.facts import Fact, commit, digest
from claims.imports import Figure, Record, Source

OUTCOMES: Mapping[str, str] = {
    "confirmed": "published as confirmed",
    "refuted": "published as refuted",
    "inconclusive": "published as inconclusive",
    "reported": "a number that nobody predicted",
}
FROZEN: Mapping[bool | None, str] = {
    True: "The source says that the prediction was frozen before the data.",
    False: "The source says that nothing was frozen before the data.",
    None: "The source does not say that anything was frozen before the data.",
}


@dataclass(frozen=True)
class FigureView:
    """A published number as it is shown; `exact` has every digit of what was imported."""

    metric: str
    value: str
    exact: str
    interval: str
    level: float | None
    tolerance: str
    unit: str
    note: str


@dataclass(frozen=True)
class Before:
    """A value that was published before, and how far the one that stands now lies from it."""

    value: str
    exact: str
    published_in: str
    cause: str
    moved: str


@dataclass(frozen=True)
class Correction:
    figure: FigureView
    before: Sequence[Before]


@dataclass(frozen=True)
class RecordLine:
    """A record as a list shows it."""

    id: str
    title: str
    statement: str
    outcome: str
    model: str
    source: str
    code: str
    registrant: str
    imported: datetime
    replaced: bool
    first: FigureView
    before: Sequence[str]
    more: int


@dataclass(frozen=True)
class Other:
    """A record that this one replaces, or that replaces it, and why."""

    id: str
    title: str
    reason: str


@dataclass(frozen=True)
class RecordPage:
    """A record whole. `columns` are those of the table of figures in which anything stands.

    `replaces` and `superseded_by` are None where there is no such record.
    """

    line: RecordLine
    record: Record
    frozen: str
    corrections: Sequence[Correction]
    figures: Sequence[FigureView]
    columns: Sequence[str]
    measured: Sequence[Fact]
    entered: Sequence[Fact]
    replaces: Other | None
    superseded_by: Other | None
    document: str
    document_sha256: str


def record_line(row: ImportRow) -> RecordLine:
    record = Record.model_validate(row.record)
    first = record.figures[0]
    return RecordLine(
        id=row.id,
        title=record.title,
        statement=record.statement,
        outcome=OUTCOMES[record.outcome],
        model=record.subject.model,
        source=_source(record.source),
        code=_code(record).value,
        registrant=row.registrant,
        imported=row.imported,
        replaced=row.superseded_by is not None,
        first=_figure(first),
        before=[_shown(old.value) for old in first.superseded],
        more=len(record.figures) - 1,
    )


def record_page(row: ImportRow, older: ImportRow | None, newer: ImportRow | None) -> RecordPage:
    """The page of `row`, which replaces `older` and is replaced by `newer`."""
    record = Record.model_validate(row.record)
    figures = [_figure(figure) for figure in record.figures if not figure.superseded]
    return RecordPage(
        line=record_line(row),
        record=record,
        frozen=FROZEN[record.frozen_before_data],
        corrections=[_correction(figure) for figure in record.figures if figure.superseded],
        figures=figures,
        columns=[name for name in ("interval", "tolerance") if any(getattr(figure, name) for figure in figures)],
        measured=_measured(record),
        entered=_entered(row),
        replaces=_other(older, row),
        superseded_by=_other(newer, newer),
        document=row.document.decode(),
        document_sha256=row.document_sha256,
    )


def _other(other: ImportRow | None, replacing: ImportRow | None) -> Other | None:
    """`other` as it is named beside a record; `replacing` is the one of the two that says why."""
    if other is None or replacing is None:
        return None
    replaces = Record.model_validate(replacing.record).replaces
    return Other(other.id, other.title, replaces.reason if replaces else "")


def _measured(record: Record) -> list[Fact]:
    source, subject = record.source, record.subject
    facts = [
        Fact("Model", subject.model, note="as the source calls it; the ledger does not know it"),
        Fact("Dataset", subject.dataset or "not stated"),
        Fact("Instrument", record.instrument or "not stated"),
        _code(record),
        Fact("Published in", _source(source)),
        Fact("Published on", source.published or "not stated"),
    ]
    if source.url is not None:
        facts.append(Fact("Address", source.url, full=source.url, note="shown as it was given; not fetched"))
    return facts


def _code(record: Record) -> Fact:
    if record.code.commit is None:
        return Fact("Commit", "not stated")
    return commit("Commit", record.code.commit, record.code.dirty, "as the source names it")


def _entered(row: ImportRow) -> list[Fact]:
    return [
        Fact("On the word of", row.registrant),
        Fact("Imported", words.utc(row.imported), note=f"entry {row.seq} of the log"),
        Fact("Precedence", "attested", note="its dates and its outcome rest on somebody's word"),
        digest("Record", row.document_sha256, note="sha256 of its RFC 8785 bytes"),
    ]


def _source(source: Source) -> str:
    return source.title if source.version is None else f"{source.title} ({source.version})"


def _figure(figure: Figure) -> FigureView:
    return FigureView(
        metric=figure.metric,
        value=_shown(figure.value),
        exact=words.figure(figure.value),
        interval=words.interval(figure.lo, figure.hi) if figure.lo is not None and figure.hi is not None else "",
        level=figure.level,
        tolerance="" if figure.tolerance is None else words.figure(figure.tolerance),
        unit=figure.unit or "",
        note=figure.note or "",
    )


def _correction(figure: Figure) -> Correction:
    before = [
        Before(
            value=_shown(old.value),
            exact=words.figure(old.value),
            published_in=old.published_in,
            cause=old.cause,
            moved=_moved(abs(figure.value - old.value), figure.tolerance),
        )
        for old in figure.superseded
    ]
    return Correction(_figure(figure), before)


def _moved(distance: float, tolerance: float | None) -> str:
    """How far apart two published values lie, and what that is beside the stated tolerance."""
    apart = f"{words.number(distance)} apart"
    if tolerance is None:
        return f"{apart}; no tolerance is stated"
    beside = "within" if distance <= tolerance else "beyond"
    return f"{apart}, {beside} the stated tolerance of {words.figure(tolerance)}"


def _shown(value: float) -> str:
    """As it was written where that is short, else rounded; the exact value stands beside it."""
    return min(words.figure(value), words.number(value), key=len)
