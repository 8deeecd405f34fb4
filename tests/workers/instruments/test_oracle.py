"""Every instrument against float64 truth, read as a stranger reads rows.jsonl and evidence.json: by field names."""

import json
import subprocess
import sys
import tomllib
from functools import cache
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from tempfile import TemporaryDirectory

import pytest
from scipy.stats import spearmanr

from workers.unregistered import command

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "tests" / "fixtures" / "models"
FAMILIES = ("gemma2", "gpt2", "llama-gqa", "llama-gqa-chat", "qwen2")
COMMAND = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["antedate.commands"]
# As `antedate` runs it, whatever the entry points of the environment were when it was installed.
PROGRAM = f"""
from app.cli import application
application.COMMANDS["measure"] = ({COMMAND["measure"]!r}, "")
application.main()
"""
SIDES = ("chosen", "rejected")
STATES = ("unreachable", "unreachable_window", "identical")
# The patches of which the truth is recorded.
PLACES = [
    *(("noising", alignment, positions) for alignment, positions in product(("end", "start"), ("all", "last"))),
    ("denoising", "end", "all"),
]
GRIDS = [
    *(
        {"granularity": granularity, "direction": direction, "alignment": alignment, "positions": positions}
        for granularity in ("component", "head")
        for direction, alignment, positions in PLACES
    ),
    *({"granularity": granularity, "direction": "both"} for granularity in ("component", "head")),
]
RANKINGS = ("abs", "signed", "signed_signed")
ASKED = [
    ("reward_scores", {}),
    ("lens_crystallization", {}),
    *(
        ("direct_linear_attribution", {"convention": convention, "granularity": granularity})
        for convention, granularity in product(("frozen_norm", "raw"), ("component", "head"))
    ),
    *(("patch_grid", params) for params in GRIDS),
    *(("attribution_patching", params) for params in GRIDS[:1] + GRIDS[-2:]),
    *(("attribution_patching_agreement", {"rank_by": ranking}) for ranking in RANKINGS),
    ("bias_battery", {}),
]
COMMON = {"kind", "pair_id", "dimension", "cluster"}
FIELDS = {
    "score": {"side", "score", "tokens"},
    "lens": {"layer", "chosen", "rejected", "margin"},
    "attribution": {"component", "chosen", "rejected", "differential"},
    "patch": {"component", "effect", "state", "direction", "margin"},
    "bias": {"axis", "delta", "length_delta"},
}
KINDS = {
    "reward_scores": {"score"},
    "lens_crystallization": {"score", "lens"},
    "direct_linear_attribution": {"score", "attribution"},
    "patch_grid": {"score", "patch"},
    "attribution_patching": {"score", "attribution", "patch"},
    "attribution_patching_agreement": {"score", "attribution", "patch"},
    "bias_battery": {"score", "bias"},
}


@cache
def truth(family):
    return json.loads((MODELS / family / "expected.json").read_bytes())


@cache
def measured(family, instrument, params):
    """The rows and the evidence of the command, run in this process."""
    directory = MODELS / family
    with TemporaryDirectory() as out:
        command.measure(
            instrument=instrument,
            model=str(directory),
            pairs=str(directory / "pairs.jsonl"),
            params=params,
            out=Path(out),
            quiet=True,
        )
        return written(Path(out))


def written(out):
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    return rows, json.loads((out / "evidence.json").read_text())


@pytest.fixture(params=FAMILIES)
def family(request):
    return request.param


@pytest.mark.parametrize(("instrument", "params"), ASKED, ids=str)
def test_every_value_is_the_oracles(family, instrument, params):
    check(family, instrument, params, *measured(family, instrument, json.dumps(params)))


@pytest.mark.parametrize(
    ("instrument", "params"),
    [("patch_grid", {"direction": "both"}), ("bias_battery", {}), ("attribution_patching_agreement", {})],
    ids=str,
)
def test_the_command_writes_the_same(tmp_path, instrument, params):
    directory, out = MODELS / "llama-gqa", tmp_path / "out"
    options = {
        "instrument": instrument,
        "model": str(directory),
        "pairs": str(directory / "pairs.jsonl"),
        "params": json.dumps(params),
        "out": str(out),
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    subprocess.run([sys.executable, "-c", PROGRAM, "measure", *words], check=True, capture_output=True, cwd=ROOT)
    rows, evidence = written(out)
    check("llama-gqa", instrument, params, rows, evidence)
    assert rows == measured("llama-gqa", instrument, json.dumps(params))[0]


def check(family, instrument, params, rows, evidence):
    """Every value that these rows and this evidence share with the truth is within the oracle's tolerance of it."""
    assert {row["kind"] for row in rows} == KINDS[instrument]
    for row in rows:
        directed = instrument == "attribution_patching" and row["kind"] == "attribution"
        assert set(row) == COMMON | FIELDS[row["kind"]] | ({"direction"} if directed else set())
    assert evidence["params"].items() >= params.items()
    worst = dict(errors(family, instrument, evidence["params"], rows, evidence))
    assert {section: error for section, error in worst.items() if not error <= 1} == {}
    return worst


def errors(family, instrument, params, rows, evidence):
    """By section: the largest error, as a multiple of what the oracle allows."""
    kinds = {kind: [row for row in rows if row["kind"] == kind] for kind in FIELDS}
    yield "scores", scores(family, kinds["score"])
    if instrument == "lens_crystallization":
        yield "lens", lens(family, kinds["lens"])
        yield "crystallization", crystallization(family, kinds["lens"])
    if instrument in {"direct_linear_attribution", "attribution_patching_agreement"}:
        section = "raw" if params.get("convention") == "raw" else "frozen"
        yield f"attribution/{section}", attribution(family, kinds["attribution"], section)
    if kinds["patch"]:
        yield f"patch/{params['granularity']}s", patches(family, kinds["patch"], params)
    if instrument == "attribution_patching_agreement":
        yield "agreement", agreement(family, kinds, params["rank_by"], evidence)
    if instrument == "bias_battery":
        yield "bias", bias(family, kinds["bias"], evidence)


def allowed(family, section, values):
    return max(4 * truth(family)["noise_fp32"][section], 1e-5 * max(map(abs, values)))


def worst(family, section, pairs):
    return max(abs(a - b) for a, b in pairs) / allowed(family, section, [true for _, true in pairs])


def scores(family, rows):
    pairs = truth(family)["pairs"]
    assert sorted((row["pair_id"], row["side"]) for row in rows) == sorted(product(pairs, SIDES))
    assert all(row["tokens"] == pairs[row["pair_id"]]["n_tokens"][row["side"]] for row in rows)
    return worst(family, "scores", [(row["score"], pairs[row["pair_id"]]["scores"][row["side"]]) for row in rows])


def lens(family, rows):
    pairs = truth(family)["pairs"]
    assert sorted((row["pair_id"], row["layer"]) for row in rows) == sorted(
        product(pairs, range(-1, truth(family)["n_layers"]))
    )
    fields = (*SIDES, "margin")
    return max(
        worst(family, "lens", [(row[of], pairs[row["pair_id"]]["lens"][of][row["layer"] + 1]) for row in rows])
        for of in fields
    )


def crystallization(family, rows):
    """Pairs that cross at another layer than the oracle's, where that is not a matter of rounding."""
    wrong = 0
    for name, pair in truth(family)["pairs"].items():
        margins = {row["layer"]: row["margin"] for row in rows if row["pair_id"] == name}
        final = margins[truth(family)["n_layers"] - 1]
        first = min(layer for layer, margin in margins.items() if margin / final >= 0.5)
        clear = pair["lens"]["slack"] > 4 * truth(family)["noise_fp32"]["lens/slack"]
        wrong += clear and first != pair["lens"]["crystallization"]
    return wrong * 2


def attribution(family, rows, section):
    """By component; heads and their layer's bias are added up to it, for the truth has no heads."""
    found = {}
    for row in rows:
        name = row["component"]
        layer = f"attn_{name.split('_')[1]}" if name.startswith(("head_", "bias_")) else name
        for side in SIDES:
            found.setdefault((row["pair_id"], side, layer), []).append(row[side])
        assert row["differential"] == row["chosen"] - row["rejected"]
    true = {
        (pair, side, name): value
        for pair, of in truth(family)["pairs"].items()
        for side in SIDES
        for name, value in of["attribution"][section][side].items()
    }
    assert set(found) == set(true)
    return worst(family, f"attribution/{section}", [(sum(found[at]), true[at]) for at in true])


def patches(family, rows, params):
    pairs, place = truth(family)["pairs"], (params["alignment"], params["positions"])
    heads = params["granularity"] == "head"
    directions = ["noising", "denoising"] if params["direction"] == "both" else [params["direction"]]
    found = {(row["pair_id"], row["direction"], row["component"]): row for row in rows}
    true = {}
    for (pair, of), direction in product(pairs.items(), directions):
        cells = of["patch"][direction][place[0]][place[1]]
        named = (
            {f"head_L{k}_H{h}": v for k, layer in enumerate(cells["heads"]) for h, v in enumerate(layer)}
            if heads
            else cells["components"]
        )
        for name, value in named.items():
            true[pair, direction, name] = value
            cell = "/".join((direction, *place, name))
            states = [state for state in STATES if cell in of["patch"][state]] or ["ok"]
            assert heads or [found[pair, direction, name]["state"]] == states, cell
            assert found[pair, direction, name]["state"] == "ok" or value == pytest.approx(0, abs=1e-12)
    assert set(found) == set(true)
    assert len(found) == len(rows)
    margins = [(row["margin"], pairs[row["pair_id"]]["scores"]["margin"]) for row in rows]
    assert worst(family, "scores", margins) <= 2
    section = f"patch/{params['granularity']}s"
    return worst(family, section, [(found[at]["effect"], true[at]) for at in true])


def agreement(family, kinds, ranking, evidence):
    """Spearman from the rows, by a library; and the evidence's own mean."""
    true = truth(family)["agreement"]
    means = {}
    for kind, field, absolute in (
        ("attribution", "differential", ranking == "abs"),
        ("patch", "effect", ranking != "signed_signed"),
    ):
        for row in kinds[kind]:
            if row["component"].startswith(("attn_", "mlp_")):
                value = abs(row[field]) if absolute else row[field]
                means.setdefault((row["dimension"], kind, row["component"]), []).append(value)
    gaps = []
    for dimension, rhos in true["per_dimension"].items():
        names = sorted({name for of, _, name in means if of == dimension})
        ranks = [[mean(means[dimension, kind, name]) for name in names] for kind in ("attribution", "patch")]
        gaps.append(abs(spearmanr(*ranks).statistic - rhos[ranking]))
    gaps.append(abs(evidence["estimates"]["mean_rho"]["value"] - true[f"mean_{ranking}"]))
    return max(gaps) / 1e-9


def bias(family, rows, evidence):
    true, told = truth(family)["bias"], evidence["diagnostics"]
    assert {row["axis"] for row in rows} == set(true)
    found = []
    for axis, expected in true.items():
        deltas = [row["delta"] for row in rows if row["axis"] == axis]
        assert len(deltas) == expected["n"]
        sizes = [sum(row["cluster"] == name for row in rows if row["axis"] == axis) for name in clusters(rows, axis)]
        assert sum(sizes) ** 2 / sum(size**2 for size in sizes) == pytest.approx(expected["kish_n"])
        assert told[f"n_effective.{axis}"] == pytest.approx(expected["kish_n"])
        found += [
            (mean(deltas), expected["mean_delta"]),
            (mean(deltas) / stdev(deltas), expected["cohens_d"]),
            (told[f"point_mean_delta.{axis}"], expected["mean_delta"]),
            (told[f"cohens_d.{axis}"], expected["cohens_d"]),
        ]
        effect = told[f"point_effect_size.{axis}"]
        true_effects = (expected["hedges_g"], expected["hedges_g_exact"])
        found.append((effect, min(true_effects, key=lambda value: abs(value - effect))))
    return worst(family, "bias", found)


def clusters(rows, axis):
    return {row["cluster"] for row in rows if row["axis"] == axis}
