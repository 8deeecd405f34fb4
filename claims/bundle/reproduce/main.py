"""Checks the bundle around this file, and recomputes its figures.

It needs Python 3.10 or newer, and nothing else: no package, no network, no model. It exits with 0 when everything
agrees, with 1 when anything does not, which it names.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from claims.bundle.reproduce.checks import CHECKS, Check, head, key_of
from claims.bundle.reproduce.figures import Recompute, figures_of
from claims.bundle.reproduce.files import UNREADABLE, Files, MismatchError, in_folder, require
from claims.bundle.reproduce.record import SUMS, Record, names_of, read_record

GENERATOR = "1"
EXPECTED = "expected_output.txt"
KEY = "key           "
NOT_PINNED = "NOT CHECKED: it came with the bundle. Give the one you know by --vkey."
PINNED = "the one that you gave"
SPACE, DELETE, NO_BREAK = 0x20, 0x7F, 0xA0


class Report:
    """What is printed, and what is wrong."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.problems: list[str] = []

    def text(self) -> str:
        return "".join(visible(line) + "\n" for line in self.lines)

    def fail(self, *problems: str) -> None:
        for problem in problems:
            if problem not in self.problems:
                self.problems.append(problem)
                self.lines.append("MISMATCH  " + problem)


def visible(text: str) -> str:
    """Without characters that a terminal would obey."""
    return "".join(
        "?" if ord(character) < SPACE or DELETE <= ord(character) < NO_BREAK else character for character in text
    )


def examined(files: Files, recompute: Recompute | None) -> Report:
    """Everything but SHA256SUMS and the expected output, which the rest of the bundle gives."""
    report = Report()
    attempted(report, lambda: examine(report, files, recompute))
    return report


def examine(report: Report, files: Files, recompute: Recompute | None) -> None:
    record = read_record(files)
    report.lines += heading(files, record)
    for name, check in CHECKS:
        attempted(report, partial(say, report, name, check, files, record))
    report.lines += [KEY + NOT_PINNED, "", *outcome(record)]
    run_figures(report, files, record, recompute)


def say(report: Report, name: str, check: Check, files: Files, record: Record) -> None:
    report.lines.append(f"{name:<12}  {check(files, record)}")


def heading(files: Files, record: Record) -> list[str]:
    registration = files.json("registration.json")
    instrument = registration["instrument"]
    return [
        f"antedate bundle {GENERATOR}",
        "",
        f"claim       {record.claim}",
        f"title       {registration['title']}",
        f"document    sha256:{record.entries[0].payload['document_sha256']}",
        f"log         {head(files)[0]}, {head(files)[1]} entries",
        f"instrument  {instrument['name']} {instrument['version']}",
        "",
    ]


def outcome(record: Record) -> list[str]:
    """What the log says came of it, in the words of its last such entry."""
    last = record.last("adjudicated", "voided", "withdrawn")
    if last is None:
        opened = record.of_type("opened")
        return ["not judged yet: " + ("its run is open" if opened else "no run was opened")]
    if last.type == "adjudicated":
        corrections = len(record.of_type("corrected"))
        return [
            f"recorded verdict: {last.payload['status']}" + (f" (corrections: {corrections})" if corrections else "")
        ]
    if last.type == "voided":
        return [f"run {last.run} is void: {last.payload['reason']}"]
    return ["withdrawn before any run was opened"]


def run_figures(report: Report, files: Files, record: Record, recompute: Recompute | None) -> None:
    runs = [entry.run for entry in record.of_type("evidence_recorded")]
    if not runs:
        report.lines += ["", "nothing was measured, so there is nothing to recompute"]
    for run in runs:
        report.lines += ["", f"run {run}", ""]
        if recompute is None:
            report.lines.append("NOT RECOMPUTED: this bundle has no formulas for its instrument")
        else:
            attempted(report, partial(show_figures, report, files, record, run, recompute))


def show_figures(report: Report, files: Files, record: Record, run: str, recompute: Recompute) -> None:
    lines, problems = figures_of(files, record, run, recompute)
    report.lines += lines
    report.fail(*problems)


def check_sums(files: Files) -> None:
    """SHA256SUMS names every file of the bundle in its order, and each has that hash."""
    names = names_of(read_record(files), files)[:-1]
    wanted = files.text(SUMS).splitlines(keepends=True)
    require([line[66:] for line in wanted] == [name + "\n" for name in names], SUMS + ": it names other files")
    for name, line in zip(names, wanted, strict=True):
        require(line == f"{files.sha256(name)}  {name}\n", f"{name} is not the file that {SUMS} names")


def check_expected(files: Files, text: str) -> None:
    expected, found = files.text(EXPECTED).split("\n"), text.split("\n")
    for number, (one, other) in enumerate(zip(expected, found, strict=False), start=1):
        require(one == other, f"{EXPECTED} line {number}: {one!r} is expected, and {other!r} came out")
    require(len(expected) == len(found), f"{EXPECTED}: it has {len(expected)} lines, and {len(found)} came out")


def check_pin(files: Files, vkey: str) -> None:
    require(files.text("log.vkey").strip() == vkey.strip(), f"log.vkey is {key_of(files)}, not the key that you gave")


def attempted(report: Report, check: Callable[[], None]) -> bool:
    """Whether the check holds; if it does not, the report says so."""
    before = len(report.problems)
    try:
        check()
    except MismatchError as error:
        report.fail(str(error))
    except UNREADABLE as error:
        report.fail(f"the bundle cannot be read: {type(error).__name__} {error}")
    return len(report.problems) == before


def main(recompute: Recompute | None, arguments: Sequence[str] | None = None) -> int:
    """Prints the report, and on the error stream what is wrong; returns the exit status."""
    parser = argparse.ArgumentParser(description="Checks the bundle around this file, and recomputes its figures.")
    parser.add_argument("--vkey", help="the log's key as you know it; it is compared with the bundle's")
    vkey = parser.parse_args(arguments).vkey
    files = Files(in_folder(Path(__file__).resolve().parent))
    report = examined(files, recompute)
    text = report.text()
    attempted(report, lambda: check_sums(files))
    attempted(report, lambda: check_expected(files, text))
    if vkey is not None and attempted(report, lambda: check_pin(files, vkey)):
        report.lines = [KEY + PINNED if line == KEY + NOT_PINNED else line for line in report.lines]
    sys.stdout.buffer.write(report.text().encode())
    sys.stdout.flush()
    for problem in report.problems:
        sys.stderr.buffer.write(f"MISMATCH  {visible(problem)}\n".encode())
    return 1 if report.problems else 0
