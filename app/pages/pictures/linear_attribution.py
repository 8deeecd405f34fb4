"""The pictures of `direct_linear_attribution`: what every component adds to the margin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.pages.pictures.components import ComponentValue, Quantity, pictures
from app.pages.pictures.estimates import level_said, value_cell
from app.pages.pictures.pictured import Pictured
from claims.evidence import Evidence
from claims.instruments.differentials import AttributionRows
from claims.instruments.manifest import Row
from claims.instruments.ratios import Ratios
from claims.registration.model import Registration

DIFFERENTIAL = Quantity(
    name="mean differential",
    says=(
        "Right of zero, a component speaks for chosen at the readout; left of zero, for rejected. That is where the "
        "reward is read from: what a component does through later ones counts as theirs."
    ),
    columns=("Mean differential", "Interval", "Share of all |differential|"),
)


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """Estimates of the evidence where they are; else the mean of the rows, without an interval."""
    del registration
    attributed = AttributionRows()
    for row in rows:
        if row["kind"] == "attribution":
            attributed.add(row)
    laid = attributed.differentials()
    means = Ratios.means(laid.values, laid.clusters).values if laid.pairs else ()
    found = [
        ComponentValue(
            name,
            float(mean),
            evidence.estimates.get(f"mean_differential.{name}"),
            cells=[value_cell(evidence, f"share.{name}")],
        )
        for name, mean in zip(laid.components, means, strict=True)
    ]
    return pictures(found, DIFFERENTIAL, level_said(evidence))
