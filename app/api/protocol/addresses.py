"""The names in addresses: one that has not the form of a name is simply not there."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Path

from app.errors import NotFoundError

CLAIM = re.compile(r"[a-z0-9]{12,20}")
RUN = re.compile(r"[a-z0-9]{12,20}-[0-9]{1,9}")
SHA256 = re.compile(r"[0-9a-f]{64}")


def claim_in_path(claim: Annotated[str, Path(description="The claim's id.")]) -> str:
    return _named("claim", claim, CLAIM)


def run_in_path(run: Annotated[str, Path(description="The run's id.")]) -> str:
    return _named("run", run, RUN)


def record_in_path(record: Annotated[str, Path(description="The imported record's id.")]) -> str:
    return _named("imported record", record, CLAIM)


def dataset_in_path(sha256: Annotated[str, Path(description="The SHA-256 of the pairs, in hex.")]) -> str:
    return _named("dataset", sha256, SHA256)


def missing(kind: str, name: str) -> NotFoundError:
    return NotFoundError(f"There is no {kind} {name!r}.")


def _named(kind: str, name: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(name):
        raise missing(kind, name)
    return name


ClaimInPath = Annotated[str, Depends(claim_in_path)]
RunInPath = Annotated[str, Depends(run_in_path)]
RecordInPath = Annotated[str, Depends(record_in_path)]
DatasetInPath = Annotated[str, Depends(dataset_in_path)]
