"""Rows and evidence of what was asked, in this process."""

import pytest

from claims.evidence import Evidence
from workers import row_file
from workers.unregistered import asking
from workers.unregistered.asking import Options
from workers.unregistered.running import run, shards_of

RECIPE = '{"layers":4,"hidden":16,"steps":2,"min_accuracy":0.5}'


@pytest.fixture
def measured():
    """`measured(seed)`: the rows, the evidence and the progress of two small organisms."""

    def of_seed(seed):
        sizes = ("organisms=2", "pairs_per_organism=2")
        given = ("planted_key_recovery", "organism:planted_key", None, (), "{}", RECIPE, None, sizes)
        question = asking.question(Options(*given, 0.95, None, None, seed))
        shards, told = shards_of(question), []
        with row_file.temporary() as files:
            evidence = run(question, shards, files, told.append)
            return list(files.rows.rows()), evidence, told, shards

    return of_seed


def test_shards_are_joined_in_their_order_and_what_they_took_is_added_up(measured):
    rows, evidence, told, shards = measured("ab" * 32)
    assert isinstance(evidence, Evidence)
    assert [row["organism"] for row in rows] == sorted(row["organism"] for row in rows)
    assert len(rows) == sum(shard.rows for shard in shards) == told[-1]
    assert told == sorted(told)
    assert evidence.cost["attempts"] == 2
    assert evidence.provenance.started < evidence.provenance.finished
    assert evidence.counts["organisms"] == 2
    assert "governed organisms" in evidence.not_measured["spearman"]


def test_the_same_seed_gives_the_same_rows_and_another_does_not(measured):
    (first, *_), (again, *_), (other, *_) = (measured(seed * 32) for seed in ("ab", "ab", "cd"))
    assert first == again
    assert [row for row in other if row["kind"] == "score"] != [row for row in first if row["kind"] == "score"]
