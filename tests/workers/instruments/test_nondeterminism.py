"""On a CPU in float32: how far a second measurement is from the first, for every instrument over pairs."""

from pathlib import Path

import pytest

from workers import row_file
from workers.unregistered import asking
from workers.unregistered.asking import Options
from workers.unregistered.running import run, shards_of

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = ("gemma2", "gpt2", "llama-gqa", "llama-gqa-chat", "qwen2")
KINDS = {
    "reward_scores": {"score"},
    "lens_crystallization": {"lens", "score"},
    "direct_linear_attribution": {"attribution", "score"},
    "patch_grid": {"patch", "score"},
    "bias_battery": {"bias", "score"},
    "attribution_patching": {"attribution", "patch", "score"},
    "attribution_patching_agreement": {"attribution", "patch", "score"},
}
IN_REWARD = ("mean_margin", "final_margin", "mean_differential.", "mean_effect", "mean_delta.")


@pytest.fixture
def measured():
    """`measured(family, instrument)`: the evidence, and how many rows there are of both files."""

    def of(family, instrument):
        resamples = 2_000 if instrument == "bias_battery" else None
        given = (instrument, str(MODELS / family), str(MODELS / "llama-gqa" / "pairs.jsonl"), (), "{}", None, None, ())
        question = asking.question(Options(*given, 0.95, None, resamples, "ab" * 32))
        with row_file.temporary() as files:
            evidence = run(question, shards_of(question), files, lambda done: None)
            return evidence, len(list(files.rows.rows())), len(list(files.again.rows()))

    return of


@pytest.mark.parametrize("instrument", KINDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_bounds_move_by_rounding_alone(measured, family, instrument):
    evidence, rows, again = measured(family, instrument)
    found = evidence.nondeterminism
    assert found["share"] == 0.25  # one of each dimension's four pairs
    assert found["cells"] == again == rows / 4
    prefix = "largest_relative_difference."
    relative = {name.removeprefix(prefix): value for name, value in found.items() if name.startswith(prefix)}
    assert set(relative) == KINDS[instrument]
    assert max(relative.values()) <= 1e-5
    assert {name for name in found if name.startswith("band.")} == {f"band.{name}" for name in evidence.estimates}
    for family_of_metrics in IN_REWARD:
        of_family = {name: one for name, one in evidence.estimates.items() if name.startswith(family_of_metrics)}
        scale = max((max(abs(one.lo), abs(one.hi)) for one in of_family.values()), default=0)
        assert all(found[f"band.{name}"] <= 1e-5 * scale for name in of_family)
