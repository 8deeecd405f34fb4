"""Rows as instruments write them, from fixed seeds."""

from __future__ import annotations

import random
from typing import Any

from claims.rows import encode

DIMENSIONS = ("confidence", "helpfulness", "safety", "verbosity")


def planted_rows(organisms: int = 24, pairs: int = 4, layers: int = 4) -> bytes:
    """Rows of `planted_key_recovery` from a fixed seed: attribution near its ceiling, patching less sure."""
    draw = random.Random(7)
    components = [f"{kind}_L{layer}" for layer in range(layers) for kind in ("attn", "mlp")]
    found: list[dict[str, Any]] = []
    for organism in range(organisms):
        common = {"organism": organism, "dimension": "planted_key"}
        carriers = set(draw.sample(components, 3))
        governed = organism % 11 != 5
        accuracy = draw.uniform(0.92, 1.0) if governed else 0.8
        found.append({**common, "kind": "organism", "accuracy": accuracy, "governed": governed})
        for component in components:
            norm = draw.uniform(1, 2) * (3 if component in carriers else 1)
            constructed = component in carriers
            found.append({**common, "kind": "key", "component": component, "norm": norm, "constructed": constructed})
        for pair in range(pairs):
            cell = {**common, "pair_id": f"{organism}/{pair}", "cluster": f"{organism}/{pair}"}
            for component in components:
                weight = 3 if component in carriers else 1
                given = {"component": component, "chosen": 1.0, "rejected": 0.0}
                differential = draw.gauss(0.4 * weight, 0.1)
                found.append({**cell, "kind": "attribution", **given, "differential": differential})
                effect = draw.gauss(0.1 * weight, 0.5)
                patched = {"component": component, "effect": effect, "state": "ok"}
                found.append({**cell, "kind": "patch", **patched, "direction": "noising", "margin": 1.0})
    return encode(found)


def agreement_rows(pairs: int = 16, layers: int = 16) -> bytes:
    """Rows of `attribution_patching_agreement` from a fixed seed: late layers credited, early ones moving the score."""
    draw = random.Random(11)
    found: list[dict[str, Any]] = []
    for number, dimension in enumerate(DIMENSIONS):
        for pair in range(pairs):
            cell = {"pair_id": f"{dimension}-{pair}", "dimension": dimension, "cluster": f"{dimension}-{pair}"}
            for layer in range(layers):
                for component in (f"attn_L{layer}", f"mlp_L{layer}"):
                    depth, tilt = layer / layers, 0.5 + number / 4
                    given = {"component": component, "chosen": 1.0, "rejected": 0.5}
                    differential = draw.gauss(0.4 * depth**2, 0.2)
                    found.append({**cell, "kind": "attribution", **given, "differential": differential})
                    effect = draw.gauss(0.5 * abs(tilt - depth), 0.3)
                    patched = {"component": component, "effect": effect, "state": "ok"}
                    found.append({**cell, "kind": "patch", **patched, "direction": "noising", "margin": 2.0})
    return encode(found)
