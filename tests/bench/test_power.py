"""Power as the design check predicts it, beside how often whole studies come out so: rows, estimates, verdicts.

With --full the grid of docs/power.md, and its table; else a slice of it.
"""

from collections import Counter
from functools import partial
from math import sqrt

import pytest

from claims.instruments import catalogue
from claims.power import power_of
from claims.verdict.regions import outcome
from tests.bench.power_grid import GRID, SLICE, at_its_fewest
from tests.bench.power_ratios import late_shares, relative_errors, sign_agreements
from tests.bench.power_studies import Study, gaps, margins
from tests.bench.power_uneven import uneven_deltas

# Of which rows are drawn by the campaign, to be held against the value and the sd that are stated; else of the first.
KNOWN = (margins, gaps, relative_errors, sign_agreements, late_shares, partial(uneven_deltas, method="bca"))
WORDS, FIELDS = ("confirmed", "refuted", "inconclusive"), ("power", "refuted", "inconclusive")


def predictions(study: Study) -> list[dict]:
    """Thresholds some standard errors on either side of the true value, and bands around it."""
    error, value = study.sd / sqrt(study.n), study.value
    beyond = [
        {"op": op, "value": value - sign * away * error}
        for op, sign in ((">", 1), ("<", -1))
        for away in (-2.5, 0, 1, 2, 3, 4)
    ]
    bands = [
        {"op": op, "low": value - width * error, "high": value + width * error}
        for op in ("within", "outside")
        for width in (2, 3.5, 5)
    ]
    return beyond + bands


def predicted(study: Study) -> list[dict]:
    """What the design check says of each, six at a time: of more it simulates fewer studies."""
    asked, manifest = predictions(study), catalogue()[study.instrument].MANIFEST
    parts = (study.registration(asked[first : first + 6]) for first in range(0, len(asked), 6))
    return [said for part in parts for said in power_of(part, manifest, {study.metric: study.n}).hypotheses]


def decided(study: Study, replicates: int) -> list[Counter]:
    """By hypothesis, how often each word was the outcome; a study without an interval, or without width, is void."""
    registration = study.registration(predictions(study))
    found = [Counter() for _ in registration.hypotheses]
    for seed in range(replicates):
        estimate = study.estimated(registration, seed).estimates.get(study.metric)
        for counter, hypothesis in zip(found, registration.hypotheses, strict=True):
            void = estimate is None or estimate.lo == estimate.hi
            counter["void" if void else outcome(estimate.lo, estimate.hi, hypothesis.predict)] += 1
    return found


def test_predicted_power_is_what_whole_studies_have(full):
    off = []
    for study in GRID if full else SLICE:
        replicates, said_of_all, differences, shown = (
            study.replicates if full else SLICE[study],
            predicted(study),
            [],
            [],
        )
        for said, words in zip(said_of_all, decided(study, replicates), strict=True):
            shares = [words[word] / replicates for word in WORDS]
            differences += [(abs(said[name] - share), share) for name, share in zip(FIELDS, shares, strict=True)]
            shown.append(f"{said['power']:.0%} {shares[0]:.0%}")
        # Of the slice, three Monte Carlo errors more.
        off += [
            (study.name, difference, share)
            for difference, share in differences
            if difference > study.points + (0 if full else 3 * sqrt(share * (1 - share) / replicates))
        ]
        worst = 100 * max(differences)[0]
        print(f"| {study.name} | {said_of_all[0]['drawn_from']} | {' | '.join(shown[1:6])} | {worst:.1f} |", flush=True)
    assert off == []


def test_the_rows_are_of_the_population_that_they_are_said_to_be_of(full):
    for study in map(at_its_fewest, KNOWN if full else KNOWN[:1]):
        registration, replicates = study.registration(predictions(study)[:1]), 2000 if full else 150
        found = [study.estimated(registration, seed).estimates[study.metric].value for seed in range(replicates)]
        error = study.sd / sqrt(study.n)
        assert sum(found) / replicates == pytest.approx(study.value, abs=4 * error / sqrt(replicates))
        spread = sqrt(sum((value - study.value) ** 2 for value in found) / replicates)
        assert spread == pytest.approx(error, rel=4 / sqrt(2 * replicates))
