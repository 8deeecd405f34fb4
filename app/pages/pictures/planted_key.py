"""The pictures of `planted_key_recovery`: each organism's recovery by both methods under both answer keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.pages import words
from app.pages.charts.recovery import KEYS, Recovery, recovery
from app.pages.pictures.pictured import Pictured
from claims.evidence import Evidence
from claims.instruments.manifest import Row
from claims.instruments.params import completed
from claims.instruments.planted_key_recovery import MANIFEST, PARAMS
from claims.instruments.planted_key_rows import MeasuredOrganism, organisms_in, recovered
from claims.registration.model import Registration

SUFFIXES = {"constructed": "_constructed", "twin": ""}
COLUMNS = (
    "Organism", "Accuracy", "Attribution, constructed", "Patching, constructed", "Gap", "Attribution, twin",
    "Patching, twin", "Gap",
)  # fmt: skip
LOOK = (
    "Each line is one organism that obeyed its rule, from attribution's AUROC on the left to patching's on the right: "
    "at 1 the ranking finds the planted components first, at the dashed 0.5 it is no better than chance."
)


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """One picture: a panel for each key."""
    del evidence  # what is drawn follows from rows alone
    key_size = completed(PARAMS, registration.instrument.params)["key_size"]
    organisms = organisms_in(rows)
    values = {one.number: recovered(one, key_size) for one in organisms}
    found = [
        recovery_of(one, key, values[one.number])
        for one in organisms
        if one.governed
        for key in KEYS
        if f"recovery_gap{SUFFIXES[key]}" in values[one.number]
    ]
    if not found:
        return []
    caption = " ".join([_excluded(organisms), *(_better(found, key) for key in KEYS)]).strip()
    ceiling = MANIFEST.metric("recovery_gap")
    return [
        Pictured(
            title="Recovery of the planted key, organism by organism",
            says=f"{LOOK} Under the twin key: {ceiling.ceiling}" if ceiling else LOOK,
            drawn=recovery(found, f"Lines from attribution's to patching's AUROC, one an organism. {caption}"),
            caption=caption,
            columns=COLUMNS,
            rows=[_row(one, values[one.number]) for one in organisms],
        )
    ]


def recovery_of(organism: MeasuredOrganism, key: str, values: Mapping[str, float]) -> Recovery:
    suffix = SUFFIXES[key]
    attribution, patching = (values[f"{method}_recovery_auc{suffix}"] for method in ("attribution", "patching"))
    return Recovery(str(organism.number), key, attribution, patching)


def _row(organism: MeasuredOrganism, values: Mapping[str, float]) -> list[str]:
    names = [f"{what}{suffix}" for suffix in SUFFIXES.values() for what in (
        "attribution_recovery_auc", "patching_recovery_auc", "recovery_gap",
    )]  # fmt: skip
    shown = [words.number(values[name]) if name in values else words.NOTHING for name in names]
    excluded = "" if organism.governed else ", excluded"
    return [f"{organism.number}{excluded}", words.number(organism.accuracy), *shown]


def _excluded(organisms: Sequence[MeasuredOrganism]) -> str:
    out = sum(not one.governed for one in organisms)
    return f"{len(organisms) - out} organisms, {out} more excluded because they did not obey their rule."


def _better(found: Sequence[Recovery], key: str) -> str:
    kinds = [one.better for one in found if one.key == key]
    counts = {kind: kinds.count(kind) for kind in ("patching", "attribution", "neither")}
    return (
        f"Under the {KEYS[key]} patching did better in {counts['patching']}, attribution in {counts['attribution']}, "
        f"neither in {counts['neither']}."
    )
