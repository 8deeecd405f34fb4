"""Whether what is assumed of a metric can be true of it at all."""

from __future__ import annotations

from collections.abc import Iterator

from claims.flaws import Flaw, pointer
from claims.instruments.manifest import Manifest
from claims.registration.model import Registration


def flaws_of_assumptions(registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    """Values beyond the range that the metric has in this registration; what cannot be named is found elsewhere."""
    for name, assumption in registration.assumptions.items():
        metric = manifest.metric(name)
        if metric is None:
            continue
        possible = metric.within(registration)
        if not possible.low <= assumption.value <= possible.high:
            detail = f"{name} lies in [{possible.low:g}, {possible.high:g}]: it cannot be {assumption.value:g}"
            remedy = "State the value that is expected, in the metric's own unit."
            yield Flaw(pointer("assumptions", name, "value"), "impossible_assumption", detail, remedy)
