"""Every point estimate from the rows again, beside what the record says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from claims.bundle.reproduce.files import UNREADABLE, Files, MismatchError, parsed
from claims.bundle.reproduce.record import Record, rows_name

TOLERANCE = 1e-6
SMALLEST = 1e-6
NOISE, SMALL_FIGURE, LARGE_FIGURE = 1e-9, 1e-3, 1e6
COUNTED = (("pair_id", "pairs"), ("component", "components"), ("dimension", "dimensions"), ("organism", "organisms"))

Rows = Iterator[Mapping[str, Any]]
Recompute = Callable[[Rows, Mapping[str, Any]], dict[str, float]]


class Counted:
    """The rows of one run as they pass by, counted: how many, and how many different things they name."""

    def __init__(self, files: Files, run: str) -> None:
        self.files = files
        self.name = rows_name(run)
        self.rows = 0
        self.named: dict[str, set[Any]] = {field: set() for field, _ in COUNTED}

    def __iter__(self) -> Rows:
        for number, line in enumerate(self.files.lines(self.name), start=1):
            row = parsed(line, f"{self.name} line {number}")
            self.rows += 1
            for field, seen in self.named.items():
                if row.get(field) is not None:
                    seen.add(row[field])
            yield row

    def counts(self) -> list[tuple[str, int]]:
        return [("rows read", self.rows), *((word, len(self.named[field])) for field, word in COUNTED)]


def published(evidence: Mapping[str, Any]) -> dict[str, float]:
    """Every figure that rows must give again: the estimates, then the diagnostics."""
    estimates = {name: estimate["value"] for name, estimate in evidence["estimates"].items()}
    return {**estimates, **evidence["diagnostics"]}


def disagreement(recomputed: float, value: float) -> float:
    """How far apart they are, as a share of the recorded value; of SMALLEST where the value is smaller."""
    return abs(recomputed - value) / max(abs(value), SMALLEST)


def shown(value: float | None) -> str:
    """The same text on every platform: six decimals, a sign, and no zero but +0.000000, whatever rounding left."""
    if value is None:
        return "-"
    if abs(value) < NOISE:
        return "+0.000000"
    if not SMALL_FIGURE <= abs(value) < LARGE_FIGURE:
        return f"{value:+.6e}"
    return f"{value:+.6f}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their longest text, the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for first, *rest in rows:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def figures_of(files: Files, record: Record, run: str, recompute: Recompute) -> tuple[list[str], list[str]]:
    """The table of one run in lines, and what is wrong with it. The latest evidence is what is compared."""
    versions = [files.json(name) for name, entry in record.evidence() if entry.run == run]
    rows = Counted(files, run)
    try:
        found = recompute(iter(rows), files.json("registration.json"))
    except UNREADABLE as error:
        raise MismatchError(f"run {run}: its rows cannot be read, {type(error).__name__} {error}") from error
    lines = aligned([(word, str(count)) for word, count in rows.counts() if count])
    return [*lines, "", *compared(found, versions)], wrong(found, versions[-1], run)


def compared(found: Mapping[str, float], versions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each figure recomputed beside what was published last, and, where that was corrected, what was before."""
    *earlier, latest = [published(evidence) for evidence in versions]
    headings = ["metric", "recomputed", "published", *("before correction" for _ in earlier)]
    names = [*latest, *(name for name in found if name not in latest)]
    table = [[name, *(shown(each.get(name)) for each in (found, latest, *earlier))] for name in names]
    both = [disagreement(found[name], value) for name, value in latest.items() if name in found]
    largest = max(both, default=0.0)
    agreed = [
        ("largest disagreement with the record", f"{largest:.6f}  (tolerance {TOLERANCE:.6f} of the value)"),
        ("within tolerance", "yes" if largest <= TOLERANCE else "no"),
    ]
    width = max(len(words) for words, _ in agreed)
    return [*aligned([headings, *table]), "", *(f"{words.ljust(width)}  {answer}" for words, answer in agreed)]


def wrong(found: Mapping[str, float], evidence: Mapping[str, Any], run: str) -> list[str]:
    """What the rows give otherwise than the record says; a diagnostic need not be recomputed."""
    stated, problems = published(evidence), []
    for name, value in stated.items():
        if name not in found:
            if name in evidence["estimates"]:
                problems.append(f"run {run}: {name} is published, and the rows do not give it")
        elif not disagreement(found[name], value) <= TOLERANCE:
            problems.append(f"run {run}: {name} is {shown(found[name])} from the rows, published as {shown(value)}")
    unsaid = [name for name in found if name not in stated and name not in evidence["not_measured"]]
    return problems + [f"run {run}: {name} follows from the rows, and the record leaves it out" for name in unsaid]
