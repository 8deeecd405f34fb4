"""A small instrument that needs nothing measured, a registration of it, and evidence for that registration."""

import copy
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from claims.evidence import Evidence
from claims.flaws import FLAW_CODES, RefusedInputError
from claims.instruments.manifest import Cost, Manifest, Metric
from claims.registration.model import Registration

PREDICTED = ("auc", "gap", "length", "shift", "count", "wrong", "rho.<dimension>")
MANIFEST = Manifest(
    name="ruler",
    version="3",
    title="Ruler",
    summary="Measures lengths.",
    params={
        "type": "object",
        "properties": {"notches": {"type": "integer", "minimum": 1}, "side": {"enum": ["left", "right"]}},
        "required": ["notches"],
        "additionalProperties": False,
    },
    metrics=(
        Metric("auc", "an area", low=0, high=1),
        Metric("gap", "a difference", low=-1, high=1),
        Metric("length", "a length", low=0, ceiling="No ruler is longer than a metre.", ceiling_at=1),
        Metric("shift", "any number"),
        Metric("count", "how many", low=0, exact=True),
        Metric("wrong", "how many dimensions are", low=0, limit="dimensions", integer=True, exact=True),
        Metric("rho.<dimension>", "a correlation", low=-1, high=1, pulled_to_zero="Noise makes it smaller."),
        Metric("accuracy", "how well it obeys", low=0, high=1, diagnostic=True),
        Metric("governed", "how many obey", low=0, limit="organisms", integer=True, diagnostic=True),
        Metric("noise.<dimension>", "spread", low=0, diagnostic=True),
    ),
    gauge="invariant",
    access=("weights",),
    capabilities=("scores",),
    model_kinds=("organism", "tiny", "local"),
    dataset_kinds=("generated", "pairs"),
    sampling=("organisms", "pairs_per_organism"),
    unit="organism",
    intervals={"student_t": dict.fromkeys(PREDICTED, 8), "bca": dict.fromkeys(PREDICTED, 20)},
    recipes={
        "twig": {
            "type": "object",
            "properties": {"layers": {"type": "integer"}},
            "additionalProperties": False,
        }
    },
    generators=("twigs",),
)
RULER = SimpleNamespace(
    MANIFEST=MANIFEST,
    plan=lambda registration, pairs_per_dimension: (),
    cost=lambda registration, pairs_per_dimension: Cost(10 + sum(pairs_per_dimension.values()), 1.5, 2**20),
    estimate=lambda rows, registration: None,
)
DOCUMENT = {
    "schema": "antedate.registration/1",
    "title": "Twigs are long",
    "statement": "Twigs are longer than half.",
    "prior_exposure": {"level": "none"},
    "subject": {
        "model": {"kind": "organism", "recipe": "twig", "params": {"layers": 2}},
        "dataset": {"kind": "generated", "generator": "twigs"},
    },
    "instrument": {"name": "ruler", "version": "3", "params": {"notches": 10}},
    "hypotheses": [
        {"id": "H1", "statement": "It is.", "primary": True, "metric": "auc", "predict": {"op": ">", "value": 0.5}},
        {"id": "H2", "statement": "So.", "primary": False, "metric": "gap", "predict": {"op": "<=", "value": 0}},
    ],
    "kill_criteria": [{"id": "K1", "metric": "governed", "op": "<", "value": 8, "reason": "Too few obey."}],
    "controls": {"positive": {"metric": "accuracy", "op": ">=", "value": 0.9}},
    "sampling": {"organisms": 12, "pairs_per_organism": 16, "stopping": "fixed"},
    "analysis": {"confidence": 0.95, "interval": "student_t", "unit": "organism", "multiplicity": "none"},
    "reproduction_tolerance": {"auc": 0.1},
}
EVIDENCE = {
    "schema": "antedate.evidence/1",
    "instrument": "ruler",
    "version": "3",
    "params": {"notches": 10, "side": "left"},
    "subject": {
        "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
        "dataset": {"sha256": None, "n": 192},
    },
    "access": ["weights"],
    "estimates": {
        "auc": {"value": 0.8, "lo": 0.7, "hi": 0.9},
        "gap": {"value": 0.1, "lo": -0.1, "hi": 0.3},
    },
    "diagnostics": {"accuracy": 0.97, "governed": 12.0},
    "not_measured": {},
    "counts": {"organisms": 12, "pairs_per_organism": 16, "pairs": 192},
    "nondeterminism": {},
    "controls": {"positive": True},
    "conformance": {},
    "gauge": "invariant",
    "provenance": {
        "commit": "0" * 40,
        "dirty": "clean",
        "diff_sha256": None,
        "instrument_source_sha256": "0" * 64,
        "packages": {},
        "platform": "test",
        "started": "2026-11-30T12:00:00.000000Z",
        "finished": "2026-11-30T12:00:01.000000Z",
    },
    "cost": {},
    "rows_sha256": "0" * 64,
}
ESTIMATE = {"level": 0.95, "method": "student_t", "unit": "organism", "n": 12, "n_effective": 12.0}


@pytest.fixture
def document() -> dict:
    """A registration that has no flaw, to be spoilt by the test that asked for it."""
    return copy.deepcopy(DOCUMENT)


@pytest.fixture(scope="session")
def instruments() -> dict:
    return {"ruler": RULER}


@pytest.fixture
def registered(document: dict) -> Callable[..., Registration]:
    """The registration with some top-level keys replaced."""
    return lambda **parts: Registration.model_validate({**document, **parts})


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    """Evidence with some top-level keys replaced; what an estimate leaves out is as registered."""

    def made(**parts: object) -> Evidence:
        whole = {**copy.deepcopy(EVIDENCE), **parts}
        whole["estimates"] = {name: {**ESTIMATE, **given} for name, given in whole["estimates"].items()}
        return Evidence.model_validate(whole)

    return made


@pytest.fixture(autouse=True)
def _only_documented_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No refusal in any of these tests may carry a code that the list of codes does not explain."""
    plain = RefusedInputError.__init__

    def checked(self: RefusedInputError, *flaws: object) -> None:
        assert flaws
        assert all(flaw.code in FLAW_CODES and flaw.detail and flaw.remedy for flaw in flaws), flaws
        plain(self, *flaws)

    monkeypatch.setattr(RefusedInputError, "__init__", checked)
