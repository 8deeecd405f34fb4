"""Whether the sizes and the interval are such as the instrument offers and the multiplicity needs."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from claims.flaws import Flaw
from claims.instruments.manifest import Manifest
from claims.registration.model import SAMPLING_SIZES, Registration

BOOTSTRAPS = ("percentile", "bca", "studentised_bootstrap")
FEWEST_IN_A_TAIL = 50  # resamples beyond a bound; with fewer the bound itself is mostly noise
# The size that counts independent units.
_UNITS = {"organism": "organisms", "pair": "pairs"}


def flaws_of_sampling(registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    sizes = registration.sampling.sizes
    for name in SAMPLING_SIZES:
        if name in manifest.sampling and name not in sizes:
            remedy = f"State {', '.join(manifest.sampling)}."
            yield Flaw("/sampling", "sampling", f"{manifest.name} needs the size {name}", remedy)
        elif name in sizes and name not in manifest.sampling:
            detail = f"{manifest.name} does not ask for the size {name}"
            yield Flaw(f"/sampling/{name}", "sampling", detail, f"State {', '.join(manifest.sampling)} alone.")
        elif name in sizes and sizes[name] > manifest.largest[name]:
            detail = f"{manifest.name} measures at most {manifest.largest[name]:,} {name}, not {sizes[name]:,}"
            yield Flaw(f"/sampling/{name}", "out_of_bounds", detail, f"State {manifest.largest[name]:,} or fewer.")


def flaws_of_analysis(registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    yield from _unit(registration, manifest)
    yield from _interval(registration, manifest)
    yield from _multiplicity(registration)
    yield from _resamples(registration)


def _unit(registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    if registration.analysis.unit != manifest.unit:
        detail = f"{manifest.name} samples by {manifest.unit}, not by {registration.analysis.unit}"
        yield Flaw("/analysis/unit", "wrong_unit", detail, f"Write {manifest.unit}.")


def _interval(registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    interval = registration.analysis.interval
    fewest = manifest.intervals.get(interval)
    if fewest is None:
        remedy = f"Use one of {', '.join(manifest.intervals)}."
        yield Flaw("/analysis/interval", "interval_not_offered", f"{manifest.name} does not offer {interval}", remedy)
        return
    size = _UNITS.get(manifest.unit)
    if size in registration.sampling.sizes:
        yield from flaws_of_units(registration, manifest, registration.sampling.sizes[size], f"/sampling/{size}")


def flaws_of_units(registration: Registration, manifest: Manifest, units: int, at: str) -> Iterator[Flaw]:
    """Whether `units` independent units, stated or found at pointer `at`, are enough for the interval registered.

    How many clusters a dataset has is known only where the dataset is: its holder asks this once more.
    """
    interval = registration.analysis.interval
    fewest = manifest.intervals[interval]
    if units < fewest:
        detail = f"{interval} needs at least {fewest} independent units ({manifest.unit}), not {units}"
        yield Flaw(at, "too_few_units", detail, f"Measure {fewest} or more.")


def _multiplicity(registration: Registration) -> Iterator[Flaw]:
    primaries = len(registration.primaries)
    if registration.analysis.multiplicity == "none" and primaries > 1:
        detail = f"{primaries} primary hypotheses are one family"
        yield Flaw("/analysis/multiplicity", "multiplicity", detail, "Write bonferroni, or keep one primary.")


def _resamples(registration: Registration) -> Iterator[Flaw]:
    analysis = registration.analysis
    at = "/analysis/resamples"
    if analysis.interval not in BOOTSTRAPS:
        if analysis.resamples is not None:
            yield Flaw(at, "resamples", f"{analysis.interval} does not resample", "Leave the key out.")
        return
    fewest = fewest_resamples(registration.level)
    if analysis.resamples is None:
        yield Flaw("/analysis", "resamples", f"{analysis.interval} needs resamples", f"State at least {fewest:,}.")
    elif analysis.resamples < fewest:
        detail = f"{analysis.resamples:,} resamples leave fewer than {FEWEST_IN_A_TAIL} beyond each bound"
        yield Flaw(at, "resamples", detail, f"Use at least {fewest:,}.")


def fewest_resamples(level: float) -> int:
    """How many resamples leave enough of them beyond each bound of an interval at this level."""
    return ceil(round(FEWEST_IN_A_TAIL / ((1 - level) / 2), 6))
