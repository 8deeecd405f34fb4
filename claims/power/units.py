"""How many independent units a hypothesis can count on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor

from claims.instruments.manifest import LARGEST, Manifest
from claims.registration.model import Control, KillCriterion, Registration


@dataclass(frozen=True)
class Units:
    """`n` of them, None where that is not known yet; at least `fewest` are needed, and at most `most` can be had."""

    n: int | None
    fewest: int
    most: int
    note: str = ""


def units_for(name: str, registration: Registration, manifest: Manifest, clusters: Mapping[str, int]) -> Units:
    """For the metric `name`; `clusters` holds, by metric, how many there are in the dataset.

    Of organisms, those that the kill criteria and controls ask for: the others may turn out not to obey their rule.
    """
    fewest = manifest.fewest(registration.analysis.interval, name) or 2
    if manifest.unit == "cluster":
        note = "" if name in clusters else "how many clusters the dataset has is known once it is on the ledger"
        return Units(clusters.get(name), fewest, LARGEST["pairs"], note)
    size = "organisms" if manifest.unit == "organism" else "pairs"
    stated, most = registration.sampling.sizes[size], manifest.largest.get(size, LARGEST[size])
    asked = max(_asked_for(registration, manifest, size), default=(0, ""))
    if not 0 < asked[0] < stated:
        return Units(stated, fewest, most)
    n = max(asked[0], min(fewest, stated))
    return Units(n, fewest, most, f"{n} of the {stated} {size}: as few as {asked[1]} lets pass")


def _asked_for(registration: Registration, manifest: Manifest, size: str) -> Iterator[tuple[int, str]]:
    """The least number of units that each condition on their count lets pass, and its name."""
    for criterion in registration.kill_criteria:
        if criterion.op in {"<", "<="} and _counts(criterion, manifest, size):
            yield (ceil(criterion.value) if criterion.op == "<" else floor(criterion.value) + 1), criterion.id
    for name, control in (("positive", registration.controls.positive), ("negative", registration.controls.negative)):
        if control is not None and control.op in {">", ">="} and _counts(control, manifest, size):
            least = ceil(control.value) if control.op == ">=" else floor(control.value) + 1
            yield least, f"the {name} control"


def _counts(condition: KillCriterion | Control, manifest: Manifest, size: str) -> bool:
    metric = manifest.metric(condition.metric)
    return metric is not None and metric.integer and metric.limit == size
