"""The pictures of `patch_grid`: what patching every component does, and where it could do nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.pages import words
from app.pages.pictures.components import ComponentValue, Quantity, pictures
from app.pages.pictures.estimates import level_said, value_cell
from app.pages.pictures.pictured import Pictured
from claims.evidence import Evidence
from claims.instruments.grid import Patched, mean_of_joined, patched
from claims.instruments.manifest import Row
from claims.instruments.params import completed
from claims.instruments.patch_effects import why_never
from claims.instruments.patch_grid import PARAMS
from claims.registration.model import Registration

SAYS = {
    "noising": "Right of zero, giving the chosen run a component's output from the rejected run lowers its reward.",
    "denoising": "Right of zero, giving the rejected run a component's output from the chosen run raises its reward.",
    "both": "Right of zero, a component's output from the other run moves the reward towards that run, in the mean of "
    "both directions.",
}


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """Estimates of the evidence where they are; else the mean over the cells that could act, without an interval."""
    laid = patched(rows)
    if not laid.pairs:
        return []
    quantity = Quantity(
        name="mean effect",
        says=SAYS[completed(PARAMS, registration.instrument.params)["direction"]],
        columns=("Mean effect", "Interval", "Moves, of the mean margin", "Cells left out"),
    )
    return pictures(_values(laid, evidence), quantity, level_said(evidence))


def _values(laid: Patched, evidence: Evidence) -> list[ComponentValue]:
    means, acted = mean_of_joined(laid.effect, laid.joined), laid.joined.sum(axis=0)
    found = []
    for place, name in enumerate(laid.components):
        never = not acted[place]
        out = len(laid.pairs) - int(acted[place])
        found.append(
            ComponentValue(
                name,
                None if never else float(means[place]),
                evidence.estimates.get(f"mean_effect.{name}"),
                why_never(laid, place).replace("_", " ") if never else "",
                [value_cell(evidence, f"moves.{name}"), f"{words.count(out)} of {words.count(len(laid.pairs))}"],
            )
        )
    return found
