"""The pictures of `lens_crystallization`: the mean running margin, over all pairs and by dimension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from app.pages import words
from app.pages.charts.lens import Curve, curve, curves
from app.pages.pictures.estimates import both_cells
from app.pages.pictures.pictured import MOST_ROWS, Pictured
from claims.evidence import Evidence
from claims.instruments.answers import NO_SPREAD
from claims.instruments.lens_crystallization import MANIFEST
from claims.instruments.lens_curves import Curves, LensRows, first_crossing
from claims.instruments.manifest import Row
from claims.instruments.ratios import Ratios
from claims.registration.model import IntervalMethod, Registration

# A band is the interval of a mean margin at every layer, and so holds from where that of final_margin does.
METHOD: IntervalMethod = "jackknife_t"
AT_THE_END = "final_margin"


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """The curve of all pairs, then one of each dimension where there are several."""
    lens = LensRows()
    for row in rows:
        if row["kind"] == "lens":
            lens.add(row)
    laid = lens.curves()
    if not laid.pairs:
        return []
    dimensions = sorted(set(laid.dimensions))
    whole = _curve("all pairs", "", laid, registration.level, evidence)
    parts = [_curve(name, f".{name}", laid.of(name), registration.level, evidence) for name in dimensions]
    return [_whole(whole, registration), *([_parts(parts, registration, evidence)] if len(parts) > 1 else [])]


@dataclass(frozen=True)
class Banded(Curve):
    """`no_band` says why there is no band; it is empty where there is one."""

    no_band: str = ""


def _curve(name: str, suffix: str, laid: Curves, level: float, evidence: Evidence) -> Banded:
    """The instrument's own estimate of the crossing where there is one; else that of the mean curve, without bounds."""
    means, few = Ratios.means(laid.margin, laid.clusters), _too_few(len(set(laid.clusters)))
    ends = np.full((laid.layers + 1, 2), np.nan) if few else means.bounds(level)
    lo, hi = ([None if np.isnan(end) else float(end) for end in column] for column in ends.T)
    estimate = evidence.estimates.get(f"crystallization_layer{suffix}")
    return Banded(
        name=name,
        mean=means.values.tolist(),
        lo=lo,
        hi=hi,
        crossing=int(estimate.value) if estimate else first_crossing(means.values),
        first=int(estimate.lo) if estimate else None,
        last=int(estimate.hi) if estimate else None,
        no_band=few or (NO_SPREAD if np.isnan(ends).all() else ""),
    )


def _too_few(clusters: int) -> str:
    """Why so many clusters are too few for a band; nothing where they are enough."""
    fewest = MANIFEST.fewest(METHOD, AT_THE_END)
    if fewest is not None and clusters >= fewest:
        return ""
    return f"a jackknife-t interval of a mean margin holds from {fewest or 'no number of'} independent clusters"


def _bands_said(found: Sequence[Banded], registration: Registration) -> str:
    """What the bands are, and which curves have none, and why."""
    without: dict[str, list[str]] = {}
    for one in found:
        without.setdefault(one.no_band, []).append(one.name)
    with_band = without.pop("", [])
    said = [f"No band for {', '.join(names)}: {why}." for why, names in without.items()]
    if with_band:
        same = f", as that of {AT_THE_END} is" if registration.analysis.interval == METHOD else ""
        level = words.percent(registration.level)
        said.insert(0, f"Band: jackknife-t interval over clusters, layer by layer, {level}{same}.")
    return " ".join(said)


def _whole(found: Banded, registration: Registration) -> Pictured:
    final, said = words.number(found.mean[-1]), _crossing_said(found)
    bounded = found.first is not None and found.first != found.last
    return Pictured(
        title="The running margin, layer by layer",
        says=(
            "What the readout would give chosen above rejected if the model ended there. It has crystallized where it "
            "first reaches half of its final value (dashed), with the final sign; it may fall below it again."
        ),
        drawn=curve(
            found,
            f"Mean running margin over {len(found.mean)} places, from {words.number(found.mean[0])} after the "
            f"embedding to {final} after the last layer; {said}.",
        ),
        caption=" ".join(
            [
                f"Diamond: {said}.",
                *([f"Shaded: the layers between which that surely is, {found.first} to {found.last}."] * bounded),
                _bands_said([found], registration),
            ]
        ),
        columns=("Layer", "Mean margin", "Interval"),
        rows=[_row(found, place) for place in range(min(len(found.mean), MOST_ROWS))],
    )


def _crossing_said(found: Curve) -> str:
    if found.crossing is None:
        return "the final mean margin is 0, so that there is no half to reach"
    where = "the embedding" if found.crossing < 0 else f"layer {found.crossing}"
    bounds = "" if found.first is not None else ", which the instrument did not find certain enough to estimate"
    return f"first at half of it after {where}{bounds}"


def _row(found: Curve, place: int) -> list[str]:
    lo, hi = found.lo[place], found.hi[place]
    spread = words.NOTHING if lo is None or hi is None else words.interval(lo, hi)
    return ["embedding" if place == 0 else str(place - 1), words.number(found.mean[place]), spread]


def _parts(found: Sequence[Banded], registration: Registration, evidence: Evidence) -> Pictured:
    said = "; ".join(f"{one.name}: {_crossing_said(one)}" for one in found)
    return Pictured(
        title="The running margin by dimension",
        says="The same for the pairs of each dimension. Where a band covers zero throughout, little is known.",
        drawn=curves(found, f"Mean running margin over {len(found[0].mean)} places, one panel a dimension. {said}."),
        caption=(
            "Across: layer, from \u22121, the embedding. Up: mean margin, in reward, each panel on its own scale. "
            f"{_bands_said(found, registration)}"
        ),
        columns=(
            "Dimension",
            "Crystallization layer",
            "Interval",
            "Median over pairs",
            "Interval",
            "Final margin",
            "Interval",
        ),
        rows=[
            [
                one.name,
                *_layer_cells(evidence, f"crystallization_layer.{one.name}"),
                *_layer_cells(evidence, f"crystallization_layer_median.{one.name}"),
                *both_cells(evidence, f"final_margin.{one.name}"),
            ]
            for one in found
        ],
    )


def _layer_cells(evidence: Evidence, metric: str) -> list[str]:
    """Layers are whole numbers, and so are their bounds."""
    if (one := evidence.estimates.get(metric)) is None:
        return [words.NOTHING, words.NOTHING]
    return [words.figure(one.value), words.interval(one.lo, one.hi, decimals=0)]
