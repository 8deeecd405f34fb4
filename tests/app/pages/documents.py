"""Frozen documents and evidence, read from this directory: the shapes are the wire formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claims.evidence import Evidence

DOCUMENTS = Path(__file__).parent / "documents"
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
HOSTILE = {
    "title": SCRIPT + " \u05d0\u05d1\u05d2 \u202eevil\u202c " + "x" * 90,
    "statement": "{{ 7 * 7 }} </p></main>" + SCRIPT + "w" * 1500,
    "rationale": "javascript:alert(1) " + "\u202e" + "\u0645\u0631\u062d\u0628\u0627 " * 40,
}


def sample(name: str) -> dict[str, Any]:
    """A document of this directory, read afresh: whoever gets it may change it."""
    found: dict[str, Any] = json.loads((DOCUMENTS / name).read_text())
    return found


def registration(**changes: Any) -> dict[str, Any]:
    return sample("planted_key.json") | changes


def agreement_registration(**changes: Any) -> dict[str, Any]:
    """A claim on a local model and uploaded pairs: the other instrument."""
    return sample("agreement.json") | changes


def evidence(estimates: Mapping[str, Mapping[str, float]] | None = None, **changes: Any) -> Evidence:
    """The evidence of a run; `estimates` changes figures of single metrics."""
    body = sample("evidence.json")
    for metric, figures in (estimates or {}).items():
        body["estimates"][metric] |= figures
    return Evidence.model_validate(body | changes)


def pairs_registration(instrument: str, metric: str, **params: Any) -> dict[str, Any]:
    """A claim about `metric` on a local model and uploaded pairs of two dimensions."""
    document = sample("agreement.json")
    document["subject"]["dataset"]["dimensions"] = ["safety", "verbosity"]
    document["instrument"] = {"name": instrument, "version": "1", "params": params}
    document["hypotheses"] = [{**document["hypotheses"][0], "metric": metric}]
    return document
