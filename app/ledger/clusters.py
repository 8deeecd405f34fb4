"""How many independent clusters each hypothesis of a registration is over."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from sqlmodel import Session

from app.ledger import datasets
from claims.instruments import catalogue
from claims.instruments.manifest import Metric
from claims.instruments.minimums import OF_EVERY_DIMENSION
from claims.registration.model import PairsDataset, Registration


def clusters_per_metric(session: Session, registration: Registration) -> Mapping[str, int]:
    """By metric of a hypothesis: of its dimension's pairs, or of all that are named together.

    A metric that is about every dimension by itself has as many as the smallest of them. Empty for generated data, and
    where clusters are no units of the instrument's.
    """
    manifest, dataset = catalogue()[registration.instrument.name].MANIFEST, registration.subject.dataset
    if not isinstance(dataset, PairsDataset) or manifest.unit != "cluster":
        return {}
    held = datasets.clusters_of(session, dataset.sha256)
    clusters = {dimension: held[dimension] for dimension in dataset.dimensions}
    metrics = {hypothesis.metric for hypothesis in registration.hypotheses}
    return {name: _of(name, manifest.metric(name), clusters) for name in metrics}


def _of(name: str, metric: Metric | None, clusters: Mapping[str, AbstractSet[str]]) -> int:
    if metric is not None and metric.per_dimension:
        return len(clusters[name.partition(".")[2]])
    if name in OF_EVERY_DIMENSION:
        return min(len(held) for held in clusters.values())
    return len(set[str]().union(*clusters.values()))
