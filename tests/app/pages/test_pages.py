from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import Any

import pytest

from app.pages.problems import problem_views
from app.pages.rendering import POLICY
from claims.flaws import FLAW_CODES

from .markup import Markup

ADDRESSES = [
    "/",
    "/claims",
    "/refuted-and-superseded",
    "/overdue",
    "/calibration",
    "/instruments",
    "/datasets",
    "/imports",
    "/log",
    "/problems",
]
WORDS = [
    "refuted",
    "confirmed",
    "inconclusive",
    "void",
    "contested",
    "registered",
    "lost",
    "withdrawn",
    "running",
    "hostile",
    "agreement",
]


@pytest.fixture
def markup(site, visit) -> Any:
    def get(address: str, status: int = 200) -> Markup:
        answer = visit.get(address)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return Markup(answer.text)

    return get


@pytest.fixture(params=[*ADDRESSES, *WORDS, "/claims?status=void&q=nothing", "/nowhere-at-all/claims/none"])
def everywhere(request, site) -> str:
    return f"/claims/{site.claims[request.param]}" if request.param in WORDS else request.param


def test_every_page_carries_the_policy_and_nothing_that_it_stops(everywhere, visit):
    answer = visit.get(everywhere)
    if answer.status_code == 404:
        answer = visit.get("/claims/nothere00000")
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    page = Markup(answer.text)
    for tag, attributes in page.elements:
        assert tag not in {"style", "base", "iframe", "object", "embed"}
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
        assert not str(attributes.get("href", "")).startswith(("javascript:", "http:", "//"))
    assert [script["src"] for script in page.all("script")] == [next(iter(page.all("script")))["src"]]
    assert all(str(link["href"]).startswith("/static/") for link in page.all("link"))


def test_every_page_can_be_read_by_its_structure(everywhere, visit):
    page = Markup(visit.get(everywhere).text if "nowhere" not in everywhere else visit.get("/claims/nothere00000").text)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for attributes in page.all("section"):
        assert attributes["aria-labelledby"] in ids
    labelled = {attributes.get("for") for attributes in page.all("label")}
    for attributes in page.all("input", "select", "progress"):
        assert attributes.get("id") in labelled or attributes.get("type") == "checkbox"
    assert page.all("html")[0]["lang"] == "en"


def test_every_address_on_every_page_leads_somewhere(site, visit):
    seen: dict[str, int] = {}
    ahead = ["/"]
    while ahead:
        address = ahead.pop()
        answer = visit.get(address)
        seen[address] = answer.status_code
        if answer.headers["content-type"].startswith("text/html"):
            found = {str(link.get("href")).partition("#")[0] for link in Markup(answer.text).all("a", "link")}
            ahead += [one for one in found if one.startswith("/") and one not in seen and one not in ahead]
    assert {f"/claims/{claim}" for claim in site.claims.values()} <= set(seen)
    assert f"/v1/claims/{site.claims['refuted']}/rows" in seen
    assert {address: status for address, status in seen.items() if status != 200} == {}


def test_a_refuted_claim_is_told_in_order(site, markup):
    page = markup(f"/claims/{site.claims['refuted']}")
    order = ["predicted", "outcome", "before", "measured", "sure", "links", "pictures", "gaps", "files"]
    assert [attributes["id"] for attributes in page.all("section")] == order
    for said in (
        "The whole interval lies at or below\u00a00.",
        "[\u22120.120, \u22120.044]",
        "0123456789ab+dirty",
        "this trusts the operator",
        "No independent reproduction recorded.",
        "The recipe left both methods at the ceiling.",
        "Computed again from the evidence",
        "organism_accuracy",
        "Component granularity was asked for",
    ):
        assert said.replace("\u00a0", " ") in page.text.replace("\u00a0", " "), said
    assert [image["aria-label"] for image in page.all("svg") if image.get("role") == "img"]


def test_a_void_claim_says_why_with_figures_and_remedy(site, markup):
    page = markup(f"/claims/{site.claims['void']}")
    for said in (
        "The study is void: failed control",
        "0.84",
        "kill criterion",
        "11",
        "What to do:",
        "neither a refutation nor a pass",
    ):
        assert said in page.text
    lost = markup(f"/claims/{site.claims['lost']}")
    for said in ("The study is void: worker lost", "killed by signal 9", "Nothing has been measured for this claim"):
        assert said in lost.text


def test_a_withdrawn_claim_keeps_its_text(site, markup):
    page = markup(f"/claims/{site.claims['withdrawn']}")
    assert "The recipe named another width." in page.text
    assert "Patching's ranking matches the components" in page.text


def test_a_running_claim_shows_how_far_it_is(site, markup):
    page = markup(f"/claims/{site.claims['running']}")
    assert page.all("progress")[0]["max"] == str(24 * 1672)
    assert "of 40\u202f128 rows measured" in page.text
    assert [article for article in page.all("article") if "data-live" in article]


def test_a_judged_claim_does_not_ask_for_news(site, markup):
    assert not [
        article for article in markup(f"/claims/{site.claims['confirmed']}").all("article") if "data-live" in article
    ]


def test_a_contested_claim_says_so_and_links_what_fell(site, markup):
    page = markup(f"/claims/{site.claims['contested']}")
    assert "Contested" in page.text
    assert f"/claims/{site.claims['refuted']}" in [link["href"] for link in page.all("a")]


def test_hostile_text_stays_text(site, visit, markup):
    for address in (f"/claims/{site.claims['hostile']}", "/", "/claims"):
        raw = visit.get(address).text
        page = Markup(raw)
        assert len(page.all("script")) == 1
        assert not page.all("img")
        assert "\u202e" not in raw
        assert "\u27e8U+202E\u27e9evil" in page.text
        assert "{{ 7 * 7 }}" in page.text
    titled = [attributes for tag, attributes in page.elements if tag == "a" and attributes.get("dir") == "auto"]
    assert titled


def test_search_text_is_echoed_as_text(markup):
    page = markup("/claims?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    assert len(page.all("script")) == 1
    assert '"><script>alert(1)</script>' in {attributes.get("value") for attributes in page.all("input")}


@pytest.mark.parametrize("code", [*(problem.code for problem in problem_views()), *FLAW_CODES])
def test_every_problem_has_a_page(code: str, markup):
    assert code in markup(f"/problems/{code}").text


def test_what_is_not_there_is_told_as_a_page(markup):
    page = markup("/claims/nothere00000", 404)
    assert "There is no claim 'nothere00000'." in page.text
    assert "What to do:" in page.text
    assert "/claims" in [link["href"] for link in page.all("a")]
    assert "There is no problem type" in markup("/problems/none", 404).text


def test_static_files_are_kept_for_good_under_the_address_of_their_content(visit, markup):
    for link in [*markup("/").all("link"), *markup("/").all("script")]:
        address = link.get("href") or link.get("src")
        answer = visit.get(address)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert visit.get(address, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
        assert visit.get(re.sub(r"/static/\w+/", "/static/old/", address)).headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["..%2frendering.py", "%2e%2e/rendering.py", "antedate.css%00", "none.css"])
def test_no_other_file_is_served(name: str, visit):
    assert visit.get(f"/static/x/{name}").status_code == 404


def test_the_document_can_be_had_in_the_bytes_that_were_hashed(site, visit):
    address = f"/claims/{site.claims['hostile']}/registration.json"
    answer = visit.get(address)
    assert answer.headers["content-disposition"] == f'attachment; filename="{site.claims["hostile"]}.registration.json"'
    assert hashlib.sha256(answer.content).hexdigest() in visit.get(f"/claims/{site.claims['hostile']}").text
    assert visit.get(address, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    assert visit.get("/claims/nothere00000/registration.json").status_code == 404
    assert visit.get("/claims/nothere00000/receipt.json").status_code == 404
