from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from app.pages import views

LINE = re.compile(r'<h3><a href="/claims/(\w+)"')


def lines(visit, address: str) -> list[str]:
    answer = visit.get(address)
    assert answer.status_code == 200, answer.text
    return LINE.findall(answer.text)


def names(site, *words: str) -> set[str]:
    return {site.claims[word] for word in words}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("status=refuted", {"refuted", "hostile"}),
        ("status=void,withdrawn", {"void", "lost", "withdrawn"}),
        ("status=void&status=running", {"void", "lost", "running"}),
        ("superseded=true", {"refuted"}),
        ("contested=true", {"contested"}),
        ("q=louder", {"confirmed"}),
        ("status=refuted&superseded=false", {"hostile"}),
        ("metric=recovery_gap&status=inconclusive", {"inconclusive"}),
        ("model=organism%3Aplanted_key&status=confirmed", {"confirmed"}),
        ("instrument=attribution_patching_agreement", {"agreement"}),
        ("metric=rho.safety", {"agreement"}),
        ("registrant=ada&status=registered", {"contested", "registered"}),
        ("instrument=attribution_patching", set()),
        ("trust=registered&status=refuted,confirmed", {"refuted", "hostile", "confirmed", "agreement"}),
        ("trust=adjudicated", set()),
        ("dirty=dirty&status=confirmed,inconclusive", {"confirmed", "inconclusive", "agreement"}),
        ("dirty=clean,unknown&status=withdrawn", set()),
        ("reproduced=true", set()),
        ("corrected=true", set()),
        ("overdue=true", set()),
        ("overdue=false&status=withdrawn", {"withdrawn"}),
        ("dataset=planted_key_pairs&status=inconclusive", {"inconclusive"}),
        ("dimension=safety", {"agreement"}),
        ("filed_from=2020-01-01&status=running", {"running"}),
        ("filed_before=2020-01-01", set()),
        ("estimate_max=-0.4", {"agreement"}),
        ("lo_min=0.1&metric=recovery_gap_constructed", {"confirmed"}),
        ("corrected=false&reproduced=false&status=confirmed", {"confirmed", "agreement"}),
    ],
)
def test_filters_are_parameters_of_the_address(query: str, words: set[str], site, visit):
    assert set(lines(visit, f"/claims?{query}")) == names(site, *words)


def test_the_form_shows_what_was_asked_and_each_filter_can_be_taken_off(visit):
    page = visit.get("/claims?q=planted&status=refuted&status=void&superseded=true").text
    assert re.search(r'<input id="q" [^>]*value="planted"', page)
    assert len(re.findall(r'type="checkbox"[^>]*checked', page)) == 2
    assert re.search(r'<option value="true" selected>yes</option>', page)
    marks = page[page.index('<ul class="active"') :]
    without = [
        dict(parse_qsl(urlsplit(href.replace("&amp;", "&")).query)) for href in re.findall(r'href="([^"]*)"', marks)[:4]
    ]
    assert without[0] == {"status": "void", "superseded": "true"}
    assert without[3] == {"q": "planted", "status": "void"}


def test_bounds_are_kept_in_the_form_and_in_every_address(visit):
    page = visit.get("/claims?filed_from=2020-01-01&estimate_min=-1&dataset=planted_key_pairs").text
    assert re.search(r'<input id="filed_from" [^>]*value="2020-01-01"', page)
    assert re.search(r'<input id="estimate_min" [^>]*value="-1.0"', page)
    assert "estimate at least: -1.0" in page
    assert "filed from: 2020-01-01" in page
    assert 'href="/claims?dataset=planted_key_pairs&amp;estimate_min=-1.0"' in page


def test_no_family_of_metrics_is_suggested_as_if_it_were_one(visit):
    page = visit.get("/claims").text
    suggested = re.findall(r'<option value="([^"]*)">', page[page.index('<datalist id="metric-known"') :])
    assert {"mean_rho", "top_moves", "recovery_gap"} <= set(suggested)
    assert not [name for name in suggested if "." in name]


def test_an_untouched_form_leaves_no_clutter_in_the_address(visit):
    answer = visit.get("/claims?q=&status=refuted&instrument=&superseded=")
    assert (answer.status_code, answer.headers["location"]) == (303, "/claims?status=refuted")
    assert visit.get("/claims?q=&model=").headers["location"] == "/claims"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("status=nope", "cannot be"),
        ("superseded=perhaps", "cannot be"),
        ("trust=blind", "cannot be"),
        ("dirty=true", "cannot be"),
        ("corrected=1", "cannot be"),
        ("filed_from=yesterday", "Give a date such as"),
        ("lo_min=low", "Give a number such as"),
        ("hi_max=nan", "Give a number such as"),
        ("colour=red", "There is no filter"),
        ("q=a&q=b", "stands twice"),
        ("q=a%00b", "control character"),
        ("cursor=nonsense", "no cursor"),
        (f"q={'a' * 1001}", "Give at most 1,000."),
    ],
)
def test_a_mistyped_filter_never_shows_an_unfiltered_list(query: str, says: str, visit):
    answer = visit.get(f"/claims?{query}")
    assert answer.status_code == 422
    assert says in answer.text
    assert not LINE.search(answer.text)


def test_a_flood_of_parameters_gets_a_short_answer(visit):
    for flood in ("&".join(f"x{number}=1" for number in range(5_000)), "status=no&" * 5_000):
        answer = visit.get(f"/claims?{flood}")
        assert answer.status_code == 422
        assert len(answer.text) < 20_000


def test_a_search_of_the_very_limit_is_taken(visit):
    assert visit.get(f"/claims?q={'a' * 1000}").status_code == 200


def test_nothing_found_says_what_to_do(visit):
    answer = visit.get("/claims?q=nothingofthesort")
    assert "No claim matches." in answer.text
    assert "Remove one of the filters" in answer.text


def test_a_long_list_is_left_and_taken_up_again(site, visit, monkeypatch):
    monkeypatch.setattr(views, "LINES", 4)
    address, found, pages = "/claims", [], 0
    while address:
        text = visit.get(address).text
        found += LINE.findall(text)
        onward = re.search(r'href="([^"]*)" rel="next"', text)
        address = onward[1].replace("&amp;", "&") if onward else None
        pages += 1
    assert pages == 3
    assert sorted(found) == sorted(site.claims.values())
    assert len(found) == len(set(found))
    assert found[0] == site.claims["agreement"]


def test_refuted_and_superseded_are_one_click_away_and_one_list(site, visit, monkeypatch):
    assert 'href="/refuted-and-superseded"' in visit.get("/").text
    assert lines(visit, "/refuted-and-superseded") == [site.claims["hostile"], site.claims["refuted"]]
    monkeypatch.setattr(views, "LINES", 1)
    first = visit.get("/refuted-and-superseded").text
    onward = re.search(r'href="([^"]*)" rel="next"', first)[1]
    assert lines(visit, onward) == [site.claims["refuted"]]


def test_the_home_page_counts_and_shows_the_newest_verdicts(site, visit):
    text = visit.get("/").text
    assert re.search(r'href="/claims\?status=refuted"><span class="amount">2</span>', text)
    assert re.search(r'href="/claims\?superseded=true"><span class="amount">1</span>', text)
    shown = lines(visit, "/")
    assert shown[0] == site.claims["agreement"]
    assert set(shown) == names(site, "refuted", "confirmed", "inconclusive", "void", "lost", "hostile", "agreement")


def test_datasets_are_listed_with_what_is_in_them(site, visit):
    text = visit.get("/datasets").text
    assert "&lt;script&gt;document.title" in text
    assert re.search(r"<dt>Pairs</dt>\s*<dd>\s*<bdi>6</bdi>", text)
    assert "confidence 3, safety 3" in text
    assert visit.get("/datasets?cursor=nonsense").status_code == 422
