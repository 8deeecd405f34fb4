"""What is measured where nothing was predicted: an instrument, its parameters and a subject, and no hypothesis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, JsonValue, ValidationError

from claims.canonical import canonical_bytes, sha256_hex
from claims.flaws import Flaw, RefusedInputError
from claims.instruments.manifest import Manifest
from claims.registration.analysis_checks import BOOTSTRAPS, fewest_resamples, flaws_of_analysis, flaws_of_sampling
from claims.registration.model import SCHEMA, Hypothesis, Registration
from claims.registration.subject_checks import flaws_of_params, flaws_of_subject
from claims.shape import flaws_of_shape

PARAMS = "/instrument/params"
STATEMENT = "Nothing was predicted."


class Unregistered(Registration):
    """A registration's parts, for `plan` and `estimate` to read, that no ledger would freeze: it predicts nothing.

    Without primaries, `level` is the confidence asked for.
    """

    hypotheses: Annotated[list[Hypothesis], Field(max_length=0, default_factory=list)]

    def document(self) -> dict[str, Any]:
        """Itself as JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def sha256(self) -> str:
        """The SHA-256 of its canonical bytes: what seeds derive from beside the nonce, as a registration's do."""
        return sha256_hex(canonical_bytes(self.document()))


def unregistered(
    manifest: Manifest,
    params: Mapping[str, JsonValue],
    subject: Mapping[str, Any],
    sizes: Mapping[str, int],
    analysis: Mapping[str, Any],
) -> Unregistered:
    """Raises `RefusedInputError` with every flaw, by pointer into the document.

    `analysis` holds `confidence`, and `interval` and `resamples` where they are chosen: else the manifest's first
    interval, and as few resamples as it may have, if it resamples. How many independent units there are is nobody's
    concern here: metrics that need more are named under `not_measured`.
    """
    document = {
        "schema": SCHEMA,
        "title": f"{manifest.name}, unregistered",
        "statement": STATEMENT,
        "prior_exposure": {"level": "full", "note": "Measured without a registration."},
        "subject": subject,
        "instrument": {"name": manifest.name, "version": manifest.version, "params": params},
        "sampling": {**sizes, "stopping": "fixed"},
        "analysis": {"interval": next(iter(manifest.intervals)), "unit": manifest.unit, **analysis},
    }
    try:
        made = _with_resamples(Unregistered.model_validate(document))
    except ValidationError as error:
        flaws = [*flaws_of_shape(error, Unregistered), *flaws_of_params(params, manifest.params, PARAMS)]
        raise RefusedInputError(*flaws) from error
    if flaws := list(_flaws_in(made, manifest)):
        raise RefusedInputError(*flaws)
    return made


def _with_resamples(made: Unregistered) -> Unregistered:
    analysis = made.analysis
    if analysis.interval not in BOOTSTRAPS or analysis.resamples is not None:
        return made
    resampled = analysis.model_copy(update={"resamples": fewest_resamples(made.level)})
    return made.model_copy(update={"analysis": resampled})


def _flaws_in(made: Unregistered, manifest: Manifest) -> Iterator[Flaw]:
    yield from flaws_of_params(made.instrument.params, manifest.params, PARAMS)
    yield from flaws_of_subject(made.subject, manifest)
    yield from flaws_of_sampling(made, manifest)
    yield from (flaw for flaw in flaws_of_analysis(made, manifest) if flaw.code != "too_few_units")
