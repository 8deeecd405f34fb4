"""The examples' registrations, and rows made up by hand for them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claims.registration.model import Registration
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples"
Register = Callable[..., Registration]


@pytest.fixture
def register() -> Register:
    """The registration of an example, parts of its document replaced."""

    def registered(example: str, **parts: Any) -> Registration:
        document = read_yaml((EXAMPLES / f"{example}.yaml").read_bytes())
        return freeze_document({**document, **parts}).registration

    return registered


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
