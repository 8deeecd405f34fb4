"""What a document must mean beyond its shape, against the manifest of the instrument it names."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from claims.flaws import Flaw, pointer
from claims.instruments.manifest import Instrument
from claims.registration.analysis_checks import flaws_of_analysis, flaws_of_sampling
from claims.registration.assumption_checks import flaws_of_assumptions
from claims.registration.metric_checks import flaws_of_metrics
from claims.registration.model import PairsDataset, Registration
from claims.registration.subject_checks import flaws_of_params, flaws_of_subject
from claims.registration.vacuity import reversed_band


def flaws_in(registration: Registration, instruments: Mapping[str, Instrument]) -> list[Flaw]:
    """Everything wrong with the meaning of a registration, given the instruments there are by name."""
    flaws = [*_primaries(registration), *_repeated(registration), *_bands(registration)]
    chosen = registration.instrument
    instrument = instruments.get(chosen.name)
    if instrument is None:
        remedy = f"Use one of {', '.join(sorted(instruments))}."
        return [*flaws, Flaw("/instrument/name", "unknown_instrument", f"there is no instrument {chosen.name}", remedy)]
    manifest = instrument.MANIFEST
    if chosen.version != manifest.version:
        detail = f"{chosen.name} is at version {manifest.version}, not {chosen.version}"
        flaws.append(Flaw("/instrument/version", "instrument_version", detail, f'Write "{manifest.version}".'))
    return [
        *flaws,
        *flaws_of_params(chosen.params, manifest.params, "/instrument/params"),
        *flaws_of_subject(registration.subject, manifest),
        *flaws_of_sampling(registration, manifest),
        *flaws_of_analysis(registration, manifest),
        *flaws_of_metrics(registration, manifest),
        *flaws_of_assumptions(registration, manifest),
    ]


def _primaries(registration: Registration) -> Iterator[Flaw]:
    if not registration.primaries:
        yield Flaw("/hypotheses", "no_primary", "no hypothesis is primary", 'Set "primary": true for what decides.')


def _repeated(registration: Registration) -> Iterator[Flaw]:
    dataset = registration.subject.dataset
    if isinstance(dataset, PairsDataset):
        yield from _again(dataset.dimensions, "/subject/dataset/dimensions", "duplicate_reference")
    yield from _again([hypothesis.id for hypothesis in registration.hypotheses], "/hypotheses", "duplicate_id")
    yield from _again([criterion.id for criterion in registration.kill_criteria], "/kill_criteria", "duplicate_id")
    yield from _again(registration.builds_on, "/builds_on", "duplicate_reference")


def _again(names: Sequence[Hashable], at: str, code: str) -> Iterator[Flaw]:
    last = "/id" if code == "duplicate_id" else ""
    for index, name in enumerate(names):
        if name in names[:index]:
            where = at + pointer(index) + last
            yield Flaw(where, code, f"{name} stands here a second time", "Name each once.")


def _bands(registration: Registration) -> Iterator[Flaw]:
    for index, hypothesis in enumerate(registration.hypotheses):
        predict = hypothesis.predict
        if reversed_band(predict):
            detail = f"low, {predict.low:g}, is not below high, {predict.high:g}"
            yield Flaw(
                pointer("hypotheses", index, "predict", "low"), "reversed_band", detail, "Exchange or widen them."
            )
