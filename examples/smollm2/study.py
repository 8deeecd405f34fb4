"""`python -m examples.smollm2.study`: the registered claim on the built model, from filing to verdict."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from app.cli.errors import CommandError
from app.cli.example import outcome_of
from app.cli.local import own_key
from app.cli.local_key import ensure_key
from app.cli.service import Service
from app.cli.show import print_claim
from app.embedded.errors import EmbeddedError
from app.embedded.running import find_running
from app.embedded.stack import Stack, run
from app.settings import SettingsError, read_settings
from claims import rows
from claims.diagnostic import diagnostic, diagnostic_bytes
from claims.evidence import Evidence
from claims.registration.reading import freeze
from claims.registration.yaml_form import read_yaml
from claims.seeds import seeds_once_opened
from claims.weights import weights_sha256
from examples.smollm2.model_root import DIRECTORY, model_root
from examples.smollm2.table import expected_output

REGISTRATION = Path(__file__).parent / "claim.yaml"


@dataclass(frozen=True)
class Study:
    """What is filed: a document, JSON in UTF-8, and the pairs that it names, JSONL, with the name they go by."""

    document: bytes
    pairs: bytes
    name: str


def filled(weights: str, dataset: str) -> bytes:
    """The registration with the hashes of the weights that were built and of the pairs that are shipped."""
    document: Any = read_yaml(REGISTRATION.read_bytes())
    document["subject"]["model"]["weights_sha256"] = weights
    document["subject"]["dataset"]["sha256"] = dataset
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def conduct(service: Service, study: Study) -> dict[str, Any]:
    """The claim at its end, and its table printed. What is on the ledger already is found there, not filed again.

    Raises `CommandError`.
    """
    service.post("/v1/datasets", study.pairs, "application/jsonl", query={"name": study.name})
    claim = outcome_of(service, study.document)
    print_claim(service, claim)
    if claim["run"] is not None and claim["status"] != "void":
        typer.echo(f"\n{_table(service, claim['id'], claim['run'], study)}")
    return claim


def _table(service: Service, claim: str, run: str, study: Study) -> str:
    frozen = freeze(study.document)
    history = service.get(f"/v1/claims/{claim}/history")["items"]
    opened = (entry["payload"] for entry in history if entry["type"] == "opened")
    seeds = seeds_once_opened(next(one for one in opened if one["run"] == run), frozen.sha256)
    evidence = Evidence.model_validate(service.get(f"/v1/claims/{claim}/evidence"))
    measured = list(rows.decode(service.client.get(f"/v1/claims/{claim}/rows").content))
    return expected_output(measured, frozen.registration, seeds, evidence)


def _study(root: Path) -> Study:
    """Its document is kept beside the model, as it is filed."""
    document = filled(weights_sha256(root / DIRECTORY), diagnostic().sha256)
    (root / f"{DIRECTORY}.claim.json").write_bytes(document)
    return Study(document, diagnostic_bytes(), "diagnostic")


def _with_a_stack(stack: Stack, study: Study) -> None:
    key = ensure_key(stack.endpoints.database_url, stack.directory.secrets)
    typer.echo(f"{stack.serving}; logs: {stack.directory.logs}", err=True)
    with Service(stack.url, key.token) as service:
        conduct(service, study)
    typer.echo("\nIt keeps serving until Ctrl-C.", err=True)


def main() -> None:
    """With the service that runs here, whose ANTEDATE_MODEL_ROOT must be the same; else with one started for it."""
    try:
        root = model_root()
        study = _study(root)
        os.environ["ANTEDATE_MODEL_ROOT"] = str(root)
        settings = read_settings()
        running = find_running(settings.data)
        if running is None:
            run(settings, lambda stack: _with_a_stack(stack, study))
            return
        with Service(running.url, own_key(running.secrets)) as service:
            conduct(service, study)
    except (CommandError, EmbeddedError, SettingsError, FileNotFoundError) as error:
        sys.exit(f"study: {error}")


if __name__ == "__main__":
    main()
