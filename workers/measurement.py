"""One shard measured into files: what a worker and `antedate measure` do alike."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from claims import rows
from claims.instruments.manifest import Shard
from claims.registration.model import Registration
from claims.seeds import Seeds
from workers import process
from workers.resources import Progress, Resources
from workers.row_file import RowFiles


def measure_into(  # noqa: PLR0917 - what the instrument's `measure` takes, and where its rows go
    files: RowFiles,
    shard: Shard,
    registration: Registration,
    seeds: Seeds,
    resources: Resources,
    progress: Progress,
) -> dict[str, Any]:
    """Write the shard's rows to the files as they are measured, and return its facts, once JSON can hold them.

    Raises what the instrument raises, `RefusalError` among it, and `RefusedInputError` for a row that is none; what
    the files hold is worth nothing then.
    """
    process.prepare_torch()
    instrument = import_module(f"workers.instruments.{registration.instrument.name}")
    measured = instrument.measure(shard, registration, seeds, resources, progress)
    files.rows.write(rows.lines(measured.rows))
    files.again.write(rows.lines(measured.again))
    facts = {**measured.facts(), "dataset_sha256": resources.dataset_sha256}
    told: dict[str, Any] = json.loads(json.dumps(facts, allow_nan=False))
    return told
