"""How many independent clusters each hypothesis of a registration is over."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session

from app.ledger import datasets
from claims.instruments import catalogue
from claims.registration.model import PairsDataset, Registration


def clusters_per_metric(session: Session, registration: Registration) -> Mapping[str, int]:
    """By metric of a hypothesis: of its dimension's pairs, or of all that are named; empty for generated data."""
    manifest, dataset = catalogue()[registration.instrument.name].MANIFEST, registration.subject.dataset
    if not isinstance(dataset, PairsDataset) or manifest.unit != "cluster":
        return {}
    clusters, found = datasets.clusters_of(session, dataset.sha256), dict[str, int]()
    for name in {hypothesis.metric for hypothesis in registration.hypotheses}:
        metric = manifest.metric(name)
        of_one = metric is not None and metric.per_dimension
        dimensions = [name.partition(".")[2]] if of_one else dataset.dimensions
        found[name] = len(set[str]().union(*(clusters[dimension] for dimension in dimensions)))
    return found
