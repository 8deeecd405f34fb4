"""What a claim's page says of the second measurement of some of its cells."""

import sys

import pytest

from app.pages import words
from app.pages.claim.sureness import method_facts

TWICE = {"share": 0.0625, "cells": 1024.0, "cells_identical": 812.0}
APART = {"largest_difference.patch": 3e-6, "largest_relative_difference.patch": 1.5e-7}


@pytest.fixture
def said(refuted):
    """`said(figures)`: the sentence on the page of a claim whose evidence has them."""

    def of(figures):
        evidence = refuted.evidence.model_copy(update={"nondeterminism": figures})
        record = refuted.__class__(**{**vars(refuted), "evidence": evidence})
        (fact,) = [fact for fact in method_facts(record) if fact.term == "Non-determinism"]
        return fact.value

    return of


def test_nothing_measured_twice_is_said(said):
    assert said({}) == "not measured in this run"


def test_bits_that_agree_are_said(said):
    alike = TWICE | {"cells_identical": 1024.0, "largest_relative_difference.patch": 0.0}
    assert said(alike) == (
        "6.25\u202f% of the cells were measured twice, in other batches: all 1\u202f024 agree to the last bit; "
        "no bound moves"
    )


def test_the_widest_band_beside_its_interval_is_said_with_its_metric(said, refuted):
    wide, narrow = sorted(refuted.evidence.estimates, key=lambda name: -width(refuted, name))[:2]
    bands = {f"band.{wide}": 3e-3 * width(refuted, wide), f"band.{narrow}": 4e-3 * width(refuted, narrow)}
    shown = words.number(bands[f"band.{narrow}"])
    assert said(TWICE | APART | bands) == (
        "6.25\u202f% of the cells were measured twice, in other batches: 812 of 1\u202f024 agree to the last bit, "
        "the others differ by at most 1.50e\u22127 of the largest value of their kind; "
        f"had all been, no bound would move by more than 0.004 of its interval ({narrow}: {shown})"
    )


def width(record, name):
    return record.evidence.estimates[name].hi - record.evidence.estimates[name].lo


def test_bounds_that_stay_are_said(said, refuted):
    zero = {f"band.{name}": 0.0 for name in refuted.evidence.estimates}
    assert said(TWICE | APART | zero).endswith("of their kind; no bound moves")
    assert said(TWICE | APART).endswith("of their kind; no bound moves")


def test_a_metric_that_may_have_no_bounds_is_named(said, refuted):
    first, second, *_ = refuted.evidence.estimates
    figures = TWICE | APART | {f"band.{first}": 2e-7, f"band.{second}": sys.float_info.max}
    assert said(figures).endswith(f"; measured again, {second} may have no bounds at all")
