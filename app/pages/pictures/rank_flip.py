"""The rank flip of `attribution_patching_agreement`: every component's two ranks, one drawing a dimension."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from scipy.stats import rankdata

from app.pages import words
from app.pages.charts.flip import LABELLED, LINEAR, Flip, flip
from app.pages.charts.theme import Picture
from app.pages.pictures.pictured import MOST_ROWS, Choice, Pictured
from claims.evidence import Evidence
from claims.instruments.agreement_statistics import Ranked

MOST_LINES = 40  # in a drawing; where more were ranked, only the first of either method have a line
FIRST = 20


def rank_flip(ranked: Mapping[str, Ranked], evidence: Evidence) -> list[Pictured]:
    """One drawing for each dimension in which two components or more were ranked both ways."""
    flips = {name: found for name, one in ranked.items() if len(found := flips_of(one)) > 1}
    if not flips:
        return []
    choices = [Choice(_said(name, evidence), _drawing(name, found)) for name, found in flips.items()]
    lines = [(name, one) for name, found in flips.items() for one in found]
    most = max(map(len, flips.values()))
    return [
        Pictured(
            title="The rank flip",
            says=(
                "A line for each component, from its rank by attribution to its rank by patching. Level lines are "
                "agreement; where they cross, what the score is read from is not what it is caused by."
            ),
            choices=choices,
            marks=list(dict.fromkeys(one.component for _, one in lines)),
            caption=_caption(most, len(lines)),
            columns=("Dimension", "Component", "Rank by attribution", "Rank by patching"),
            rows=[_row(name, one) for name, one in lines] if len(lines) <= MOST_ROWS else (),
            names=2,
        )
    ]


def flips_of(ranked: Ranked) -> list[Flip]:
    """Both ranks of each component that was ranked both ways, in order of attribution; rank 1 has the largest value."""
    attribution, patching = ranked.values(ranked.everything())
    both = np.flatnonzero(~np.isnan(patching))
    ranks = (rankdata(-values[both]) for values in (attribution, patching))
    found = [
        Flip(ranked.grid.components[index], float(first), float(second))
        for index, first, second in zip(both, *ranks, strict=True)
    ]
    return sorted(found, key=lambda one: one.attribution)


def _drawing(dimension: str, found: list[Flip]) -> Picture:
    drawn = found if len(found) <= MOST_LINES else [one for one in found if min(one.attribution, one.patching) <= FIRST]
    by_patching = sorted(found, key=lambda one: one.patching)
    label = (
        f"Slope chart of {dimension}: {len(found)} components. First by attribution: {_ranks(found)}. First by "
        f"patching: {_ranks(by_patching)}."
    )
    return flip(drawn, len(found), label)


def _ranks(found: Iterable[Flip]) -> str:
    first = list(found)[:LABELLED]
    return ", ".join(
        f"{one.component} ({one.attribution:g} by attribution, {one.patching:g} by patching)" for one in first
    )


def _said(dimension: str, evidence: Evidence) -> str:
    rho = evidence.estimates.get(f"rho.{dimension}")
    return f"{dimension}, rho {words.number(rho.value)}" if rho else dimension


def _caption(most: int, lines: int) -> str:
    told = ["Solid blue: patching ranks it higher than attribution does. Amber: lower."]
    if most > LINEAR:
        told.append(f"The first ranks are drawn further apart, and the first {LABELLED} have names.")
    if most > MOST_LINES:
        told.append(f"Of up to {words.count(most)} components, those that either method ranks in its first {FIRST}.")
    if lines > MOST_ROWS:
        told.append(f"{words.count(lines)} ranks are too many for a table: they follow from the rows of the run.")
    return " ".join(told)


def _row(dimension: str, one: Flip) -> list[str]:
    return [dimension, one.component, f"{one.attribution:g}", f"{one.patching:g}"]
