"""Registrations and evidence to ask the rule about."""

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

from claims.evidence import Evidence
from claims.registration.model import Registration
from tests.claims.conftest import DOCUMENT, ESTIMATE, EVIDENCE, RULER

LEVEL = 0.975  # of two primaries at 0.95
WEIGHTS, PAIRS = "ab" * 32, "cd" * 32
SUBJECT = {
    "model": {"kind": "local", "directory": "m", "weights_sha256": WEIGHTS},
    "dataset": {"kind": "pairs", "name": "p", "sha256": PAIRS, "dimensions": ["safety"]},
}
CONTROLS = {
    "positive": {"metric": "accuracy", "op": ">=", "value": 0.9},
    "negative": {"metric": "noise.safety", "op": "<", "value": 0.6},
}
KILL_CRITERIA = [
    {"id": "K1", "metric": "governed", "op": "<", "value": 8, "reason": "Too few obey."},
    {"id": "K2", "metric": "noise.calm", "op": ">", "value": 2, "reason": "Too loud."},
]
DIAGNOSTICS = {"accuracy": 0.9, "noise.safety": 0.5, "governed": 8.0, "noise.calm": 2.0}


def _with_default() -> SimpleNamespace:
    """The ruler whose `side` is left where nothing is said, so that evidence may state what was left out."""
    params = RULER.MANIFEST.params
    side = {**params["properties"]["side"], "default": "left"}
    schema = {**params, "properties": {**params["properties"], "side": side}}
    return SimpleNamespace(**{**vars(RULER), "MANIFEST": dataclasses.replace(RULER.MANIFEST, params=schema)})


INSTRUMENTS = {"ruler": _with_default()}


def hypothesis(name: str, metric: str, predict: Mapping, *, primary: bool = True) -> dict:
    return {"id": name, "statement": "It is.", "primary": primary, "metric": metric, "predict": dict(predict)}


def registered(hypotheses: Sequence[dict], **parts: object) -> Registration:
    """A registration of pairs and weights with both controls and two criteria, judged by Bonferroni."""
    whole = {
        **DOCUMENT,
        "subject": SUBJECT,
        "controls": CONTROLS,
        "kill_criteria": KILL_CRITERIA,
        "analysis": {**DOCUMENT["analysis"], "multiplicity": "bonferroni"},
        "hypotheses": list(hypotheses),
    }
    return Registration.model_validate({**whole, **parts})


def measured(estimates: Mapping[str, Mapping], **parts: object) -> Evidence:
    """Evidence that voids no study so registered; what an estimate leaves out is as registered for two primaries."""
    whole = copy.deepcopy(EVIDENCE)
    whole["subject"]["model"]["weights_sha256"] = WEIGHTS
    whole["subject"]["dataset"]["sha256"] = PAIRS
    given = {name: {**ESTIMATE, "level": LEVEL, **estimate} for name, estimate in estimates.items()}
    return Evidence.model_validate({**whole, "diagnostics": DIAGNOSTICS, "estimates": given, **parts})


def unchecked(evidence: Evidence, **parts: object) -> Evidence:
    """The evidence with parts replaced that no validation has seen."""
    return evidence.model_copy(update=parts)


def estimated(evidence: Evidence, metric: str, **figures: object) -> Evidence:
    """The evidence with figures of one estimate replaced that no validation has seen."""
    changed = evidence.estimates[metric].model_copy(update=figures)
    return unchecked(evidence, estimates={**evidence.estimates, metric: changed})
