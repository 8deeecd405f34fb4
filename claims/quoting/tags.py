"""Tags in papers and READMEs that bind a quoted number to what the ledger holds: `[[claim:ID metric=NAME …]]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from claims.quoting.members import KEYS, Field, TagError, read_members
from claims.quoting.rounding import AsWritten, Rule, Written
from claims.quoting.visible import number_before

Kind = Literal["claim", "import"]

# Whatever looks like a tag is one: a misspelt tag that was passed over would bind nothing, and nobody would know.
_OPENING = re.compile(r"\[\[\s*(?:claim|import)s?\s*[:=]", re.IGNORECASE)
_HEAD = re.compile(r"\[\[(claim|import):([a-z0-9]{12,20})(?=[\s\]]|$)")


@dataclass(frozen=True)
class Tag:
    """A quotation at `line` and `column`, from 1. `statuses` is None where the record is quoted as standing."""

    line: int
    column: int
    kind: Kind
    id: str
    metric: str
    field: Field
    quoted: Written
    rule: Rule
    percent: bool
    negated: bool
    statuses: frozenset[str] | None

    @property
    def value(self) -> Decimal:
        return self.quoted.value


@dataclass(frozen=True)
class BadTag:
    """What looks like a tag and cannot be read: where, what is wrong, what to do."""

    line: int
    column: int
    detail: str


def tags_in(text: str, *, latex: bool = False) -> Iterator[Tag | BadTag]:
    """Every tag of a text, in order. In `latex`, a percent sign without a backslash begins a comment.

    A tag stands on one line: `[[claim:ID key=value …]]` or `[[import:ID …]]`, with the keys of `KEYS`.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        for opening in _OPENING.finditer(line):
            try:
                yield _tag(line.rstrip("\r"), opening.start(), number, latex=latex)
            except TagError as error:
                yield BadTag(number, error.at + 1, str(error))


def _tag(line: str, start: int, number: int, *, latex: bool) -> Tag:
    head = _HEAD.match(line, start)
    if head is None:
        raise TagError(start, "a tag begins [[claim:ID or [[import:ID, with the id of the record: 12 to 20 of a-z, 0-9")
    end = line.find("]]", head.end())
    if end < 0:
        raise TagError(start, "the tag is not closed: write ]] at its end, on the same line")
    given = read_members(line, head.end(), end)
    if "metric" not in given:
        raise TagError(start, f"the tag lacks metric=…: {KEYS['metric']}")
    quoted = given["value"] if "value" in given else number_before(line, start, latex=latex)
    unit = given.get("as", frozenset())
    return Tag(
        line=number,
        column=start + 1,
        kind="claim" if head[1] == "claim" else "import",
        id=head[2],
        metric=given["metric"],
        field=given.get("field", "estimate"),
        quoted=quoted,
        rule=given.get("round") or given.get("tol") or AsWritten(),
        percent=quoted.percent or "percent" in unit,
        negated="negated" in unit,
        statuses=given.get("status"),
    )
