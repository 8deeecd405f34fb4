"""However a run is cut, in whatever order its parts are measured, the rows are the same."""

from importlib import import_module
from pathlib import Path

import pytest

from claims.instruments import catalogue, pair_blocks
from claims.pairs import read_pairs
from workers.resources import Resources
from workers.unregistered import asking
from workers.unregistered.asking import Options

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
DIRECTORY = MODELS / "qwen2"
PAIRS = read_pairs((DIRECTORY / "pairs.jsonl").read_bytes())
NUMBERS = ("score", "chosen", "rejected", "margin", "differential", "effect", "delta")
ASKED = [
    ("reward_scores", "{}"),
    ("lens_crystallization", "{}"),
    ("direct_linear_attribution", '{"granularity": "head"}'),
    ("patch_grid", '{"granularity": "head", "alignment": "start", "direction": "both"}'),
    ("patch_grid", '{"positions": "last"}'),
    ("attribution_patching", "{}"),
    ("attribution_patching_agreement", "{}"),
    ("bias_battery", "{}"),
]


def seeds(label):
    return 7


def measured(name, params, order=lambda shards: shards):
    given = (name, str(DIRECTORY), str(DIRECTORY / "pairs.jsonl"), (), params, None, None, ())
    registration = asking.question(Options(*given, 0.95, None, None, "ab" * 32)).registration
    measure = import_module(f"workers.instruments.{name}").measure
    resources = Resources(PAIRS.rows, Path("/"))
    found = {}
    for shard in order(catalogue()[name].plan(registration, PAIRS.dimensions)):
        found[shard.label] = list(measure(shard, registration, seeds, resources, lambda done: None).rows)
    return found


def identity(row):
    return {key: value for key, value in row.items() if key not in NUMBERS}


@pytest.mark.parametrize(("name", "params"), ASKED)
def test_shards_in_the_opposite_order_give_the_same_rows(name, params):
    assert measured(name, params, order=reversed) == measured(name, params)


@pytest.mark.parametrize(("name", "params"), ASKED)
def test_shards_of_another_size_give_the_same_rows_but_for_rounding(name, params, monkeypatch):
    whole = [row for rows in measured(name, params).values() for row in rows]
    monkeypatch.setattr(pair_blocks, "PAIRS_A_SHARD", 1)
    alone = measured(name, params)
    assert len(alone) == len(PAIRS.rows)
    single = [row for rows in alone.values() for row in rows]
    assert [identity(row) for row in single] == [identity(row) for row in whole]
    scale = {field: max((abs(row[field]) for row in whole if field in row), default=0) for field in NUMBERS}
    for one, other in zip(single, whole, strict=True):
        for field in set(one) & set(NUMBERS):
            assert one[field] == pytest.approx(other[field], abs=1e-5 * scale[field]), (field, one)
