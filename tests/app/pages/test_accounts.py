"""The pages that hold registrants to account: attempts, what was left lying, what stated probabilities came to."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise

import pytest
from sqlalchemy import text

from app.pages import accounts

from .markup import Markup

METRIC = "recovery_gap"
ADDRESSES = ["/overdue", "/calibration", "/calibration?registrant=ada", "/calibration?registrant=nobody"]


@pytest.fixture
def shown(site, visit):
    """`shown(address)`: the page. A word in braces is that claim."""

    def get(address: str) -> Markup:
        answer = visit.get(address.format(**site.claims))
        assert answer.status_code == 200, answer.text
        return Markup(answer.text)

    return get


@pytest.fixture
def change(site):
    """`change(sql, **values)`: what the ledger would be, had its time or its documents been others."""

    def run(sql: str, **values) -> None:
        with site.ledger.begin() as session:
            session.execute(text(sql), values)

    return run


@pytest.mark.parametrize("address", [*ADDRESSES, "/claims/{refuted}/attempts", "/claims/{agreement}/attempts"])
def test_pages_can_be_read_by_their_structure(shown, address: str):
    page = shown(address)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert len(page.all("script")) == 1
    assert all(attributes["aria-labelledby"] in ids for attributes in page.all("section"))


def test_a_claim_says_which_attempt_it_is_and_leads_to_all(site, shown):
    page = shown("/claims/{registered}")
    said = re.search(r"Attempt (\d+) of (\d+) on these weights, dataset, instrument and metric: ([^.]*)\.", page.text)
    assert said, page.text
    number, of = int(said[1]), int(said[2])
    assert of > number >= 1
    assert sum(map(int, re.findall(r"(\d+) [a-z]+", said[3]))) == of
    assert "2 refuted" in said[3]
    family = shown("/claims/{registered}/attempts")
    listed = [str(link["href"]).split("/")[2] for link in family.all("a") if link.get("dir") == "auto"]
    assert len(listed) == of
    assert listed[number - 1] == site.claims["registered"]
    assert "this claim" in family.text
    assert family.text.count("Refuted") >= 2


def test_each_metric_has_its_own_family(site, shown):
    most = shown("/claims/{agreement}/attempts")
    assert "The only attempt on these weights, dataset, instrument and metric: 1 confirmed." in most.text
    own = f"/claims/{site.claims['agreement']}/attempts?metric=rho.safety"
    assert own in [link["href"] for link in most.all("a")]
    assert "Attempts at rho.safety" in shown(own).text


def test_lists_number_what_was_tried_more_than_once(site, visit):
    page = visit.get("/claims").text
    numbered = re.findall(r'<a href="/claims/(\w+)/attempts">attempt (\d+) of (\d+)</a>', page)
    assert site.claims["refuted"] in {claim for claim, *_ in numbered}
    assert site.claims["agreement"] not in {claim for claim, *_ in numbered}
    assert all(int(number) <= int(of) > 1 for _, number, of in numbered)


def test_the_list_of_a_family_goes_on(site, shown, monkeypatch):
    monkeypatch.setattr(accounts, "LINES", 2)
    address, seen = "/claims/{refuted}/attempts", []
    while address:
        page = shown(address)
        seen += [str(link["href"]) for link in page.all("a") if link.get("dir") == "auto"]
        address = next((str(link["href"]) for link in page.all("a") if link.get("rel") == "next"), "")
    assert len(seen) == len(set(seen)) > 4


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/claims/{refuted}/attempts?metric=none", 422),
        ("/claims/{refuted}/attempts?cursor=x", 422),
        ("/claims/nothere00000/attempts", 404),
        ("/overdue?since=1", 422),
        ("/calibration?who=ada", 422),
        ("/calibration?cursor=x", 422),
        ("/calibration?registrant=ada&cursor=x", 422),
    ],
)
def test_what_cannot_be_shown_is_said_so(site, visit, address: str, status: int):
    assert visit.get(address.format(**site.claims)).status_code == status


def test_what_was_left_lying_is_listed_counted_and_marked(site, shown, visit, change):
    claim, where = site.claims["registered"], "UPDATE claims SET filed = filed + :by WHERE id = :id"
    assert "No claim has waited that long." in shown("/overdue").text
    assert "None of them is overdue" in shown("/").text
    change(where, by=timedelta(hours=-100), id=claim)
    try:
        assert re.findall(r'<h3><a href="/claims/(\w+)"', visit.get("/overdue").text) == [claim]
        assert re.findall(r'<h3><a href="/claims/(\w+)"', visit.get("/claims?overdue=true").text) == [claim]
        assert "1 is overdue" in shown("/").text
        assert "Overdue" in shown(f"/claims/{claim}").text
        assert "1 overdue" in shown(f"/claims/{claim}").text
        assert "overdue" in shown("/claims?overdue=true").text
    finally:
        change(where, by=timedelta(hours=100), id=claim)


def test_probabilities_are_drawn_with_their_table_and_a_text_alternative(site, shown, change):
    assert "No claim that states a probability has been decided." in shown("/calibration").text
    state = "UPDATE claims SET registration = registration || CAST(:more AS jsonb) WHERE id = :id"
    for word, probability in (("refuted", 0.8), ("confirmed", 0.8), ("inconclusive", 0.3), ("void", 0.5)):
        change(state, more=f'{{"probability": {probability}}}', id=site.claims[word])
    page = shown("/calibration")
    alternatives = [str(image["aria-label"]) for image in page.all("svg") if image.get("role") == "img"]
    assert alternatives == [
        "Share of claims confirmed by stated probability: 0.30 stated, 0 of 1 confirmed; 0.80 stated, 1 of 2 confirmed."
    ] * 2  # fmt: skip
    for said in ("[0.8, 0.9)", "[0.09, 0.91]", "0.257", "1 void", "no better than the reference"):
        assert said in page.text.replace("\u00a0", " "), said
    assert "/calibration?registrant=ada" in [link["href"] for link in shown("/claims/{registered}").all("a")]
    assert "/calibration" in [link["href"] for link in shown("/").all("a")]


SEALED = """
INSERT INTO forecasts (claim, registrant, sealed, seq, time) VALUES (:claim, :who, repeat('ab', 32), :seq, now())
"""
TOLD = """
UPDATE forecasts SET probability = :probability, salt = repeat('cd', 32), revealed = now(), revealed_seq = seq + 1
WHERE claim = :claim AND registrant = :who
"""
# Of each forecaster, the claim, and the probability that was told; None where it was not.
MADE = [
    ("zoe", "refuted", 0.75),
    ("zoe", "confirmed", 0.75),
    ("zoe", "void", 0.5),
    ("yan", "confirmed", 0.25),
    ("yan", "refuted", None),
    ("yan", "registered", None),
]


@pytest.fixture
def forecast(site, change, postgres):
    """Forecasts of the ledger's claims by others, as they would be had they sealed and told them."""
    for seq, (who, word, probability) in enumerate(MADE):
        change(SEALED, claim=site.claims[word], who=who, seq=seq)
        if probability is not None:
            change(TOLD, claim=site.claims[word], who=who, probability=probability)
    yield
    with postgres.superuser("pages") as connection:  # the service itself deletes nothing
        connection.execute("DELETE FROM forecasts WHERE registrant IN ('zoe', 'yan')")


def cells(page: str) -> dict[str, list[str]]:
    """Of each forecaster that the page lists, what it says of them."""
    rows = re.findall(r"<bdi>(\w+)</bdi></a></th>(.*?)</tr>", page, re.DOTALL)
    return {name: re.findall(r"<td[^>]*>(?:<span[^>]*>)?([^<]*)<", cells) for name, cells in rows}


@pytest.mark.usefixtures("forecast")
def test_forecasters_are_held_to_outcomes_as_registrants_are(visit, shown):
    page = visit.get("/calibration").text
    assert cells(page) == {"zoe": ["3", "3", "0", "1 of 2", "0.312"], "yan": ["3", "1", "1", "1 of 1", "0.562"]}
    text = shown("/calibration").text.replace("\u00a0", " ")
    assert "4 of 6 sealed" in text
    assert "1 of claims not judged yet, 0 of withdrawn ones" in text
    assert "Share of forecasts confirmed by stated probability: 0.25 stated, 1 of 1 confirmed" in page
    zoe = shown("/calibration?registrant=zoe").text.replace("\u00a0", " ")
    for said in ("3 of 3 sealed", "1 void", "[0.7, 0.8)", "0.312"):
        assert said in zoe, said
    assert "yan" not in zoe
    assert "Forecast by them" in zoe
    assert 'id="forecasts"' not in visit.get("/calibration?registrant=ada").text


@pytest.mark.usefixtures("forecast")
def test_the_list_of_forecasters_goes_on_and_the_api_says_the_same(visit, shown, monkeypatch):
    monkeypatch.setattr(accounts, "LINES", 1)
    seen, address = {}, "/calibration"
    while address:
        seen |= cells(visit.get(address).text)
        address = next((link["href"] for link in shown(address).all("a") if link.get("rel") == "next"), "")
    listed = visit.get("/v1/stats/forecasters").json()["items"]
    assert list(seen) == [one["registrant"] for one in listed] == ["zoe", "yan"]
    for one in listed:
        assert one == visit.get(f"/v1/stats/calibration?registrant={one['registrant']}").json()["forecasts"]
        assert one == visit.get(f"/v1/stats/forecasts?registrant={one['registrant']}").json()
        assert one["sealed"] == one["revealed"] + one["hidden"] + one["waiting"] + one["withdrawn"]
    first = visit.get("/v1/stats/forecasters?limit=1")
    assert first.json()["next"] in first.headers["link"]
    assert visit.get("/v1/stats/forecasters?cursor=x").status_code == 422
