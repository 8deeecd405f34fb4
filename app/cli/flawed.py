"""The flaws of what was refused, for people to read: many that say the same once, with every place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from claims.warned import FEW

WHOLE = "(the whole)"
SHORTEST = 3  # in a row: of two a range says no less than they do
_LAST_INDEX = re.compile(r"(.*/)(0|[1-9][0-9]*)((?:/.*)?)", re.DOTALL)


def flaw_lines(flaws: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line each, in their order: where, what, and what to do; one for many of a code that say the same, at the first.

    No place is left out: of those that differ in one index it is told as in `/hypotheses/0-3,7/metric`.
    """
    places: dict[tuple[str, ...], list[str]] = {}
    for flaw in flaws:
        places.setdefault(_said(flaw), []).append(flaw["pointer"])
    told: set[tuple[str, ...]] = set()
    for flaw in flaws:
        alike = places[_said(flaw)]
        if len(alike) <= FEW:
            yield _line(flaw["pointer"] or WHOLE, flaw)
        elif _said(flaw) not in told:
            told.add(_said(flaw))
            yield _line(f"{', '.join(_together(alike))} ({len(alike)} places)", flaw)


def _said(flaw: Mapping[str, Any]) -> tuple[str, ...]:
    return flaw["code"], flaw["detail"], flaw["remedy"]


def _line(where: str, flaw: Mapping[str, Any]) -> str:
    return f"  {where}: {str(flaw['detail']).removesuffix('.')}. {flaw['remedy']}"


def _together(pointers: Sequence[str]) -> Iterator[str]:
    """Those that differ in their last index alone as one, in the order of the first of each."""
    indices: dict[tuple[str, ...], list[int]] = {}
    around: tuple[str, ...]
    for pointer in pointers:
        found = _LAST_INDEX.fullmatch(pointer)
        around = (found[1], found[3]) if found else (pointer or WHOLE,)
        indices.setdefault(around, []).extend([int(found[2])] if found else [])
    for around, of_it in indices.items():
        yield ",".join(_ranges(of_it)).join(around)


def _ranges(indices: Sequence[int]) -> Iterator[str]:
    """`0-3` of 0, 1, 2, 3 in a row; two neighbours are told as they are."""
    breaks = [at + 1 for at, (one, other) in enumerate(pairwise(indices)) if other != one + 1]
    for start, end in pairwise([0, *breaks, len(indices)]):
        run = indices[start:end]
        yield from map(str, run) if len(run) < SHORTEST else [f"{run[0]}-{run[-1]}"]
