"""direct_linear_attribution by plain formulas."""

import random

import pytest

COMPONENTS = {
    "component": lambda layers: [f"{kind}_L{layer}" for layer in range(layers) for kind in ("attn", "mlp")],
    "head": lambda layers: [
        f"{name}" for layer in range(layers)
        for name in (f"head_L{layer}_H0", f"head_L{layer}_H1", f"bias_L{layer}", f"mlp_L{layer}")
    ],
}  # fmt: skip


def attributed(cell, differentials):
    return [
        {**cell, "kind": "attribution", "component": name, "chosen": value, "rejected": 0.0, "differential": value}
        for name, value in differentials.items()
    ]


@pytest.mark.parametrize("params", [
    {"convention": convention, "granularity": granularity}
    for convention in ("frozen_norm", "raw") for granularity in COMPONENTS
])  # fmt: skip
@pytest.mark.parametrize("shape", [(1, 9), (15, 9), (16, 9), (16, 1)])
def test_shares_and_means(recomputed, pairs, scored, params, shape):
    layers, clusters = shape
    convention, granularity = params["convention"], params["granularity"]
    draw = random.Random(f"{convention} {layers} {clusters}")
    names = ["embed", "norm_bias", *COMPONENTS[granularity](layers)]
    rows = []
    for cell in pairs(layers, clusters=clusters):
        values = {name: draw.gauss(place / len(names) - 0.5, 1) for place, name in enumerate(names)}
        values["norm_bias"] = 0.0
        margin = sum(values.values()) + (draw.gauss(0, 1) if convention == "raw" else 0)
        rows += attributed(cell, values) + scored(cell, margin)
    draw.shuffle(rows)
    found = recomputed("direct_linear_attribution", rows, params)
    late = {1: ["0"], 15: ["14"], 16: ["14", "15"]}[layers]
    last = [name for name in names if "_L" in name and name.split("_")[1][1:] in late]
    assert found["late_share"] == pytest.approx(sum(found[f"share.{name}"] for name in last))
    assert (found["unexplained_share"] > 1e-6) == (convention == "raw")


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_nothing_attributed_has_no_share(recomputed, pairs, scored, margin):
    rows = []
    for cell in pairs(1):
        rows += attributed(cell, {"embed": 0.0, "attn_L0": 0.0}) + scored(cell, margin)
    found = recomputed("direct_linear_attribution", rows)
    assert set(found) == {"mean_differential.embed", "mean_differential.attn_L0", "accuracy"}


def test_where_nothing_is_of_a_layer_nothing_is_late(recomputed, pairs, scored):
    draw, rows = random.Random(1), []
    for cell in pairs(1):
        rows += attributed(cell, {"embed": draw.gauss(0, 1), "norm_bias": 0.0}) + scored(cell, 1.0)
    assert recomputed("direct_linear_attribution", rows)["late_share"] == 0
