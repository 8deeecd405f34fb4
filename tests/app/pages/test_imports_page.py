"""Imported records for people: both values side by side, whose word it is, and nothing that looks like a verdict."""

import json
import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import sync_playwright

from app.ledger import imports
from app.ledger.migrate import upgrade
from app.main import create_app
from app.pages.rendering import POLICY
from app.settings import Settings
from claims.imports import read_record
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples" / "imports"
CHROMIUM = shutil.which("chromium")
COMMIT = "f93f4b5578c221d3d2665f9b305f3e86759be862"
HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}" + "very-long-word" * 10


class Text(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    def __str__(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words)).replace("\u2212", "-")


def document(name="planted_key", **parts):
    return {**read_yaml((EXAMPLES / f"{name}.yaml").read_bytes()), **parts}


@pytest.fixture(scope="module")
def shelf(postgres, valkey, tmp_path_factory):
    """A service whose ledger holds records alone, none of them at first: the application, and how to import one."""
    directory = tmp_path_factory.mktemp("imports")
    with postgres.database("imports_pages") as urls:
        upgrade(urls.database_owner_url)
        app = create_app(
            Settings(
                database_url=urls.database_url, redis_url=valkey, data=directory, signing_key_file=directory / "key"
            )
        )

        def put(sent):
            with app.state.ledger.begin() as session:
                return imports.put(session, read_record(json.dumps(sent).encode()), "ada").id

        yield app, put
        app.state.dispatch.close()
        app.state.ledger.dispose()


@pytest.fixture(scope="module")
def visitor(shelf):
    return TestClient(shelf[0], follow_redirects=False, headers={"Accept": "text/html"})


@pytest.fixture(scope="module")
def empty(visitor):
    """The pages as they are before anything was imported."""
    return {address: str(Text(visitor.get(address).text)) for address in ("/", "/imports")}


@pytest.fixture(scope="module")
def records(shelf, empty):
    """The id of every record, by the word for it."""
    _, put = shelf
    found = {name: put(document(name)) for name in ("planted_key", "mean_spearman")}
    found["mistyped"] = put(document(title="Mistyped", outcome="confirmed", frozen_before_data=None))
    replaces = {"record": found["mistyped"], "reason": "The outcome was mistyped."}
    found["corrected"] = put(document(title="Corrected", replaces=replaces))
    figure = {"metric": "m" * 128, "value": -1.5e-9, "lo": -1e300 / 1e290, "hi": 12345678.5, "level": 0.99}
    before = {"value": 0, "published_in": HOSTILE, "cause": HOSTILE * 10}
    found["hostile"] = put(
        document(
            title=HOSTILE,
            statement=HOSTILE,
            source={"title": HOSTILE, "version": "1", "url": "https://example.org/" + "x" * 500, "published": "2026"},
            figures=[
                {**figure, "tolerance": 0.5, "note": HOSTILE, "superseded": [before, before]},
                {**figure, "metric": "n", "unit": HOSTILE, "note": HOSTILE},
            ],
            limits=[HOSTILE],
            notes=HOSTILE,
        )
    )
    return found


@pytest.fixture
def said(visitor, records):
    def get(word):
        answer = visitor.get(f"/imports/{records[word]}")
        assert answer.status_code == 200
        return str(Text(answer.text))

    return get


def test_both_values_the_tolerance_and_the_cause_stand_side_by_side(said):
    page = said("mean_spearman")
    for words in (
        "Published before -0.256 The library's 2.0.0 release, then deprecated Published since -0.171 tolerance 0.01",
        "Cause: The project published one correlation and then corrected it against its own fixtures.",
        "-0.256 and -0.171 are 0.085 apart, beyond the stated tolerance of 0.01.",
        "rho.safety Spearman's rho -0.29",
        "Commit not stated",
        "A number that nobody predicted On the word of ada",
        "The source does not say that anything was frozen before the data.",
    ):
        assert words in page, words


def test_a_refutation_of_others_is_told_as_published_on_somebodys_word(visitor, records, said):
    page = said("planted_key")
    for words in (
        "Attested",
        "Published as refuted On the word of ada . Antedate measured none of this",
        "counts it among no verdict",
        "The source says that the prediction was frozen before the data.",
        "patching's ranking matches the organism's marker-responsive components",
        "f93f4b5578c2+dirty",
        "-0.566 [-0.774, -0.428] level not stated",
        "A noisy answer key is the disclosed alternative reading and it has not been ruled out.",
        "This does not establish that attribution is wrong and patching is right.",
    ):
        assert words in page, words
    raw = visitor.get(f"/imports/{records['planted_key']}").text
    assert f"{COMMIT}+dirty" in raw
    assert "is-refuted" not in raw
    assert 'title="\u22120.5660377358490566"' in raw


def test_the_record_itself_is_a_file(visitor, records):
    answer = visitor.get(f"/imports/{records['planted_key']}/record.json")
    assert answer.content == read_record(json.dumps(document()).encode()).canonical
    assert f"{records['planted_key']}.record.json" in answer.headers["Content-Disposition"]
    assert visitor.get("/imports/nothere00000/record.json").status_code == 404


def test_what_replaced_a_record_is_said_on_both(said):
    assert "Replaced by Corrected : The outcome was mistyped." in said("mistyped")
    assert "It replaces Mistyped : The outcome was mistyped." in said("corrected")


def test_the_list_shows_the_first_figure_with_what_it_replaced(visitor, records):
    page = str(Text(visitor.get("/imports").text))
    assert "mean_rho -0.171 published before as -0.256; 12 more figures" in page
    assert "published as refuted" in page
    assert "commit f93f4b5578c2+dirty" in page
    assert page.count("Superseded") == 1


def test_home_counts_them_apart_and_only_where_there_are_any(visitor, records, empty):
    assert "imported record" not in empty["/"]
    assert "None yet" in empty["/imports"]
    home = str(Text(visitor.get("/").text))
    assert "Beside these, and counted in none of them: 5 imported records" in home
    assert "0 Refuted" in home
    assert "No prediction has been filed." in home


def test_no_page_of_claims_holds_a_record(visitor, records):
    for address in ("/claims", "/claims?precedence=attested", "/claims?q=patching", "/refuted-and-superseded"):
        raw = visitor.get(address).text
        assert not [record for record in records.values() if record in raw], address


def test_a_record_asked_for_as_a_claim_is_found(visitor, records):
    answer = visitor.get(f"/claims/{records['planted_key']}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/imports/{records['planted_key']}")
    assert visitor.get("/claims/nothere00000").status_code == 404
    assert visitor.get("/imports/nothere00000").status_code == 404


def test_the_log_links_a_record_as_one(visitor, records):
    raw = visitor.get("/log").text
    assert f'href="/imports/{records["planted_key"]}"' in raw
    assert f'href="/claims/{records["planted_key"]}"' not in raw


def test_hostile_text_stays_text(visitor, records):
    for address in (f"/imports/{records['hostile']}", "/imports"):
        page = Text(visitor.get(address).text)
        assert [tag for tag, _ in page.elements].count("script") == 1
        assert "<script>alert(1)</script>{{ 7 * 7 }}" in str(page)
    raw = visitor.get(f"/imports/{records['hostile']}").text
    assert 'href="https://example.org' not in raw


@pytest.mark.parametrize("word", ["planted_key", "mean_spearman", "mistyped", "corrected", "hostile"])
def test_a_record_can_be_read_by_its_structure(visitor, records, word):
    answer = visitor.get(f"/imports/{records[word]}")
    assert answer.headers["content-security-policy"] == POLICY
    elements = Text(answer.text).elements
    levels = [int(tag[1]) for tag, _ in elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert all(attributes["aria-labelledby"] in ids for tag, attributes in elements if tag == "section")
    near = {attributes["href"] for tag, attributes in elements if tag == "a" and "/imports" in attributes["href"]}
    assert f"/imports/{records[word]}/record.json" in near
    assert {address for address in near if visitor.get(address).status_code != 200} == set()


@pytest.mark.parametrize("address", ["/imports?cursor=nonsense", "/imports?status=refuted"])
def test_an_address_that_cannot_be_read_is_refused(visitor, records, address):
    assert visitor.get(address).status_code == 422


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no `chromium` on PATH")
def test_the_pages_fit_a_phone_and_a_desk(shelf, records, serve):
    with serve(shelf[0], lifespan="off") as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for width in (390, 1280):
            page = browser.new_page(viewport={"width": width, "height": 900})
            for where in ["/", "/imports", *(f"/imports/{record}" for record in records.values())]:
                page.goto(url + where)
                assert page.evaluate("document.documentElement.scrollWidth") == width, where
            page.goto(f"{url}/imports/{records['mean_spearman']}")
            old, new = (box.bounding_box() for box in page.locator(".versus > li").all())
            assert old["y"] == new["y"]
            assert old["x"] + old["width"] <= new["x"]
        browser.close()
