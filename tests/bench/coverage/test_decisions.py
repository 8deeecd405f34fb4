"""What 2-ledger.md promises of false decisions, at the boundary, by the rule and levels that verdicts are made by."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from tests.bench.coverage.decisions import Case, cases, decided
from tests.bench.coverage.false_decisions import read, write, write_tables

DECISIONS = ("confirmed", "refuted", "any")


def allowed(case, decision, replicates):
    """3 Monte Carlo errors beyond the promise; and 0.75 points for each tail where intervals only come near a level."""
    alpha, chance = 1 - case.confidence, case.promised.get(decision, 1.0)
    near = 0 if case.distribution == "normal" else 0.0075 * chance / (alpha / 2)
    return chance + near + 3 * np.sqrt(chance * (1 - chance) / replicates)


def test_false_decisions_are_no_more_frequent_than_promised(full):
    if full:
        write(10_000)
        write_tables()
    lines = list(read())
    assert [case for case, _, _ in lines] == cases()
    for case, replicates, found in lines:
        for decision in DECISIONS:
            assert found[decision] <= allowed(case, decision, replicates), (case, found)


@pytest.mark.parametrize("case", [cases()[0], cases()[7], cases()[16], cases()[-1]])
def test_the_published_shares_are_what_comes_out(case):
    replicates, told = next(rest for line, *rest in read() if line == case)
    found = decided(case, 400, seed=1)
    for decision, share in told.items():
        error = np.sqrt(max(share, 1 / 400) * (1 - share) * (1 / 400 + 1 / replicates))
        assert abs(found[decision] - share) <= 4 * error, (decision, found, told)


def test_a_wrong_level_would_be_seen():
    """Twenty hypotheses, each at the level of one."""
    alone = replace(cases()[-2], hypotheses=1)

    class Uncorrected(Case):
        level = alone.level

    case = Uncorrected(**asdict(cases()[-2]))
    assert decided(case, 200, seed=1)["any"] > allowed(case, "any", 200)
