"""What `antedate up --example` does once the service serves: a claim from filing to verdict, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.cli.errors import RefusedError
from app.cli.file import post_prediction
from app.cli.output import interval, line, progress_console
from app.cli.progress import follow
from app.cli.service import Service


def outcome_of(service: Service, document: bytes) -> dict[str, Any]:
    """The claim that the document is, filed now or before, once it has come to its end."""
    try:
        claim = post_prediction(service, document)["claim"]
    except RefusedError as refused:
        if refused.code != "already_filed":
            raise
        claim = refused.problem["claim"]
    return follow(service, claim, progress_console())


def print_outcome(url: str, key: str, claim: Mapping[str, Any]) -> None:
    """The lines that `make run` ends with: their form is fixed, scripts read them."""
    line("document", f"sha256:{claim['document_sha256']}")
    line("filed", claim["filed"])
    line("commit", (claim["code"] or claim["service"])["label"])
    line("key", key)
    for metric, measured in _metrics(claim).items():
        line("metric", f"{metric} {measured}")
    line("verdict", claim["status"])
    line("page", f"{url}{claim['page']}")


def _metrics(claim: Mapping[str, Any]) -> dict[str, str]:
    """Each metric that a hypothesis names, once, in the document's order."""
    return {hypothesis["metric"]: interval(hypothesis) for hypothesis in claim["hypotheses"]}
