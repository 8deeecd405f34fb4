"""What a claim's page says of what came later: corrections, reproductions, contradictions."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from .lives import COMMIT
from .markup import Markup
from .related_lives import WITNESS

WORDS = ["corrected", "above", "higher", "original", "agreeing", "disagreeing", "rerun", "awaited", "proven", "late"]


@pytest.mark.parametrize("word", WORDS)
def test_the_pages_keep_their_order_structure_and_policy(related, follow, word: str):
    answer = follow.get(f"/claims/{related.claims[word]}")
    page = Markup(answer.text)
    sections = [str(attributes["id"]) for attributes in page.all("section")]
    order = ["predicted", "outcome", "before", "measured", "sure", "links", "pictures", "gaps", "files"]
    assert sections == [name for name in order if name in sections]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert "\u202e" not in answer.text
    anchors = {str(link["href"])[1:] for link in page.all("a") if str(link["href"]).startswith("#")}
    assert anchors <= set(ids)


def test_every_address_of_every_page_leads_somewhere(related, follow):
    asked = {
        address
        for claim in related.claims.values()
        for address in (str(link["href"]) for link in Markup(follow.get(f"/claims/{claim}").text).all("a"))
        if address.startswith("/")
    }
    assert {address: follow.get(address).status_code for address in asked} == dict.fromkeys(asked, 200)
    assert {f"/v1/claims/{related.claims['corrected']}/evidence?judgement={number}" for number in (1, 2, 3)} <= asked


def test_a_correction_stands_beside_what_it_corrected(part):
    outcome = part("corrected", "outcome").text
    assert outcome.index("Refuted") < outcome.index("Corrected 2 times, the newest first")
    newest, older = outcome.split("What was wrong:")[1:]
    assert newest.index("Verdict 2, before") < newest.index("Verdict 3, since")
    for said in (
        "The second correction took the sign",
        "0.020 [\u22120.040, 0.080]",
        "\u22120.200 [\u22120.300, \u22120.100]",
        "moved by \u22120.220",
        "the same estimate",
        "Corrected by ada",
        f"commit {COMMIT[:12]}",
        "{{ 7 * 7 }} \u27e8U+202E\u27e9evil",
    ):
        assert said in newest, said
    for said in ("broken by the component's name. <script>", "0.210 [0.140, 0.280]", "moved by \u22120.190"):
        assert said in older, said
    assert "from inconclusive to refuted: The second correction" in part("corrected", "head").text
    assert "Corrected" not in part("original", "outcome").text


def test_the_timeline_tells_what_came_later_with_who_and_why(related, part):
    corrected = part("corrected", "before").text
    assert corrected.count("Judged again") == 2
    assert "both values stand. By ada . The second correction" in corrected.replace("ada. ", "ada . ")
    original = part("original", "before")
    assert "Measured again independently: it agrees." in original.text
    assert "Measured again independently: it disagrees." in original.text
    assert "Measured again, not independently: it agrees." in original.text
    assert "against it. By bob" in re.sub(r"\s+", " ", original.text)
    for word in ("agreeing", "disagreeing", "rerun", "opposed"):
        assert f"/claims/{related.claims[word]}" in original.addresses()
    assert f"/claims/{related.claims['corrected']}" in part("above", "before").addresses()


def test_proven_shows_the_round_and_the_anchor(part):
    proven = part("proven", "before").text
    for said in ("Precedence: proven", WITNESS, "a witness that cosigned it", "Beacon round", "drand's mainnet"):
        assert said in proven, said
    assert "the first more than 5.0 s after the anchor" in proven
    assert re.search(r"round \d+", part("proven", "measured").text)
    committed = part("original", "before").text
    assert "Precedence: committed" in committed
    assert "this trusts the operator" in committed
    assert "Beacon round" not in committed


def test_reproductions_stand_apart_from_reruns(related, part):
    sure = part("original", "sure").text
    assert "Twice by another registrant on other machines: 1 agrees, 1 disagrees." in sure
    independent, _, reruns = sure.partition("Reruns")
    assert related.claims["agreeing"] in independent
    assert "carol <b>" in independent
    assert related.claims["rerun"] not in independent
    assert related.claims["rerun"] in reruns
    assert "original on adadadad, this one on b0b0b0b0" in independent
    assert "b0b0b0b0b" not in sure
    for said in ("0.210", "0.220", "0.010", "0.05", "within", "beyond", "The outcome differs for H1"):
        assert said in independent, said
    assert (
        f'"Authorization: Bearer $ANTEDATE_KEY" http://testserver/v1/claims/{related.claims["original"]}/reproduce'
        in (sure)
    )
    assert "No independent reproduction recorded." in part("corrected", "sure").text


def test_a_reproduction_says_whose_it_is_and_how_it_compares(related, part):
    original = f"/claims/{related.claims['original']}"
    for word, said in (("agreeing", "It agrees with that one"), ("disagreeing", "It disagrees with that one")):
        head = part(word, "head")
        assert original in head.addresses()
        assert said in head.text
        beside = part(word, "sure").text.partition("Beside its original")[2].partition("Measured again by others")[0]
        assert "recovery_gap_constructed" in beside
    assert "compares the two once both are judged" in part("awaited", "head").text
    assert "Beside its original" not in part("awaited", "sure").text
    assert "froze, filed again" not in part("original", "head").text


def test_contested_says_by_what_and_why(related, part):
    for word, how in (("above", "This claim builds on it."), ("higher", "What this claim builds on builds on it.")):
        for where in ("head", "links"):
            found = part(word, where)
            assert "was corrected from confirmed to inconclusive" in found.text
            assert f"/claims/{related.claims['corrected']}" in found.addresses()
        assert how in part(word, "links").text


def test_contradictions_show_from_both_sides(related, part):
    against = part("original", "links")
    assert "contradicted by" in against.text
    assert "A reader recomputed the ranks by hand. {{ 7 * 7 }} \u27e8U+202E\u27e9evil" in against.text
    assert f"/claims/{related.claims['opposed']}" in against.addresses()
    other = part("opposed", "links")
    assert "contradicts" in other.text
    assert f"/claims/{related.claims['original']}" in other.addresses()
