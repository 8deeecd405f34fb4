"""`antedate lint`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.errors import BadInputError
from app.cli.local import connect
from app.cli.options import AsJson, Key, Url
from app.cli.output import print_json
from app.cli.quoted_records import Records, from_bundles, from_service
from claims.quoting import BadTag, Tag, compare, tags_in

LARGEST = 64 * 1024 * 1024
LATEX = {".tex", ".ltx", ".latex", ".sty", ".cls"}
WRONG = 6


@dataclass(frozen=True)
class Linted:
    """A tag of a file and what became of it."""

    file: str
    tag: Tag | BadTag
    recorded: str | None
    flaws: tuple[str, ...]

    @property
    def place(self) -> str:
        return f"{self.file}:{self.tag.line}:{self.tag.column}"


def lint(
    *,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Papers, READMEs: Markdown, LaTeX, HTML, RST, plain text.")
    ],
    bundles: Annotated[
        Path | None,
        typer.Option(help="A directory of claims' bundles to compare with in place of a service; nothing is sent."),
    ] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Check that the numbers a text quotes are what the ledger holds.

    A tag, [[claim:ID metric=NAME]], binds the number just before it; docs/lint.md tells the rest. Ends with code 6 when
    a number has drifted, a record is unknown, or one that does not stand is quoted as if it did.
    """
    found = [(str(file), tag) for file in files for tag in tags_in(read_text(file), latex=_is_latex(file))]
    linted = _linted(found, from_bundles(bundles)) if bundles is not None else _against_service(found, url, key)
    wrong = sum(bool(each.flaws) for each in linted)
    if as_json:
        print_json({"tags": [_as_object(each) for each in linted], "files": len(files), "wrong": wrong})
    else:
        _print(linted, [str(file) for file in files], wrong)
    raise typer.Exit(WRONG if wrong else 0)


def _is_latex(file: Path) -> bool:
    return file.suffix.lower() in LATEX


def _against_service(found: Sequence[tuple[str, Tag | BadTag]], url: str | None, key: str | None) -> list[Linted]:
    """Nothing is asked of a service where there is nothing to compare."""
    if not any(isinstance(tag, Tag) for _, tag in found):
        return _linted(found, lambda _kind, _id: None)
    with connect(url, key) as service:
        return _linted(found, from_service(service))


def _linted(found: Sequence[tuple[str, Tag | BadTag]], records: Records) -> list[Linted]:
    linted = []
    for file, tag in found:
        if isinstance(tag, BadTag):
            linted.append(Linted(file, tag, None, (tag.detail,)))
        else:
            finding = compare(tag, records(tag.kind, tag.id))
            linted.append(Linted(file, tag, finding.recorded, finding.flaws))
    return linted


def _print(linted: Sequence[Linted], files: Sequence[str], wrong: int) -> None:
    for each in linted:
        if isinstance(each.tag, BadTag):
            typer.echo(f"{each.place}: FAILED: {'; '.join(each.flaws)}")
        else:
            quoted = f"{each.tag.quoted.text} of {each.tag.kind} {each.tag.id}"
            state = f"FAILED: {'; '.join(each.flaws)}" if each.flaws else "ok"
            typer.echo(f"{each.place}: {state} [{quoted}; recorded: {each.recorded}]")
    tagged = {each.file for each in linted}
    for file in files:
        if file not in tagged:
            typer.echo(f"{file}: no tags")
    told = f"{_count(len(linted), 'tag')} in {_count(len(files), 'file')}"
    typer.echo(f"{told}: {len(linted) - wrong} right, {wrong} wrong")


def _count(number: int, of: str) -> str:
    return f"{number} {of}{'s' * (number != 1)}"


def _as_object(each: Linted) -> dict[str, Any]:
    """The tag for --json; one that cannot be read quotes nothing."""
    tag = each.tag
    quoted = (
        {}
        if isinstance(tag, BadTag)
        else {"kind": tag.kind, "id": tag.id, "metric": tag.metric, "field": tag.field, "quoted": tag.quoted.text}
    )
    place = {"file": each.file, "line": tag.line, "column": tag.column}
    return {**place, **quoted, "recorded": each.recorded, "right": not each.flaws, "flaws": list(each.flaws)}


def read_text(file: Path) -> str:
    """The file's text; raises BadInputError for what cannot be read, is too large, or is no text."""
    try:
        with file.open("rb") as opened:
            body = opened.read(LARGEST + 1)
    except OSError as error:
        raise BadInputError(f"cannot read {file}: {error.strerror or error}.") from error
    if len(body) > LARGEST:
        raise BadInputError(f"{file} is larger than {LARGEST // 1024**2} MiB: lint the texts that it is made from.")
    if b"\x00" in body:
        raise BadInputError(f"{file} is no text: it holds zero bytes. Lint the source that it is made from.")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{file} is not UTF-8, from byte {error.start + 1} on: save it as UTF-8.") from error
