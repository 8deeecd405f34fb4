"""Whether the sizes and the interval are such as the instrument offers and the multiplicity needs."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from operator import itemgetter

from claims.flaws import Flaw, pointer
from claims.instruments.manifest import Manifest
from claims.registration.model import SAMPLING_SIZES, IntervalMethod, Registration

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
    if interval not in manifest.intervals:
        remedy = f"Use one of {', '.join(manifest.intervals)}."
        yield Flaw("/analysis/interval", "interval_not_offered", f"{manifest.name} does not offer {interval}", remedy)
        return
    size = _UNITS.get(manifest.unit)
    metrics = [hypothesis.metric for hypothesis in registration.hypotheses]
    for index, name in enumerate(metrics):
        yield from _not_offered(name, interval, manifest, pointer("hypotheses", index, "metric"))
    if metrics and size in registration.sampling.sizes:
        most = max(metrics, key=lambda name: manifest.fewest(interval, name) or 0)
        yield from flaws_of_units(most, interval, manifest, registration.sampling.sizes[size], f"/sampling/{size}")


def _not_offered(name: str, interval: IntervalMethod, manifest: Manifest, at: str) -> Iterator[Flaw]:
    """Of a metric that hypotheses may be about: what is wrong with others is told elsewhere."""
    metric = manifest.metric(name)
    if metric is None or metric.diagnostic or manifest.fewest(interval, name) is not None:
        return
    others = [f"{method} from {least}" for method, least in _offered(name, manifest)]
    remedy = f"Register {' or '.join(others)} independent units, or predict another metric."
    detail = f"simulation shows no number of units from which {interval} holds for {name}"
    yield Flaw(at, "interval_not_offered", detail, remedy)


def flaws_of_units(name: str, interval: IntervalMethod, manifest: Manifest, units: int, at: str) -> Iterator[Flaw]:
    """Whether `units` independent units, stated or found at pointer `at`, are enough for the interval of the metric.

    How many clusters a dataset has is known only where the dataset is: its holder asks this once more.
    """
    fewest = manifest.fewest(interval, name)
    if fewest is not None and units < fewest:
        detail = f"{interval} of {name} needs at least {fewest} independent units ({manifest.unit}), not {units}"
        yield Flaw(at, "too_few_units", detail, f"Measure {fewest} or more{_instead(name, manifest, units)}.")


def _instead(name: str, manifest: Manifest, units: int) -> str:
    """Which intervals of the metric hold for so few units, or that none does."""
    enough = [f"{method} (from {least})" for method, least in _offered(name, manifest) if least <= units]
    return f", or register {' or '.join(enough)}" if enough else f": no interval of {name} holds for {units}"


def _offered(name: str, manifest: Manifest) -> list[tuple[IntervalMethod, int]]:
    """The intervals of a metric, each with the number of units from which it holds, fewest first."""
    found = [(method, manifest.fewest(method, name)) for method in manifest.intervals]
    return sorted(((method, least) for method, least in found if least is not None), key=itemgetter(1))


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
