import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.organisms.planted_key_pairs import FIRST_FILLER, MARKER, NEUTRAL, VOCABULARY, PlantedPairs, Purpose

SHAPES = st.tuples(st.integers(1, 4), st.integers(2, 6), st.floats(0, 1))


def drawn(pairs, count, purpose, seed):
    return pairs.draw(count, purpose, torch.Generator().manual_seed(seed))


@settings(max_examples=30, deadline=None)
@given(SHAPES, st.sampled_from(Purpose), st.integers(0, 2**64 - 1))
def test_a_pair_shares_its_prompt_and_differs_by_the_marker_before_the_last_token(shape, purpose, seed):
    prompt, response, variation = shape
    chosen, rejected = drawn(PlantedPairs(prompt, response, variation), 20, purpose, seed)
    assert chosen.shape == rejected.shape == (20, prompt + response)
    assert torch.equal(chosen[:, :prompt], rejected[:, :prompt])
    assert ((chosen == MARKER).sum(1) == 1).all()
    assert torch.equal(chosen == MARKER, rejected == NEUTRAL)
    assert not (chosen[:, -1] == MARKER).any()
    fillers = chosen[chosen != MARKER]
    assert ((fillers >= FIRST_FILLER) & (fillers < VOCABULARY)).all()


def test_other_tokens_vary_as_often_as_asked():
    for variation in (0.0, 0.5, 1.0):
        chosen, rejected = drawn(PlantedPairs(2, 6, variation), 4000, Purpose.SCORED, 3)
        others = (chosen != MARKER)[:, 2:]
        share = (chosen != rejected)[:, 2:][others].float().mean().item()
        assert share == pytest.approx(variation * 59 / 60, abs=0.02)  # redrawn, it may be the same again


def test_the_four_sets_share_no_prompt_and_use_every_filler():
    pairs = PlantedPairs(2, 3, 0.5)
    prompts = [{tuple(text) for text in drawn(pairs, 6000, purpose, 7)[0][:, :2].tolist()} for purpose in Purpose]
    assert sum(map(len, prompts)) == len(set.union(*prompts))
    for found in prompts:
        assert {token for prompt in found for token in prompt} == set(range(FIRST_FILLER, VOCABULARY))


def test_twins_are_equal_but_for_the_marker():
    marked, neutral = PlantedPairs(2, 3, 0.5).draw_twins(50, torch.Generator().manual_seed(1))
    assert torch.equal(marked != neutral, marked == MARKER)
    assert ((marked == MARKER).sum(1) == 1).all()
    assert (neutral[marked == MARKER] == NEUTRAL).all()


def test_the_same_seed_gives_the_same_pairs():
    pairs = PlantedPairs(2, 3, 0.5)
    first, again, other = (drawn(pairs, 10, Purpose.SCORED, seed)[0] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
