"""`antedate forecast`."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Said:
    """What is on the ledger now: `result` is sealed or told, by this command or already; `entry` and `time` where."""

    result: str
    kept: Kept
    entry: int
    time: str


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
        me = Forecaster(service, directory, name, str(service.get("/v1/key")["registrant"]))
        said = me.tell() if probability is None else me.seal(probability)
    _print(said, me.file, as_json=as_json)


@dataclass(frozen=True)
class Forecaster:
    """Registrant `name`, whose salts are kept in `directory`, before one claim of the service."""

    service: Service
    directory: Path
    claim: str
    name: str

    @property
    def file(self) -> Path:
        return kept_forecasts.file_of(self.directory, self.claim, self.name)

    def seal(self, probability: float) -> Said:
        known, recorded = self._kept(), self._recorded()
        kept = known or self._keep(probability)
        if kept.probability != probability:
            raise BadInputError(
                f"you sealed {kept.probability:g} of this claim, and a seal is not replaced: {self.file}."
            )
        if recorded is not None and recorded["sealed"] == kept.sealed:
            return Said("sealed already", kept, recorded["seq"], recorded["time"])
        try:
            entry = _post(self.service, f"/v1/claims/{self.claim}/forecasts", {"sealed": kept.sealed})
        except RefusedError as refused:
            # One that was kept before may be on its way still, by a command that was given up.
            if known is None and refused.status in FINAL:
                self.file.unlink()
            raise
        return Said("sealed", kept, entry["seq"], entry["time"])

    def tell(self) -> Said:
        recorded = self._recorded()
        if recorded is not None and recorded["probability"] is not None:
            told = Kept(self.claim, self.name, recorded["probability"], recorded["salt"])
            return Said("told already", told, recorded["revealed_seq"], recorded["revealed"])
        kept = self._kept()
        if kept is None:
            raise BadInputError(
                f"{self.file} is not there. Without the salt in it nobody can tell what {self.name} sealed of claim "
                f"{self.claim}, and the forecast counts as hidden. If it is elsewhere, name its directory by --state."
            )
        secret = {"probability": kept.probability, "salt": kept.salt}
        entry = _post(self.service, f"/v1/claims/{self.claim}/forecasts/reveal", secret)
        return Said("told", kept, entry["seq"], entry["time"])

    def _recorded(self) -> Mapping[str, Any] | None:
        """What the ledger has of them, be it by a command whose answer was lost; None where it has nothing."""
        listed: list[dict[str, Any]] = self.service.get(f"/v1/claims/{self.claim}/forecasts")["items"]
        return next((one for one in listed if one["registrant"] == self.name), None)

    def _kept(self) -> Kept | None:
        return kept_forecasts.find(self.directory, self.claim, self.name)

    def _keep(self, probability: float) -> Kept:
        # Adding zero takes the sign from a negative one, which no document may hold.
        kept = Kept(self.claim, self.name, probability + 0.0, secrets.token_bytes(SALT_BYTES).hex())
        try:
            _ = kept.sealed
        except InvalidForecastError as error:
            raise BadInputError(f"--probability: {error}.") from error
        kept_forecasts.keep(self.directory, kept)
        return kept


def _post(service: Service, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    entry: Mapping[str, Any] = service.post(path, json.dumps(body).encode(), "application/json").value
    return entry


def _print(said: Said, file: Path, *, as_json: bool) -> None:
    shown = {
        "result": said.result,
        "claim": said.kept.claim,
        "forecaster": said.kept.forecaster,
        "probability": said.kept.probability,
        "sealed": said.kept.sealed,
        "entry": said.entry,
        "time": said.time,
        "file": str(file),
    }
    if as_json:
        print_json(shown)
        return
    for name, value in shown.items():
        line(name, str(value))
