"""Pairs measured a second time: which, in what company, and that it tells what was told the first time."""

from dataclasses import replace
from pathlib import Path

import pytest

from claims.nondeterminism import Compared, chosen
from claims.pairs import read_pairs
from workers.models.loading import load_directory
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally
from workers.nondeterminism import rows_again

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "llama-gqa"
ASKED = Asked(lens=True, attribution="frozen_norm", patch=PatchPlan("head", "end", "all", ("noising", "denoising")))
SEED = 11


@pytest.fixture(scope="module")
def anatomy():
    return load_directory(MODEL).anatomy


@pytest.fixture(scope="module")
def pairs():
    writing = load_directory(MODEL).writing
    return [writing.encode(pair) for pair in read_pairs((MODEL / "pairs.jsonl").read_bytes()).rows]


def again(anatomy, pairs, asked=ASKED, tally=None, seed=SEED):
    return list(rows_again(anatomy, pairs, asked, tally or Tally(), seed))


def test_those_that_the_seed_picks_are_measured_again_in_their_order(anatomy, pairs):
    alike = [replace(pairs[0], id=f"copy-{number}") for number in range(40)]
    measured = [of_pair[0]["pair_id"] for of_pair in again(anatomy, alike, Asked())]
    picked = chosen([pair.id for pair in alike], SEED)
    assert measured == [pair.id for pair in alike if pair.id in picked]
    assert len(measured) == 3


def test_every_cell_comes_again_and_says_what_it_said(anatomy, pairs):
    rows = [row for of_pair in pair_rows(anatomy, pairs, ASKED, Tally()) for row in of_pair]
    second = [row for of_pair in again(anatomy, pairs) for row in of_pair]
    compared = Compared()
    list(compared.in_place(rows, second))
    assert compared.cells == len(second) == sum(row["pair_id"] == second[0]["pair_id"] for row in rows)
    figures = compared.figures()
    assert all(
        figures[f"largest_relative_difference.{kind}"] < 1e-5 for kind in ("score", "lens", "attribution", "patch")
    )
    assert compared.identical < compared.cells  # other matrices are multiplied: something rounds otherwise


@pytest.mark.parametrize(("neighbours", "texts"), [(1, 4), (2, 2), (5, 2)])
def test_a_pair_that_had_its_block_for_itself_gets_company_and_one_that_had_company_none(
    anatomy, pairs, neighbours, texts
):
    alike = [replace(pairs[0], id=f"copy-{number}") for number in range(neighbours)]
    tally = Tally()
    (of_pair,) = again(anatomy, alike, Asked(), tally)
    assert [row["side"] for row in of_pair] == ["chosen", "rejected"]
    assert tally.texts == texts


def test_a_text_too_long_for_two_in_a_block_gets_company_all_the_same(anatomy, pairs):
    tally = Tally()
    again(anatomy, pairs[:1], Asked(tokens=1), tally)
    assert tally.texts == 4


def test_fewer_patches_run_together(anatomy, pairs, monkeypatch):
    budgets = []
    real = pair_rows

    def watched(anatomy, pairs, asked, tally):
        budgets.append(asked.budget)
        return real(anatomy, pairs, asked, tally)

    monkeypatch.setattr("workers.nondeterminism.pair_rows", watched)
    again(anatomy, pairs[:1], replace(ASKED, budget=3_000_000))
    assert budgets == [1_000_000]
