from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from app.ledger import checkpoints
from app.ledger.log import history


@pytest.fixture
def recipe(visit) -> str:
    return unescape(re.search(r"<pre[^>]*>(import base64.*?)</pre>", visit.get("/log").text, re.DOTALL)[1])


def run(recipe: str, receipt: dict, directory) -> subprocess.CompletedProcess[str]:
    (directory / "receipt.json").write_text(json.dumps(receipt))
    return subprocess.run(
        [sys.executable, "-c", recipe], cwd=directory, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def receipt(site, visit) -> dict[str, Any]:
    """As the claim's page offers it."""
    return visit.get(f"/claims/{site.claims['confirmed']}/receipt.json").json()


def test_the_recipe_accepts_a_receipt(recipe, receipt, site, tmp_path):
    done = run(recipe, receipt, tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"claim {site.claims['confirmed']}, frozen {receipt['filed']}, sha256:" in done.stdout


@pytest.mark.parametrize("part", ["note", "canonical"])
def test_the_recipe_refuses_a_receipt_that_was_changed(part: str, recipe, receipt, tmp_path):
    if part == "note":
        receipt["note"] = receipt["note"].replace(receipt["claim"], "anotherclaim0000")
    else:
        receipt["entry"]["canonical"] = receipt["entry"]["canonical"][:-4] + "AAA="
    done = run(recipe, receipt, tmp_path)
    assert done.returncode != 0
    assert not done.stdout


def test_the_log_page_tells_its_size_and_key(site, visit):
    text = visit.get("/log").text
    with site.ledger.begin() as session:
        entries = 1 + sum(len(history(session, claim)) for claim in site.claims.values())  # and a dataset
    assert f"{entries} entries" in text
    assert site.app.state.signing.vkey in unescape(text)


def test_the_log_page_shows_the_signed_head_and_who_vouches_for_it(site, visit):
    with site.ledger.begin() as session:
        issued = checkpoints.issue(session, site.app.state.signing)
    text = unescape(visit.get("/log").text)
    assert issued.note in text
    assert f"over {issued.size} entries" in text
    assert "this service alone" in text


def test_the_log_page_says_so_when_the_log_is_another_than_was_signed(site, visit, tmp_path):
    """A copy outside remembers more than the database holds, as after a restored backup."""
    file, signing = site.app.state.settings.checkpoints, site.app.state.signing
    with site.ledger.begin() as session:
        issued = checkpoints.issue(session, signing)
    assert "This is not the log that was signed" not in visit.get("/log").text
    kept = file.read_bytes() if file.exists() else None
    checkpoints._append(file, [replace(issued, size=issued.size + 5)])
    try:
        text = unescape(visit.get("/log").text)
    finally:
        file.unlink() if kept is None else file.write_bytes(kept)
    assert "This is not the log that was signed" in text
    assert f"a checkpoint over {issued.size + 5} was published" in text
