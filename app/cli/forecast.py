"""`antedate forecast`."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli import kept_forecasts
from app.cli.errors import BadInputError, RefusedError
from app.cli.kept_forecasts import Kept
from app.cli.naming import Claim, service_of
from app.cli.options import AsJson, Key, Url
from app.cli.output import line, print_json
from app.cli.remembered import STATE, state_directory
from app.cli.service import Service
from claims.forecasts import SALT_BYTES, InvalidForecastError

FINAL = range(400, 500)  # what the service answers to what it has not recorded and never will


def forecast(
    *,
    claim: Claim,
    probability: Annotated[
        float | None, typer.Option(help="Seal that the claim will be confirmed with this probability, 0 to 1.")
    ] = None,
    reveal: Annotated[bool, typer.Option("--reveal", help="Tell what was sealed, once the claim is open.")] = False,
    state: Annotated[
        Path | None, typer.Option(envvar=STATE, help="Where salts are kept; absent: by XDG_STATE_HOME.")
    ] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Forecast somebody else's claim before it is opened, and tell the forecast after.

    The probability stays here, with a salt, in a file that only you can read; the log takes their hash. Keep that file:
    what was sealed cannot be told without it, and counts as hidden once the claim is judged.
    """
    if (probability is None) != reveal:
        raise BadInputError("give either --probability, to seal a forecast, or --reveal, to tell the one you sealed.")
    directory = state_directory(state)
    with service_of(claim, url, key) as (service, name):
        who = str(service.get("/v1/key")["registrant"])
        kept = _reread(directory, name, who) if probability is None else _sealed(directory, name, who, probability)
        entry = _told(service, kept) if reveal else _sent(service, kept, directory)
    _print(kept, entry, kept_forecasts.file_of(directory, name, who), as_json=as_json)


def _sealed(directory: Path, claim: str, who: str, probability: float) -> Kept:
    """What is to be sealed: kept already, by an earlier attempt, or from now on."""
    known = kept_forecasts.find(directory, claim, who)
    if known is None:  # adding zero takes the sign from a negative one, which no document may hold
        kept = Kept(claim, who, probability + 0.0, secrets.token_bytes(SALT_BYTES).hex())
        try:
            _ = kept.sealed
        except InvalidForecastError as error:
            raise BadInputError(f"--probability: {error}.") from error
        kept_forecasts.keep(directory, kept)
        return kept
    if known.probability != probability:
        file = kept_forecasts.file_of(directory, claim, who)
        raise BadInputError(f"you sealed {known.probability:g} of this claim, and a seal is not replaced: {file}.")
    return known


def _reread(directory: Path, claim: str, who: str) -> Kept:
    kept = kept_forecasts.find(directory, claim, who)
    if kept is None:
        raise BadInputError(
            f"{kept_forecasts.file_of(directory, claim, who)} is not there. Without the salt in it nobody can tell "
            f"what {who} sealed of claim {claim}, and the forecast counts as hidden. If it is elsewhere, name its "
            "directory by --state."
        )
    return kept


def _sent(service: Service, kept: Kept, directory: Path) -> Mapping[str, Any]:
    """The entry of the seal, be it of now or of an attempt whose answer was lost."""
    try:
        return _post(service, f"/v1/claims/{kept.claim}/forecasts", {"sealed": kept.sealed})
    except RefusedError as refused:
        recorded = _recorded(service, kept) if refused.code == "already_forecast" else None
        if recorded is None and refused.status in FINAL:
            kept_forecasts.file_of(directory, kept.claim, kept.forecaster).unlink()
        if recorded is None:
            raise
        return recorded


def _recorded(service: Service, kept: Kept) -> Mapping[str, Any] | None:
    listed: list[dict[str, Any]] = service.get(f"/v1/claims/{kept.claim}/forecasts")["items"]
    return next((one for one in listed if one["sealed"] == kept.sealed), None)


def _told(service: Service, kept: Kept) -> Mapping[str, Any]:
    told = {"probability": kept.probability, "salt": kept.salt}
    return _post(service, f"/v1/claims/{kept.claim}/forecasts/reveal", told)


def _post(service: Service, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    entry: Mapping[str, Any] = service.post(path, json.dumps(body).encode(), "application/json").value
    return entry


def _print(kept: Kept, entry: Mapping[str, Any], file: Path, *, as_json: bool) -> None:
    said = {
        "claim": kept.claim,
        "forecaster": kept.forecaster,
        "probability": kept.probability,
        "sealed": kept.sealed,
        "entry": entry["seq"],
        "time": entry["time"],
        "file": str(file),
    }
    if as_json:
        print_json(said)
        return
    for name, value in said.items():
        line(name, str(value))
