"""The bundle and the signed head on a claim's page."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.ledger import checkpoints
from app.ledger.bundles import Built
from app.pages import bundled
from app.pages.bundled import bundle_of

from .documents import registration
from .related_lives import Lives


def test_the_hash_on_the_page_is_that_of_the_bundle(related, follow, part):
    files = part("corrected", "files")
    latest, earlier = (address for address in files.addresses() if "bundle.zip?" in str(address))
    assert latest != earlier
    bundle = follow.get(str(latest)).content
    files = part("corrected", "files")  # by now it is known, however slow the machine
    assert hashlib.sha256(bundle).hexdigest() in files.text
    entries = {}
    for address in (latest, earlier):
        archive = zipfile.ZipFile(io.BytesIO(follow.get(str(address)).content))
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


def test_what_no_head_covers_says_so_until_one_does(related, follow, part):
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
    bundle = follow.get(f"/v1/claims/{claim}/bundle.zip").content
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


def test_a_bundle_that_cannot_be_built_is_told(related, follow, build_by):
    build_by(Slow(fails=True)).go.set()
    page = follow.get(f"/claims/{related.claims['proven']}")
    assert page.status_code == 200
    assert "It cannot be built from what is kept of this claim." in page.text
    assert "data-live" not in page.text


def test_the_page_asks_for_the_hash_again_while_it_is_computed(related, follow, build_by):
    build_by(Slow())
    page = follow.get(f"/claims/{related.claims['proven']}").text
    assert "Its sha256 is being computed" in page
    assert "data-live" in page
