"""The examples' registrations, and rows made up by hand for them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from claims.registration.model import Registration
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples"
Register = Callable[..., Registration]


@pytest.fixture
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModuleType], None]:
    """`few_are_enough(instrument)`: eight units for every interval, so that samples made up by hand have them.

    How many are needed is what simulation says, and has tests of its own.
    """

    def lowered(instrument: ModuleType) -> None:
        minimums = instrument.MANIFEST.minimums()
        intervals = {method: {name: min(8, n) for name, n in of.items()} for method, of in minimums.items()}
        monkeypatch.setattr(instrument, "MANIFEST", replace(instrument.MANIFEST, intervals=intervals))

    return lowered


@pytest.fixture
def register() -> Register:
    """The registration of an example, parts of its document replaced."""

    def registered(example: str, **parts: Any) -> Registration:
        return freeze_document({**document_of(example), **parts}).registration

    return registered


@pytest.fixture
def register_checkpoint(register: Register) -> Register:
    """The same about a checkpoint, whose layers and heads are known once it is loaded."""

    def registered(example: str, **parts: Any) -> Registration:
        model = {"kind": "huggingface", "repo": "acme/reward", "revision": "0" * 40}
        return register(example, **{"subject": {**document_of(example)["subject"], "model": model}, **parts})

    return registered


def document_of(example: str) -> dict[str, Any]:
    document: dict[str, Any] = read_yaml((EXAMPLES / f"{example}.yaml").read_bytes())
    return document


@pytest.fixture
def pair_rows() -> Callable[..., list[dict[str, Any]]]:
    """Rows of one pair: a differential and an effect for each component, in order; cells may name a state."""

    def rows(
        pair: str,
        differentials: dict[str, float],
        effects: dict[str, float],
        *,
        dimension: str = "planted_key",
        cluster: str | None = None,
        margin: float = 1.0,
        states: dict[str, str] | None = None,
        **more: Any,
    ) -> list[dict[str, Any]]:
        at = {"pair_id": pair, "dimension": dimension, "cluster": cluster or pair, **more}
        return [
            *(
                {"kind": "score", **at, "side": side, "score": score, "tokens": 3}
                for side, score in (("chosen", margin), ("rejected", 0.0))
            ),
            *(
                {"kind": "attribution", **at, "component": name, "chosen": v, "rejected": 0.0, "differential": v}
                for name, v in {"embed": 9.0, **differentials}.items()
            ),
            *(
                {
                    "kind": "patch",
                    **at,
                    "component": name,
                    "effect": value,
                    "state": (states or {}).get(name, "ok"),
                    "direction": "noising",
                    "margin": margin,
                }
                for name, value in effects.items()
            ),
        ]

    return rows
