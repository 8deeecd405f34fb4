"""`antedate show` of claims that later entries concern."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest


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
