"""What a claim's page says of what came later: corrections, reproductions, contradictions, heads of the log."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.ledger import checkpoints
from app.ledger.bundles import Built
from app.pages import bundled
from app.pages.bundled import bundle_of

from .documents import registration
from .lives import COMMIT
from .related_lives import WITNESS, Lives
from .test_pages import Markup

WORDS = ["corrected", "above", "higher", "original", "agreeing", "disagreeing", "rerun", "awaited", "proven", "late"]


@pytest.fixture
def visit(related) -> TestClient:
    return TestClient(related.app, follow_redirects=False, headers={"Accept": "text/html"})


@dataclass(frozen=True)
class Part:
    """One section of a page: its elements and its text."""

    raw: str

    @property
    def text(self) -> str:
        return Markup(self.raw).text.replace("\u00a0", " ")

    def addresses(self) -> list[str | None]:
        return [link["href"] for link in Markup(self.raw).all("a")]


@pytest.fixture
def part(related, visit) -> Any:
    """`part(word, section)`: that section of the claim's page, or its head."""

    def of(word: str, section: str) -> Part:
        raw = visit.get(f"/claims/{related.claims[word]}").text
        if section == "head":
            return Part(raw.partition("claim-head")[2].partition("</header>")[0])
        return Part(raw.partition(f'id="{section}"')[2].partition("</section>")[0])

    return of


@pytest.mark.parametrize("word", WORDS)
def test_the_pages_keep_their_order_structure_and_policy(related, visit, word: str):
    answer = visit.get(f"/claims/{related.claims[word]}")
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


def test_every_address_of_every_page_leads_somewhere(related, visit):
    asked = {
        address
        for claim in related.claims.values()
        for address in (str(link["href"]) for link in Markup(visit.get(f"/claims/{claim}").text).all("a"))
        if address.startswith("/")
    }
    assert {address: visit.get(address).status_code for address in asked} == dict.fromkeys(asked, 200)
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


def test_the_hash_on_the_page_is_that_of_the_bundle(related, visit, part):
    files = part("corrected", "files")
    latest, earlier = (address for address in files.addresses() if "bundle.zip?" in str(address))
    assert latest != earlier
    bundle = visit.get(str(latest)).content
    files = part("corrected", "files")  # by now it is known, however slow the machine
    assert hashlib.sha256(bundle).hexdigest() in files.text
    entries = {}
    for address in (latest, earlier):
        archive = zipfile.ZipFile(io.BytesIO(visit.get(str(address)).content))
        lines = archive.read("entries.jsonl").decode().splitlines()
        entries[address] = [json.loads(line)["entry"]["type"] for line in lines]
    assert entries[latest].count("adjudicated") == 3
    assert entries[earlier].count("adjudicated") == 1
    size = str(latest).rpartition("=")[2]
    claim = related.claims["corrected"]
    assert f"antedate verify http://testserver/claims/{claim} --tree-size {size}" in files.text
    assert f"unzip {claim}.zip -d {claim} && python3 {claim}/reproduce.py" in files.text
    assert f"over {size} entries" in files.text
    assert "this service alone" in files.text


def test_what_no_head_covers_says_so_until_one_does(related, visit, part):
    document = registration(title="Judged after every signed head")
    with related.ledger.begin() as session:
        lives = Lives(session, related.app.state.signing)
        claim = related.claims["uncovered"] = lives.file("uncovered", document)
        lives.judge(claim, "gap", document)
    files = part("uncovered", "files")
    assert "not covered yet" in files.text
    assert "sha256 " not in files.text.partition("Files")[2].partition("Cite")[0]
    assert f"/v1/claims/{claim}/bundle.zip" in files.addresses()
    with related.ledger.begin() as session:
        head = checkpoints.issue(session, related.app.state.signing)
    bundle = visit.get(f"/v1/claims/{claim}/bundle.zip").content
    covered = part("uncovered", "files")
    assert f"over {head.size} entries" in covered.text
    assert f"/v1/claims/{claim}/bundle.zip?tree_size={head.size}" in covered.addresses()
    assert "--tree-size" not in covered.text
    assert hashlib.sha256(bundle).hexdigest() in covered.text


class Slow:
    """Bundles that take until `go`."""

    def __init__(self, fails: bool = False) -> None:
        self.go = threading.Event()
        self.fails = fails
        self.found: dict[tuple[str, int], Built] = {}

    def known(self, claim: str, size: int) -> Built | None:
        return self.found.get((claim, size))

    def described(self, claim: str, size: int) -> Built:
        self.go.wait(60)
        if self.fails:
            raise RuntimeError("the rows are damaged")
        return self.found.setdefault((claim, size), Built(size, "ab" * 32, 7))


def test_a_page_does_not_wait_for_a_slow_bundle_nor_queue_too_many(monkeypatch):
    monkeypatch.setattr(bundled, "MOST_AWAITED", 1)
    bundles: Any = Slow()
    assert bundle_of(bundles, "claim", None).built is None
    assert bundle_of(bundles, "claim", 5, patience=0).building
    another = bundle_of(bundles, "another", 5, patience=0)
    assert (another.building, another.failed, another.built) == (False, False, None)
    bundles.go.set()
    assert bundle_of(bundles, "claim", 5, patience=60).built == Built(5, "ab" * 32, 7)
    assert bundle_of(bundles, "another", 5, patience=60).built is not None


@pytest.fixture
def build_by(related) -> Iterator[Callable[[Slow], Slow]]:
    """`build_by(slow)`: the service's bundles are built by that until the test ends, which lets it go."""
    own, given = related.app.state.bundles, []

    def built_by(slow: Slow) -> Slow:
        given.append(slow)
        related.app.state.bundles = slow
        return slow

    yield built_by
    related.app.state.bundles = own
    for slow in given:
        slow.go.set()


def test_a_bundle_that_cannot_be_built_is_told(related, visit, build_by):
    build_by(Slow(fails=True)).go.set()
    page = visit.get(f"/claims/{related.claims['proven']}")
    assert page.status_code == 200
    assert "It cannot be built from what is kept of this claim." in page.text
    assert "data-live" not in page.text


def test_the_page_asks_for_the_hash_again_while_it_is_computed(related, visit, build_by):
    build_by(Slow())
    page = visit.get(f"/claims/{related.claims['proven']}").text
    assert "Its sha256 is being computed" in page
    assert "data-live" in page


@pytest.fixture
def show(related, serve) -> Any:
    """`show(word)`: what `antedate show` prints of that claim."""
    with serve(related.app, lifespan="off") as url:

        def shown(word: str) -> str:
            command = [sys.executable, "-c", "from app.cli import main; main()", "show", related.claims[word]]
            done = subprocess.run([*command, "--url", url], capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, done.stderr
            return done.stdout

        yield shown


def test_the_command_line_tells_the_same(related, show):
    corrected = show("corrected")
    assert "by ada, inconclusive to refuted: The second correction took the sign" in corrected
    assert "H1: 0.21 [0.14, 0.28] confirmed, now 0.02 [-0.04, 0.08] inconclusive" in corrected
    assert corrected.index("inconclusive to refuted") < corrected.index("confirmed to inconclusive")
    assert "No independent reproduction recorded." in corrected
    assert f"contested by: {related.claims['corrected']}, which gave way" in show("above")
    original = show("original")
    assert f"reproduction: {related.claims['agreeing']} (bob) agrees: Another registrant" in original
    assert f"rerun: {related.claims['rerun']} (ada) agrees: The same registrant" in original
    assert f"contradicted by: {related.claims['opposed']} (bob): A reader" in original
    assert "No independent reproduction" not in original
    assert f"/v1/claims/{related.claims['original']}/bundle.zip" in original
    assert "trust: registered" in original
    assert f"reproduces: {related.claims['original']}" in show("agreeing")
