"""A picture with the words and the table that go with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.pages.charts.theme import Picture
from claims.evidence import Evidence
from claims.instruments.manifest import Row
from claims.registration.model import Registration

MOST_ROWS = 2000  # of a table in a page; beyond, the file of rows serves better


@dataclass(frozen=True)
class Choice:
    """One of several drawings, of which a reader opens one."""

    name: str
    drawn: Picture


@dataclass(frozen=True)
class Pictured:
    """`says` tells what to look for, `caption` what is drawn: `drawn`, or one of `choices` at a time.

    `columns` and `rows` hold the same as a table, whose first `names` columns are words and the others numbers.
    `marks` are names that a reader may have marked in every drawing of the page where a hint begins with one, and a
    colon.
    """

    title: str
    says: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    drawn: Picture | None = None
    choices: Sequence[Choice] = ()
    marks: Sequence[str] = ()
    names: int = 1


Drawing = Callable[[Iterable[Row], Registration, Evidence], Sequence[Pictured]]
