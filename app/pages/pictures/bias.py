"""The pictures of `bias_battery`: each axis's effect size, and its mean with and without length, as estimated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.pages import words
from app.pages.charts.intervals import Measured, Scale, intervals
from app.pages.pictures.estimates import both_cells, diagnostic_cell, level_said, measured, members
from app.pages.pictures.pictured import Pictured
from claims.evidence import Evidence
from claims.instruments.manifest import Row
from claims.registration.model import Registration

LENGTH = "length"
HOLLOW = " Hollow: too few clusters for an interval, or none that holds."
PAIRED = (("mean_delta", False), ("length_adjusted_delta", True))


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """No row is read: the evidence has an estimate, or a value without an interval, for all that is drawn."""
    del rows, registration
    axes = members(evidence, "effect_size", "mean_delta", "length_adjusted_delta")
    sizes = _sizes(evidence, axes)
    deltas = [
        one for axis in axes for metric, second in PAIRED for one in _drawn(evidence, axis, metric, second=second)
    ]
    return [
        *([_forest(sizes, evidence, axes)] if sizes else []),
        *([_at_equal_length(deltas, evidence, axes)] if deltas else []),
    ]


def _sizes(evidence: Evidence, axes: Sequence[str]) -> list[Measured]:
    """Every axis's effect size, and last what a standard deviation of length does."""
    named = [*((axis, f"effect_size.{axis}") for axis in axes), (LENGTH, "length_effect_size")]
    found = [_measured(evidence, name, metric) for name, metric in named]
    return [one for one in found if one]


def _drawn(evidence: Evidence, axis: str, metric: str, *, second: bool) -> list[Measured]:
    one = _measured(evidence, axis, f"{metric}.{axis}", second=second)
    return [one] if one else []


def _measured(evidence: Evidence, name: str, metric: str, *, second: bool | None = None) -> Measured | None:
    """The estimate, else the value that the instrument gives without an interval, else None."""
    if (one := evidence.estimates.get(metric)) is not None:
        return measured(name, one, second=one.value < 0 if second is None else second)
    if (value := evidence.diagnostics.get(f"point_{metric}")) is None:
        return None
    hint = f"{name}: {words.number(value)}, without an interval"
    return Measured(name, value, None, None, hint, value < 0 if second is None else second)


def _forest(found: Sequence[Measured], evidence: Evidence, axes: Sequence[str]) -> Pictured:
    said = ", ".join(one.hint for one in found)
    hollow = HOLLOW if any(one.lo is None for one in found) else ""
    return Pictured(
        title="Effect size by axis",
        says=(
            "How far the model prefers chosen to rejected on each axis, in standard deviations over its pairs. What "
            "that preference is for, the pairs of the axis tell; length is an axis of its own."
        ),
        drawn=intervals(found, Scale("effect size, Hedges' g"), f"Forest plot of effect sizes. {said}."),
        caption=(
            f"Mark: Hedges' g; for length, the reward of one standard deviation of tokens over the residual's. Bar: "
            f"interval, {level_said(evidence)}. Line: no effect.{hollow}"
        ),
        columns=("Axis", "Effect size", "Interval", "Cohen's d", "Effective n", "Sign test p"),
        rows=[_row(evidence, axis) for axis in axes]
        + [[LENGTH, *both_cells(evidence, "length_effect_size"), *[words.NOTHING] * 3]],
    )


def _row(evidence: Evidence, axis: str) -> list[str]:
    diagnosed = (diagnostic_cell(evidence, f"{name}.{axis}") for name in ("cohens_d", "n_effective", "sign_test_p"))
    return [axis, *both_cells(evidence, f"effect_size.{axis}"), *diagnosed]


def _at_equal_length(found: Sequence[Measured], evidence: Evidence, axes: Sequence[str]) -> Pictured:
    said = ", ".join(f"{one.hint} {'at equal length' if one.second else 'as it is'}" for one in found)
    hollow = HOLLOW if any(one.lo is None for one in found) else ""
    return Pictured(
        title="How much of it is length",
        says="Where both marks of an axis lie together, length does not explain it; where they part, it does in part.",
        drawn=intervals(found, Scale("mean difference, in reward"), f"Mean difference of each axis: {said}."),
        caption=(
            "Circle: mean of the reward of chosen less that of rejected. Diamond: the same where both texts are "
            "equally long, by least squares on the difference in tokens. Bar: interval, "
            f"{level_said(evidence)}.{hollow}"
        ),
        columns=("Axis", "Mean difference", "Interval", "At equal length", "Interval", "Mean difference in tokens"),
        rows=[
            [
                axis,
                *both_cells(evidence, f"mean_delta.{axis}"),
                *both_cells(evidence, f"length_adjusted_delta.{axis}"),
                diagnostic_cell(evidence, f"mean_length_delta.{axis}"),
            ]
            for axis in axes
        ],
    )
