"""Two measurements of one frozen document compared: whether the second is independent, and whether it agrees.

What is compared and what is not: docs/links.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal

from claims.evidence import Evidence
from claims.registration.model import Registration

Kind = Literal["reproduction", "rerun"]
KINDS: tuple[Kind, ...] = ("reproduction", "rerun")
NAMED = 5  # of what stands in full among the figures, a sentence names no more


@dataclass(frozen=True)
class Measured:
    """One of the two as judged. `machines` is empty where any of those that measured is unknown.

    `outcomes` are by hypothesis, `figures` the estimates and diagnostics by metric, in the metric's own unit.
    """

    registrant: str
    machines: frozenset[str]
    outcomes: Mapping[str, str]
    figures: Mapping[str, float]


@dataclass(frozen=True)
class Compared:
    """A metric in both. A figure that one of them lacks is None, and so is the difference; so is no tolerance."""

    metric: str
    original: float | None
    reproduction: float | None
    difference: float | None
    tolerance: float | None

    @property
    def agrees(self) -> bool:
        """Whether it speaks for agreement: without a tolerance, the outcome alone does."""
        return self.tolerance is None or (self.difference is not None and self.difference <= self.tolerance)


@dataclass(frozen=True)
class Comparison:
    """`kind` says whether it is independent, `agrees` whether the second found what the first did, `why` both."""

    kind: Kind
    agrees: bool
    why: str
    compared: tuple[Compared, ...]

    @property
    def figures(self) -> list[dict[str, Any]]:
        """What was compared, as it stands in the log."""
        return [asdict(one) for one in self.compared]


def figures_of(evidence: Evidence) -> dict[str, float]:
    """Every figure of the evidence that a registration may name, by metric."""
    return {**evidence.diagnostics, **{name: found.value for name, found in evidence.estimates.items()}}


def compare(registration: Registration, original: Measured, again: Measured) -> Comparison:
    """Compare two measurements of the registration, both judged and neither void.

    Independent is another registrant on other machines, all of them known. They agree when every primary hypothesis
    came out alike and every metric of `reproduction_tolerance` differs by at most what stands there.
    """
    kind, how = _kind(original, again)
    compared = tuple(_compared(registration, original, again))
    apart = _outcomes_apart(registration, original, again)
    agrees = not apart and all(one.agrees for one in compared)
    return Comparison(kind, agrees, " ".join([how, *_reasons(apart, compared)]), compared)


def _kind(original: Measured, again: Measured) -> tuple[Kind, str]:
    if original.registrant == again.registrant:
        return "rerun", "The same registrant filed both: a rerun."
    if not original.machines or not again.machines:
        return "rerun", "A machine that measured is unknown, so nothing shows independence: a rerun."
    if original.machines & again.machines:
        return "rerun", "Both were measured on the same machine, in whole or in part: a rerun."
    return "reproduction", "Another registrant, on other machines."


def _compared(registration: Registration, original: Measured, again: Measured) -> Iterable[Compared]:
    tolerances = registration.reproduction_tolerance
    for metric in sorted({*tolerances, *(hypothesis.metric for hypothesis in registration.primaries)}):
        first, second = original.figures.get(metric), again.figures.get(metric)
        yield Compared(metric, first, second, _difference(first, second), tolerances.get(metric))


def _difference(first: float | None, second: float | None) -> float | None:
    """None where there is none, or where it is beyond the largest number."""
    if first is None or second is None:
        return None
    difference = abs(first - second)
    return difference if isfinite(difference) else None


def _outcomes_apart(registration: Registration, original: Measured, again: Measured) -> list[str]:
    pairs = [(one.id, original.outcomes[one.id], again.outcomes[one.id]) for one in registration.primaries]
    return [f"{name} ({first}, then {second})" for name, first, second in pairs if first != second]


def _reasons(apart: Sequence[str], compared: Sequence[Compared]) -> list[str]:
    beyond = [one.metric for one in compared if not one.agrees and one.difference is not None]
    missing = [one.metric for one in compared if not one.agrees and one.difference is None]
    by_outcome = [one.metric for one in compared if one.tolerance is None]
    within = [one.metric for one in compared if one.tolerance is not None and one.agrees]
    told = [
        ("The outcome differs for", apart),
        ("Further apart than reproduction_tolerance allows:", beyond),
        ("Without a difference to compare:", missing),
        ("Within reproduction_tolerance:", within),
        ("Compared by outcome alone, as no tolerance is stated:", by_outcome),
    ]
    reasons = [f"{what} {_list(names)}." for what, names in told if names]
    return reasons if apart else ["Every primary outcome is the same.", *reasons]


def _list(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
