"""Rows of every instrument over preference pairs, and what `estimate` and `recompute` make of the same ones."""

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from claims.bundle.script import formulas
from claims.instruments import catalogue
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from claims.rows import decode, encode
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)

EXAMPLES = Path(__file__).parents[4] / "examples"
EXAMPLE = {"attribution_patching_agreement": "agreement"}
Row = dict[str, Any]
TOP_MOVES = {
    "id": "H1",
    "statement": "It is.",
    "primary": True,
    "metric": "top_moves",
    "predict": {"op": ">", "value": 1},
}
DEFAULTS: Mapping[str, str] = MappingProxyType({})


@pytest.fixture(scope="session")
def recomputed() -> Callable[..., dict[str, float]]:
    """`recomputed(instrument, rows, params)`: what is recomputed, once it has been found to be what is estimated.

    Every estimate is recomputed and the same, as is every diagnostic that is; what is recomputed beside is defined
    and without an interval, and so named among what was not measured.
    """

    def agreed(instrument: str, rows: list[Row], params: Mapping[str, str] = DEFAULTS) -> dict[str, float]:
        document = read_yaml((EXAMPLES / f"{EXAMPLE.get(instrument, instrument)}.yaml").read_bytes())
        document["instrument"] = {"name": instrument, "version": "1", "params": dict(params)}
        if instrument == "patch_grid":  # the example's are of components that heads do not have
            document |= {"hypotheses": [TOP_MOVES], "reproduction_tolerance": {}}
        body = encode(rows)
        estimated = catalogue()[instrument].estimate(decode(body), freeze_document(document).registration, SEEDS)
        recompute = formulas(instrument)
        assert recompute is not None
        found = recompute(decode(body), document)
        known = {name: one.value for name, one in estimated.estimates.items()} | estimated.diagnostics
        assert set(estimated.estimates) <= set(found)
        assert set(found) - set(known) <= set(estimated.not_measured)
        for name in known.keys() & found.keys():
            assert found[name] == pytest.approx(known[name], rel=1e-9, abs=1e-9), name
        for name in found.keys() & estimated.not_measured.keys():
            told = estimated.diagnostics.get(f"point_{name}")
            assert told is None or found[name] == pytest.approx(told, rel=1e-9, abs=1e-9), name
            told_in_words = re.match("it is (.+) in this sample", estimated.not_measured[name])
            # Why there is no macro_accuracy is said of the first dimension that has none.
            if told_in_words and name != "macro_accuracy":
                assert found[name] == pytest.approx(float(told_in_words[1]), rel=1e-5, abs=1e-5), name
        return found

    return agreed


@pytest.fixture(scope="session")
def pairs() -> Callable[..., list[Row]]:
    """`pairs(seed)`: the common fields of pairs in three dimensions of unequal size, in clusters of unequal size.

    One cluster spans the dimensions. With `clusters=1` every pair is of the same.
    """

    def made(seed: int, sizes: tuple[int, ...] = (17, 11, 14), clusters: int = 9) -> list[Row]:
        draw, found = random.Random(seed), []
        for dimension, size in zip(("brevity", "caution", "honesty"), sizes, strict=False):
            for number in range(size):
                own = number if number < clusters else draw.randrange(clusters)
                cluster = "shared" if own == 0 else f"{dimension}/{own}"
                found.append({"pair_id": f"{dimension}/{number}", "dimension": dimension, "cluster": cluster})
        draw.shuffle(found)
        return found

    return made


@pytest.fixture(scope="session")
def scored() -> Callable[..., list[Row]]:
    """`scored(cell, margin)`: both texts' rows of kind score."""

    def rows(cell: Row, margin: float, tokens: tuple[int, int] = (4, 4)) -> list[Row]:
        sides = zip(("chosen", "rejected"), (margin, 0.0), tokens, strict=True)
        return [{**cell, "kind": "score", "side": side, "score": score, "tokens": n} for side, score, n in sides]

    return rows


@pytest.fixture(scope="session")
def pair_rows() -> Callable[..., list[Row]]:
    """Rows of one pair: a differential and an effect for each component, in order; cells may name a state."""

    def rows(
        pair: str,
        differentials: Mapping[str, float],
        effects: Mapping[str, float],
        *,
        dimension: str,
        cluster: str | None = None,
        margin: float = 1.0,
        states: Mapping[str, str] = DEFAULTS,
        direction: str = "noising",
    ) -> list[Row]:
        at = {"pair_id": pair, "dimension": dimension, "cluster": cluster or pair, "direction": direction}
        attributed = [
            {"kind": "attribution", **at, "component": name, "chosen": value, "rejected": 0.0, "differential": value}
            for name, value in differentials.items()
        ]
        patched = [
            {"kind": "patch", **at, "component": name, "effect": value, "state": states.get(name, "ok")}
            for name, value in effects.items()
        ]
        return attributed + [{**row, "margin": margin} for row in patched]

    return rows
