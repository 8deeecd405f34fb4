"""From outside: three attempts at one thing, counted; what waits too long; whose probabilities were borne out."""

from __future__ import annotations

import copy
from datetime import timedelta

import pytest
from sqlalchemy import text

METRIC = "recovery_gap_constructed"


def get(client, address, **query):
    answer = client.get(address, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_three_attempts_are_counted_whatever_they_are_called(service, client, file_claim, judge_claim, example):
    """File many and show one: another title, another threshold and direction, another registrant."""
    before = len(all_of(client, file_claim()))
    turned = copy.deepcopy(example["hypotheses"])
    turned[0]["predict"] = {"op": "<", "value": 0.2}
    first = file_claim(title="Found at last")
    second = file_claim(service.bob, hypotheses=turned, probability=0.3)
    third = file_claim(statement="It was there all along.", probability=0.8)
    judge_claim(first, 0.5)
    judge_claim(second, 0.5)
    for number, claim in enumerate((first, second, third), before + 1):
        found = get(client, f"/v1/claims/{claim}/attempts")
        (family,) = (one for one in found["families"] if one["metric"] == METRIC)
        assert (family["number"], family["of"], family["primary"]) == (number, before + 3, True)
        assert sum(family["outcomes"].values()) == before + 3
        assert found["numbered"] == claim
        assert found["weights"] == ["organism:planted_key"]
    assert family["outcomes"]["confirmed"] >= 1
    assert family["outcomes"]["refuted"] >= 1
    listed = all_of(client, third)
    assert [one["id"] for one in listed[-3:]] == [first, second, third]
    assert [one["outcomes"][METRIC] for one in listed[-3:]] == ["confirmed", "refuted", "undecided"]
    assert [one["registrant"] for one in listed[-3:]] == ["ada", "bob", "ada"]
    short = get(client, f"/v1/claims/{third}")["attempts"]
    assert short == get(client, f"/v1/claims/{third}/attempts")["families"]


def all_of(client, claim):
    """Every claim of the families, however many pages that takes."""
    items, cursor = [], {}
    while True:
        page = get(client, f"/v1/claims/{claim}/attempts", limit=50, **cursor)
        items += page["items"]
        if page["next"] is None:
            return items
        cursor = {"cursor": page["next"]}


def test_a_reproduction_is_counted_apart(service, client, file_claim):
    original = file_claim()
    answer = client.post(f"/v1/claims/{original}/reproduce", headers={"Authorization": f"Bearer {service.bob}"})
    assert answer.status_code == 201, answer.text
    again = answer.json()["claim"]
    first, second = (get(client, f"/v1/claims/{claim}/attempts") for claim in (original, again))
    assert second["numbered"] == original
    assert second["families"] == first["families"]
    assert first["families"][0]["reproductions"] >= 1
    assert all_of(client, again)[-1]["reproduces"] == original


def test_what_waits_too_long_is_overdue(service, client, file_claim):
    late, waiting = file_claim(), file_claim()
    stats = get(client, "/v1/stats")
    with service.ledger.begin() as session:
        session.execute(
            text("UPDATE claims SET filed = filed - :ago WHERE id = :id"), {"ago": timedelta(hours=73), "id": late}
        )
    overdue = [one["id"] for one in get(client, "/v1/claims", overdue="true", limit=200)["items"]]
    in_time = [one["id"] for one in get(client, "/v1/claims", overdue="false", limit=200)["items"]]
    assert late in overdue
    assert late not in in_time
    assert waiting in in_time
    assert waiting not in overdue
    assert get(client, "/v1/stats")["overdue"] == stats["overdue"] + 1
    found = {one["id"]: one["outcomes"][METRIC] for one in all_of(client, late)}
    assert (found[late], found[waiting]) == ("overdue", "undecided")


def test_the_stats_are_the_ledger_in_numbers(client, file_claim):
    file_claim()
    stats = get(client, "/v1/stats")
    assert stats["claims"] == sum(stats["by_status"].values())
    assert stats["entries"] >= stats["claims"]


def test_probabilities_are_held_to_what_came_of_them(service, client, file_claim, judge_claim):
    before = get(client, "/v1/stats/calibration", registrant="bob")
    for probability, value in ((0.9, 0.5), (0.4, -0.5)):
        judge_claim(file_claim(service.bob, probability=probability), value)
    found = get(client, "/v1/stats/calibration", registrant="bob")
    assert found["stated"]["decided"]["n"] == before["stated"]["decided"]["n"] + 2
    assert found["registrant"] == "bob"
    assert [(one["low"], one["high"]) for one in found["stated"]["bins"]][::9] == [(0, 0.1), (0.9, 1)]
    whole = get(client, "/v1/stats/calibration")
    assert whole["registrant"] is None
    assert whole["stated"]["decided"]["n"] >= found["stated"]["decided"]["n"]
    assert get(client, "/v1/stats/calibration", registrant="nobody")["stated"]["brier"] is None


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("/v1/claims/nothingatall/attempts", "not_found"),
        ("/v1/claims?overdue=perhaps", "invalid_query"),
        ("/v1/stats?since=1", "invalid_query"),
        ("/v1/claims?filed_from=yesterday", "invalid_query"),
        ("/v1/claims?filed_before=2026-12-01T12:00:00", "invalid_query"),
        ("/v1/claims?lo_min=nan", "invalid_query"),
        ("/v1/claims?estimate_max=low", "invalid_query"),
        ("/v1/stats/calibration?registrant=a&registrant=b", "invalid_query"),
    ],
)
def test_what_cannot_be_answered_is_said_so(client, problem_of, address, code):
    answer = client.get(address)
    problem_of(answer, 404 if code == "not_found" else 422, code)


def test_lists_are_bounded_by_what_was_estimated_and_when_it_was_filed(client, file_claim, judge_claim):
    claim = file_claim()
    judge_claim(claim, 0.5)

    def found(**query):
        return claim in [one["id"] for one in get(client, "/v1/claims", limit=200, **query)["items"]]

    assert found(estimate_min=0.5, estimate_max=0.5, lo_min=0.4, hi_max=0.6, metric=METRIC)
    assert not found(lo_min=0.5)
    assert found(dataset="planted_key_pairs", filed_from="2026-01-01T00:00:00+02:00")
    assert not found(filed_before="2026-01-01")
    assert not found(dimension="safety")


def test_one_family_alone_is_numbered(client, file_claim, problem_of):
    claim = file_claim()
    items = get(client, f"/v1/claims/{claim}/attempts", metric=METRIC, limit=1)["items"]
    assert [one["number"] for one in items] == [1]
    problem_of(client.get(f"/v1/claims/{claim}/attempts?metric=none"), 422, "invalid_query")


def test_a_cursor_that_is_none_is_refused(client, file_claim, problem_of):
    problem_of(client.get(f"/v1/claims/{file_claim()}/attempts?cursor=x"), 422, "invalid_query")
