"""A picture with the words and the table that go with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.pages.charts.theme import Picture
from claims.evidence import Evidence
from claims.instruments.manifest import Row
from claims.registration.model import Registration


@dataclass(frozen=True)
class Pictured:
    """`says` tells what to look for, `caption` what is drawn.

    `columns` and `rows` hold the same as a table, whose first `names` columns are words and the others numbers.
    """

    title: str
    says: str
    drawn: Picture
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1


Drawing = Callable[[Iterable[Row], Registration, Evidence], Sequence[Pictured]]
