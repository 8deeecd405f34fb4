"""Every family taken apart: our forward against the model's own, fast patches against one forward a patch."""

from dataclasses import replace
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.models import grid
from workers.models.attribution import contributions
from workers.models.families import anatomy_of
from workers.models.grid import patch_each
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally, pair_runs
from workers.models.patching import sites_of
from workers.models.reading import read, score

CHOSEN, REJECTED = [1, 7, 9, 12, 4, 30, 21, 8, 5, 33], [1, 7, 9, 13, 4, 6, 22]
# Which text is longer, one that begins as the other ends, and one token each beyond what they share.
TEXTS = {
    "longer": (CHOSEN, REJECTED),
    "shorter": (REJECTED, CHOSEN),
    "equal": (CHOSEN, [*CHOSEN[:4], *reversed(CHOSEN[4:])]),
    "prefix": (CHOSEN[:5], CHOSEN),
    "one token": ([1, 4], [1, 5]),
    "nothing before": ([4], [4, 5]),
}
PLANS = [
    PatchPlan(granularity, alignment, positions, ("noising", "denoising"))
    for granularity, alignment, positions in product(
        ("component", "head"), ("end", "start"), ("all", "response", "last")
    )
]
tokens = st.lists(st.integers(2, 39), min_size=1, max_size=12)


def close(found, expected, tolerance=1e-5):
    """Within a tolerance of the largest value there is."""
    found, expected = torch.as_tensor(found).double(), torch.as_tensor(expected).double()
    assert float((found - expected).abs().max()) <= tolerance * max(1.0, float(expected.abs().max()))


@pytest.mark.parametrize("texts", TEXTS)
def test_what_is_traced_is_what_the_models_own_forward_gives(small, make, texts):
    pair = make.pair(*TEXTS[texts])
    (run,) = pair_runs(small.anatomy, [pair], None, Tally())
    for side, trace in run.traces.items():
        ids = torch.tensor([getattr(pair, side).ids])
        own = read(small.anatomy, ids)
        close(trace.scores, small.model(input_ids=ids).logits[:, 0])
        close(trace.final, own.stream)
        for index, layer in enumerate(trace.layers):
            last = layer.heads.shape[1]
            close(layer.attention, own.outputs[f"attn_L{index}"][:, -last:])
            close(layer.mlp, own.outputs[f"mlp_L{index}"][:, -last:])
            close(layer.heads, own.outputs[f"heads_L{index}"][:, -last:])


@pytest.mark.parametrize(
    ("plan", "texts"),
    [
        *product(PLANS, ("longer", "shorter")),
        *product((PLANS[0], PLANS[-3]), sorted({*TEXTS} - {"longer", "shorter"})),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.granularity}-{value.alignment}-{value.positions}",
)
def test_every_patch_is_what_one_forward_a_patch_gives(small, make, naive, plan, texts):
    pair = make.pair(*TEXTS[texts])
    sites = sites_of(small.anatomy, plan.granularity)
    (rows,) = pair_rows(small.anatomy, [pair], Asked(patch=plan), Tally())
    score_of = {row["side"]: row["score"] for row in rows if row["kind"] == "score"}
    for direction, patched, source, sign in (
        ("noising", pair.chosen, pair.rejected, -1),
        ("denoising", pair.rejected, pair.chosen, 1),
    ):
        expected = naive(small.anatomy, sites, patched, source, plan)
        clean = score_of["chosen" if direction == "noising" else "rejected"]
        found = {row["component"]: row for row in rows if row["kind"] == "patch" and row["direction"] == direction}
        assert list(found) == [site.name for site in sites]
        effects = [sign * (expected[name] - clean) for name in found]
        close([row["effect"] for row in found.values()], effects)
        for row, effect in zip(found.values(), effects, strict=True):
            assert (row["state"] == "ok") or abs(effect) < 1e-4, row
            assert row["effect"] == 0 or row["state"] == "ok"


@pytest.mark.parametrize("granularity", ["component", "head"])
def test_contributions_add_up_to_the_reward(small, make, granularity):
    (run,) = pair_runs(small.anatomy, [make.pair(CHOSEN, REJECTED)], None, Tally())
    for trace in run.traces.values():
        terms = contributions(small.anatomy, trace, "frozen_norm", granularity)
        stacked = torch.stack(list(terms.values()))
        assert ((stacked.sum(0) - trace.scores).abs() <= 1e-5 * stacked.abs().sum(0)).all()


def test_heads_add_up_to_their_attention(small, make):
    (run,) = pair_runs(small.anatomy, [make.pair(CHOSEN, REJECTED)], None, Tally())
    trace = run.traces["chosen"]
    for convention in ("frozen_norm", "raw"):
        whole = contributions(small.anatomy, trace, convention)
        split = contributions(small.anatomy, trace, convention, "head")
        for layer in range(3):
            of_layer = [
                value for name, value in split.items() if name.startswith((f"head_L{layer}_", f"bias_L{layer}"))
            ]
            close(sum(of_layer), whole[f"attn_L{layer}"])
        assert {name for name in whole if not name.startswith("attn")} <= set(split)


def test_a_component_or_head_replaced_by_itself_changes_nothing(small):
    """To the last bit one patch at a time; to the measured noise in the fast path."""
    ids = torch.tensor([CHOSEN])
    own = read(small.anatomy, ids)
    for name, output in own.outputs.items():
        assert torch.equal(score(small.anatomy, ids, {name: lambda _, output=output: output.clone()}), own.scores)


def test_a_text_patched_from_itself_has_identical_cells_alone(small, make):
    pair = make.pair(CHOSEN, REJECTED)
    (run,) = pair_runs(small.anatomy, [pair], PLANS[0], Tally())
    patching = run.patchings["noising"]
    itself = replace(patching, source=patching.clean, index=torch.where(patching.index >= 0, torch.arange(10), -1))
    for granularity in ("component", "head"):
        sites = sites_of(small.anatomy, granularity)
        assert {state for states in itself.states(small.anatomy, sites) for state in states} == {"identical"}
        scores = patch_each(small.anatomy, sites, itself, 1 << 30).scores
        close(scores, patching.clean.scores.expand_as(scores))


def test_pairs_swapped_give_the_opposite(small, make):
    """Margins and attributions are antisymmetric; noising one way is denoising the other."""
    pair = make.pair(CHOSEN, REJECTED)
    swapped = replace(pair, chosen=pair.rejected, rejected=pair.chosen)
    asked = Asked(lens=True, attribution="frozen_norm", patch=PLANS[0])
    (rows,), (again,) = (list(pair_rows(small.anatomy, [of], asked, Tally())) for of in (pair, swapped))
    other = {"noising": "denoising", "denoising": "noising", None: None}
    keyed = {(row["kind"], row.get("component"), row.get("layer"), row.get("direction")): row for row in again}
    for row in rows:
        back = keyed[row["kind"], row.get("component"), row.get("layer"), other[row.get("direction")]]
        field = {"lens": "margin", "attribution": "differential", "patch": "effect"}.get(row["kind"])
        if field:
            close(row[field], -back[field])


@settings(max_examples=40)
@given(
    st.lists(st.tuples(tokens, tokens).filter(lambda pair: pair[0] != pair[1]), min_size=2, max_size=5), st.randoms()
)
def test_no_number_hangs_on_which_pairs_are_measured_beside_it(make, pairs, random):
    """Batch composition, the order of pairs and their lengths: families in turn, by the draw."""
    family = random.choice(["gemma2", "gpt_neox", "llama"])
    anatomy = kept(make, family)
    texts = [make.pair([1, *a], [1, *b], name=str(number)) for number, (a, b) in enumerate(pairs)]
    shuffled = random.sample([*texts, *texts], 2 * len(texts))
    asked = Asked(lens=True, attribution="frozen_norm", patch=PLANS[0])
    alone = {of[0]["pair_id"]: of for text in texts for of in pair_rows(anatomy, [text], asked, Tally())}
    for of in pair_rows(anatomy, sorted(shuffled, key=lambda pair: len(pair.chosen.ids)), asked, Tally()):
        for a, b in zip(of, alone[of[0]["pair_id"]], strict=True):
            numbers = [name for name in a if isinstance(a[name], float)]
            close([a[name] for name in numbers], [b[name] for name in numbers])
            assert {name: a[name] for name in a if name not in numbers} == {n: b[n] for n in b if n not in numbers}


KEPT = {}


def kept(make, family):
    """Its anatomy, made once for all draws."""
    if family not in KEPT:
        KEPT[family] = anatomy_of(make.model(family))
    return KEPT[family]


@pytest.mark.parametrize("granularity", ["component", "head"])
def test_no_number_hangs_on_how_many_patches_are_run_together(small, make, granularity):
    (run,) = pair_runs(small.anatomy, [make.pair(CHOSEN, REJECTED)], PLANS[0], Tally())
    sites = sites_of(small.anatomy, granularity)
    whole = patch_each(small.anatomy, sites, run.patchings["noising"], 1 << 40)
    for budget in (1, 20_000, 100_000):
        parts = patch_each(small.anatomy, sites, run.patchings["noising"], budget)
        close(parts.scores, whole.scores)
        assert parts.token_layers == whole.token_layers


def test_a_grid_that_a_gpu_cannot_hold_is_run_in_halves(small, make, monkeypatch):
    """As it is told by torch; one patch alone that does not fit is an error."""
    (run,) = pair_runs(small.anatomy, [make.pair(CHOSEN, REJECTED)], PLANS[0], Tally())
    sites = sites_of(small.anatomy, "component")
    whole = patch_each(small.anatomy, sites, run.patchings["noising"], 1 << 40)
    most, through = [2], grid._Chunk._through

    def short_of_memory(chunk, index, rows, *, last):
        if len(rows) > most[0]:
            raise torch.OutOfMemoryError
        return through(chunk, index, rows, last=last)

    monkeypatch.setattr(grid._Chunk, "_through", short_of_memory)
    halved = patch_each(small.anatomy, sites, run.patchings["noising"], 1 << 40)
    close(halved.scores, whole.scores)
    assert halved.token_layers == whole.token_layers
    most[0] = 0
    with pytest.raises(torch.OutOfMemoryError):
        patch_each(small.anatomy, sites, run.patchings["noising"], 1 << 40)


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_no_score(small, make, side):
    """Ours never pads; the model's own forward, padded on either side, scores what ours scores."""
    pair = make.pair(CHOSEN, REJECTED)
    (run,) = pair_runs(small.anatomy, [pair], None, Tally())
    longest = max(len(CHOSEN), len(REJECTED))
    for name, trace in run.traces.items():
        ids, padding = list(getattr(pair, name).ids), [0] * (longest + 2 - trace.length)
        mask = [1] * len(ids)
        padded = (padding + ids, [0] * len(padding) + mask) if side == "left" else (ids + padding, mask + padding)
        tokens, seen = (torch.tensor([row]) for row in padded)
        places = (seen.cumsum(-1) - 1).clamp(min=0)
        hidden = small.anatomy.backbone(input_ids=tokens, attention_mask=seen, position_ids=places).last_hidden_state
        close(small.anatomy.read_out(hidden[:, -1 if side == "left" else len(ids) - 1]), trace.scores)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.granularity}-{plan.alignment}-{plan.positions}")
def test_no_more_is_computed_than_patches_can_change(small, make, plan):
    tally = Tally()
    list(pair_rows(small.anatomy, [make.pair(CHOSEN, REJECTED)], Asked(patch=plan), tally))
    assert tally.token_layers <= 1.1 * tally.floor
