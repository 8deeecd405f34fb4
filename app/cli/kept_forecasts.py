"""What this client has sealed: probability and salt, in 0600 files that are written once and never over another."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from app.cli.errors import BadInputError
from claims import forecasts
from claims.forecasts import InvalidForecastError

_REGISTRANT = re.compile(r"[a-z0-9-]{1,64}")


@dataclass(frozen=True)
class Kept:
    """One forecast, as sealed; `salt` in hex."""

    claim: str
    forecaster: str
    probability: float
    salt: str

    @property
    def sealed(self) -> str:
        """The seal; raises `InvalidForecastError` for what was never one."""
        return forecasts.seal(self.claim, self.forecaster, self.probability, bytes.fromhex(self.salt))


def file_of(directory: Path, claim: str, forecaster: str) -> Path:
    """Where it is kept. Raises BadInputError for a forecaster that no service of ours would name."""
    if not _REGISTRANT.fullmatch(forecaster):
        raise BadInputError(f"the service says that the key is of {forecaster!r}, which is no registrant.")
    return directory / f"forecast-{claim}-{forecaster}.json"


def find(directory: Path, claim: str, forecaster: str) -> Kept | None:
    """What was kept; None where nothing was. Raises BadInputError for a file that cannot be used."""
    file = file_of(directory, claim, forecaster)
    try:
        kept = Kept(**json.loads(file.read_text(encoding="utf-8")))
        whole = (kept.claim, kept.forecaster) == (claim, forecaster) and bool(kept.sealed)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInputError(f"cannot read {file}: {error.strerror or error}.") from error
    except (ValueError, TypeError, InvalidForecastError):
        whole = False
    if not whole:
        raise BadInputError(
            f"{file} is damaged: restore it, for without its salt nothing can be told of that forecast."
        )
    return kept


def keep(directory: Path, kept: Kept) -> Path:
    """Write it to disk, before anything is sent: a seal whose salt is lost is of no use."""
    file = file_of(directory, kept.claim, kept.forecaster)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(json.dumps(asdict(kept), indent=2) + "\n")
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        raise BadInputError(f"cannot write {file}: {error.strerror or error}. Nothing was sent.") from error
    return file
