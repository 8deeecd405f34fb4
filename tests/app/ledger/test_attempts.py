"""Every attempt is counted: what is one family whatever it is called, and what is another."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from app.ledger.attempts import attempts
from app.ledger.families import families, numbers
from app.ledger.filters import ClaimFilter
from app.ledger.judging import record_evidence
from app.ledger.links import withdraw
from app.ledger.overdue import among, count
from app.ledger.queries import list_claims
from app.ledger.runs import hold
from claims.attempts import OUTCOMES
from claims.flaws import RefusedInputError

HOURS = 72
HASH, OTHER = "a" * 64, "b" * 64
TINY = {"kind": "tiny", "seed": 7}
HUB = {"kind": "huggingface", "repo": "lab/reward", "revision": "a" * 40}
LOCAL = {"kind": "local", "directory": "reward", "weights_sha256": HASH}
PAIRS = {"kind": "pairs", "name": "Pairs", "sha256": "c" * 64, "dimensions": ["safety"]}


def on(model, dataset=PAIRS):
    return {"model": model, "dataset": dataset}


def predicting(*metrics, op=">", value=0.5, primary=True):
    return [
        {
            "id": f"H{number}", "primary": primary or not number, "statement": "It is so.", "metric": metric,
            "predict": {"op": op, "value": value},
        }
        for number, metric in enumerate(metrics)
    ]  # fmt: skip


def counted(found):
    return {word: amount for word, amount in found.family.outcomes.items() if amount}


def place(session, claim, metric="heads"):
    found = next(one for one in families(session, claim, HOURS).by_metric if one.metric == metric)
    return found.family.number, found.family.of


def test_one_measurement_filed_many_ways_is_one_family(ledger, put_claim, judge):
    """Threats, registrant: file many and show one. Title, threshold, direction, params, registrant: one family."""
    ways = [
        {},
        {"title": "Tails, then"},
        {"hypotheses": predicting("heads", op="<", value=0.9)},
        {"registrant": "bob", "prior_exposure": {"level": "full"}},
        {"instrument": {"name": "coin_toss", "version": "2", "params": {"tosses": 9}}},
        {"hypotheses": predicting("heads", "tails", value=0.1)},
        {"analysis": {"confidence": 0.9, "interval": "percentile", "unit": "organism", "resamples": 2000}},
    ]
    with ledger.begin() as session:
        claims = [put_claim(session, **parts) for parts in ways]
        judge(session, claims[0], "refuted")
        judge(session, claims[1], "confirmed")
        judge(session, claims[3], "void")
        withdraw(session, claims[4], "ada", "No.")
        assert [place(session, claim) for claim in claims] == [(number, 7) for number in range(1, 8)]
        found = families(session, claims[0], HOURS)
        (heads,) = found.by_metric
        assert counted(heads) == {"refuted": 1, "confirmed": 1, "void": 1, "withdrawn": 1, "undecided": 3}
        assert tuple(heads.family.outcomes) == OUTCOMES
        assert numbers(session, claims) == {claim: (number, 7) for number, claim in enumerate(claims, 1)}
        listed = attempts(session, claims[6], HOURS)
        assert [one.id for one in listed.items] == claims
        assert [one.outcomes["heads"] for one in listed.items][:3] == ["refuted", "confirmed", "undecided"]


@pytest.mark.parametrize(
    "parts",
    [
        {"subject": on({"kind": "organism", "recipe": "dice"}, {"kind": "generated", "generator": "tosses"})},
        {"instrument": {"name": "lens_crystallization", "version": "1", "params": {}}},
        {"hypotheses": predicting("tails")},
        {"subject": on({"kind": "organism", "recipe": "coin"})},
        {"subject": on(TINY)},
    ],
)
def test_other_weights_data_instrument_or_metric_is_another_family(ledger, put_claim, parts):
    with ledger.begin() as session:
        one, other = put_claim(session), put_claim(session, **parts)
        assert place(session, one) == (1, 1)
        assert numbers(session, [one, other]) == {one: (1, 1), other: (1, 1)}


def test_the_same_pairs_under_another_name_are_the_same(ledger, put_claim):
    with ledger.begin() as session:
        one = put_claim(session, subject=on(TINY))
        two = put_claim(session, subject=on(TINY, {**PAIRS, "name": "Fresh pairs", "dimensions": ["helpfulness"]}))
        other = put_claim(session, subject=on(TINY, {**PAIRS, "sha256": "d" * 64}))
        assert numbers(session, [one, two, other]) == {one: (1, 2), two: (2, 2), other: (1, 1)}


@pytest.fixture
def measured(open_run, evidence):
    """`measured(session, claim, sha256)`: evidence of weights with this hash, whatever the verdict on it."""

    def record(session, claim, sha256):
        open_run(session, claim)
        model = {"weights_sha256": sha256, "dtype": "float32", "device": "cpu", "attention": "eager"}
        found = evidence(0.6, 0.7, subject={"model": model, "dataset": {"sha256": PAIRS["sha256"], "n": 24}})
        record_evidence(session, hold(session, f"{claim}-1"), found, b"")

    return record


def test_weights_are_known_by_hash_once_a_name_was_measured(ledger, put_claim, measured):
    """A commit of the hub, another commit of it, a directory: one family as soon as two have led to one hash."""
    again = {**HUB, "repo": "lab/mirror", "revision": "b" * 40}
    with ledger.begin() as session:
        hub, unmeasured, mirror, local = (
            put_claim(session, subject=on(model), title=f"Claim {number} of them")
            for number, model in enumerate([HUB, HUB, again, LOCAL])
        )
        other = put_claim(session, subject=on({**LOCAL, "weights_sha256": OTHER}))
        assert numbers(session, [hub, unmeasured, mirror, local, other]) == {
            hub: (1, 2), unmeasured: (2, 2), mirror: (1, 1), local: (1, 1), other: (1, 1),
        }  # fmt: skip
        measured(session, hub, HASH)
        assert place(session, local) == (3, 3)
        measured(session, mirror, HASH)
        assert place(session, unmeasured) == (2, 4)
        assert families(session, unmeasured, HOURS).weights == sorted(
            [HASH, f"lab/reward@{'a' * 40}", f"lab/mirror@{'b' * 40}"]
        )
        assert numbers(session, [local, other]) == {local: (4, 4), other: (1, 1)}


def test_another_commit_of_a_repository_is_another_family_until_it_is_measured(ledger, put_claim):
    with ledger.begin() as session:
        claims = [put_claim(session, subject=on({**HUB, "revision": letter * 40})) for letter in "abb"]
        assert [numbers(session, claims)[claim] for claim in claims] == [(1, 1), (1, 2), (2, 2)]
        assert [place(session, claim) for claim in claims] == [(1, 1), (1, 2), (2, 2)]


def test_a_directory_that_held_other_weights_joins_no_families(ledger, put_claim, measured):
    """Such a claim is void; it is still about the weights that it froze, and the others keep their own family."""
    with ledger.begin() as session:
        one, other = (put_claim(session, subject=on({**LOCAL, "weights_sha256": sha})) for sha in (HASH, OTHER))
        measured(session, one, OTHER)
        assert numbers(session, [one, other]) == {one: (1, 1), other: (1, 1)}


def test_reproductions_are_counted_apart(ledger, put_claim, judge):
    with ledger.begin() as session:
        first, second = put_claim(session), put_claim(session)
        session.execute(text("UPDATE claims SET reproduces = :to WHERE id = :id"), {"to": first, "id": second})
        third = put_claim(session)
        (heads,) = families(session, second, HOURS).by_metric
        assert (heads.family.number, heads.family.of, heads.family.reproductions) == (1, 2, 1)
        assert numbers(session, [first, second, third]) == {first: (1, 2), second: (1, 2), third: (2, 2)}
        listed = attempts(session, third, HOURS).items
        assert [(one.reproduces, one.number) for one in listed] == [(None, 1), (first, None), (None, 2)]
        assert among(session, [first, second, third], HOURS) == set()


def test_a_secondary_hypothesis_is_an_attempt_and_is_marked(ledger, put_claim):
    with ledger.begin() as session:
        plain = put_claim(session)
        hidden = put_claim(session, hypotheses=predicting("tails", "heads", primary=False))
        found = {one.metric: one for one in families(session, hidden, HOURS).by_metric}
        assert list(found) == ["tails", "heads"]
        assert (found["heads"].primary, found["heads"].family.number, found["heads"].family.secondary) == (False, 2, 1)
        assert numbers(session, [plain, hidden]) == {plain: (1, 2), hidden: (1, 1)}
        assert place(session, plain) == (1, 2)
        assert [one.number for one in attempts(session, hidden, HOURS).items] == [None, None]
        by = {metric: attempts(session, hidden, HOURS, metric=metric).items for metric in ("heads", "tails")}
        assert [(one.id, one.number) for one in by["heads"]] == [(plain, 1), (hidden, 2)]
        assert [(one.id, one.number) for one in by["tails"]] == [(hidden, 1)]
        with pytest.raises(RefusedInputError, match="no such metric"):
            attempts(session, plain, HOURS, metric="tails")


def test_what_was_never_opened_is_overdue_after_its_time(ledger, put_claim, open_run):
    with ledger.begin() as session:
        late, waiting, forecast, opened = (
            put_claim(session, **parts) for parts in ({}, {}, {"forecast_hours": 48}, {})
        )
        open_run(session, opened)
        for claim, hours in ((late, 73), (waiting, 71), (forecast, 119), (opened, 999)):
            session.execute(
                text("UPDATE claims SET filed = now() - :ago WHERE id = :id"),
                {"ago": timedelta(hours=hours), "id": claim},
            )
        assert count(session, HOURS) == 1
        assert count(session, 70) == 3
        for asked, found in ((True, [late]), (False, [opened, forecast, waiting])):
            chosen = ClaimFilter(overdue=asked, overdue_hours=HOURS)
            assert [summary.id for summary in list_claims(session, chosen).items] == found
        (heads,) = families(session, waiting, HOURS).by_metric
        assert counted(heads) == {"overdue": 1, "undecided": 3}
        assert attempts(session, late, HOURS).items[0].outcomes == {"heads": "overdue"}


def test_how_long_is_too_long_has_to_be_said(ledger):
    with pytest.raises(ValueError, match="how long"), ledger.begin() as session:
        list_claims(session, ClaimFilter(overdue=True))


def test_the_list_goes_on_where_it_was_left(ledger, put_claim):
    with ledger.begin() as session:
        claims, cursor, seen = [put_claim(session) for _ in range(5)], None, []
        while True:
            page = attempts(session, claims[2], HOURS, cursor=cursor, limit=2)
            seen += [one.id for one in page.items]
            assert [claims[one.number - 1] for one in page.items] == [one.id for one in page.items]
            if (cursor := page.next) is None:
                break
        assert seen == claims


def test_what_is_no_claim_has_no_family(ledger):
    with ledger.begin() as session:
        assert families(session, "nothing", HOURS) is None
        assert attempts(session, "nothing", HOURS).items == []
        assert numbers(session, []) == {}
        assert numbers(session, ["nothing"]) == {}
