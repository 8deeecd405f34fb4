"""What a registration takes for granted: a dataset, a model's files, and the claims it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlmodel import Session, col, select

from app.ledger import datasets, model_files
from app.ledger.clusters import clusters_per_metric
from app.ledger.tables import ClaimRow
from claims.flaws import Flaw, pointer
from claims.instruments import catalogue
from claims.registration.analysis_checks import flaws_of_units
from claims.registration.model import LocalModel, PairsDataset, Registration

DATASET = ("subject", "dataset")
AMENDED = pointer("amends", "claim")


def flaws_in(session: Session, registration: Registration, registrant: str, model_root: Path | None) -> list[Flaw]:
    """Everything that this registration names and the service does not have as named."""
    subject = registration.subject
    flaws: list[Flaw] = []
    if isinstance(subject.model, LocalModel):
        flaws += model_files.flaws_in(subject.model, model_root)
    if isinstance(subject.dataset, PairsDataset):
        flaws += _dataset_flaws(session, registration, subject.dataset)
    return flaws + _missing_ancestors(session, registration) + amendment_flaws(session, registration, registrant)


def pairs_per_dimension(session: Session, registration: Registration) -> Mapping[str, int]:
    """How many pairs the claim's dimensions hold; empty for a generated dataset. Raises LookupError when missing."""
    dataset = registration.subject.dataset
    if not isinstance(dataset, PairsDataset):
        return {}
    held = datasets.get(session, dataset.sha256).dimensions
    return {dimension: held[dimension] for dimension in dataset.dimensions}


def amendment_flaws(session: Session, registration: Registration, registrant: str) -> list[Flaw]:
    """Why this registrant cannot amend the claim that `amends` names; asked again under the log's lock."""
    if registration.amends is None:
        return []
    claim = registration.amends.claim
    row = session.exec(
        select(ClaimRow.registrant, ClaimRow.status, ClaimRow.superseded_by).where(ClaimRow.id == claim)
    ).one_or_none()
    if row is None:
        return [_unknown_claim(AMENDED, claim)]
    owner, status, superseded_by = row
    if owner != registrant:
        remedy = "File a claim of your own, and name this one in builds_on if it stands on it."
        return [Flaw(AMENDED, "not_your_claim", f"claim {claim} is somebody else's", remedy)]
    if superseded_by is not None:
        remedy = f"Amend {superseded_by}, which replaced it."
        return [Flaw(AMENDED, "claim_superseded", f"claim {claim} is superseded already", remedy)]
    if status == "withdrawn":
        return [Flaw(AMENDED, "claim_withdrawn", f"claim {claim} was withdrawn", "File without `amends`.")]
    return []


def _dataset_flaws(session: Session, registration: Registration, dataset: PairsDataset) -> list[Flaw]:
    known = datasets.find(session, dataset.sha256)
    if known is None:
        remedy = "Upload the pairs first (POST /v1/datasets), and freeze the sha256 that it answers."
        return [Flaw(pointer(*DATASET, "sha256"), "unknown_dataset", "the ledger has no such dataset", remedy)]
    missing = [
        Flaw(
            pointer(*DATASET, "dimensions", index),
            "unknown_dimension",
            f"the dataset has no dimension {dimension!r}",
            f"It has: {', '.join(sorted(known.dimensions))}.",
        )
        for index, dimension in enumerate(dataset.dimensions)
        if dimension not in known.dimensions
    ]
    if missing:
        return missing
    held = sum(known.dimensions[dimension] for dimension in dataset.dimensions)
    return [*_size_flaws(registration, held), *_cluster_flaws(session, registration)]


def _size_flaws(registration: Registration, held: int) -> list[Flaw]:
    stated = registration.sampling.pairs
    if stated is None or stated == held:
        return []
    detail = f"the dimensions named hold {held} pairs, not {stated}"
    return [Flaw(pointer("sampling", "pairs"), "wrong_size", detail, f"State {held}, or name other dimensions.")]


def _cluster_flaws(session: Session, registration: Registration) -> Iterator[Flaw]:
    """Hypotheses whose interval needs more clusters than there are where it needs them."""
    manifest = catalogue()[registration.instrument.name].MANIFEST
    clusters, interval = clusters_per_metric(session, registration), registration.analysis.interval
    for index, metric in enumerate(hypothesis.metric for hypothesis in registration.hypotheses):
        if metric in clusters:
            at = pointer("hypotheses", index, "metric")
            yield from flaws_of_units(metric, interval, manifest, clusters[metric], at)


def _missing_ancestors(session: Session, registration: Registration) -> list[Flaw]:
    named = registration.builds_on
    known = set(session.exec(select(ClaimRow.id).where(col(ClaimRow.id).in_(named)))) if named else set()
    return [
        _unknown_claim(pointer("builds_on", index), claim) for index, claim in enumerate(named) if claim not in known
    ]


def _unknown_claim(where: str, claim: str) -> Flaw:
    return Flaw(where, "unknown_claim", f"there is no claim {claim} on this ledger", "Name a claim by its id.")
