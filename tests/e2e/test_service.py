"""From filings over HTTP to verdicts: one watched in a real browser while real workers measure, then every example.

Both tests are of one service, as a user starts it.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, sync_playwright

from claims.instruments import catalogue

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
OPEN = {"registered", "running"}
CHROMIUM = shutil.which("chromium")
VERDICT = re.compile("Confirmed|Refuted|Inconclusive|Void")

pytestmark = pytest.mark.e2e


@pytest.fixture
def browse(service: Any) -> Iterator[Callable[..., Page]]:
    """`browse(width)`: a page at that width. Fails the test at its end for any complaint of the browser."""
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)

        def at(width: int) -> Page:
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: request.url.startswith(service.url) or complaints.append(request.url))
            return page

        yield at
        browser.close()
    assert complaints == []


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no `chromium` on PATH")
def test_a_claim_is_watched_from_filing_to_verdict(
    service: Any, small_planted_key: dict[str, Any], browse: Callable[..., Page]
):
    claim = service.file(small_planted_key)
    page = browse(1280)
    page.goto(f"{service.url}/claims/{claim}")
    word = page.locator(".verdict .word")
    assert word.inner_text() in {"Registered", "Running"}
    assert page.locator("progress").is_visible()

    page.locator(".verdict .word", has_text=VERDICT).wait_for(timeout=180_000)
    assert page.locator("#measured").is_visible()
    assert page.get_by_text("Computed again from the evidence and the frozen rule").is_visible()
    assert page.locator("#pictures").is_visible()
    assert page.locator("figure.picture .chart.wide").count() == 2
    assert page.locator("[data-live]").count() == 0

    phone = browse(390)
    phone.goto(f"{service.url}/claims/{claim}")
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    assert phone.locator("figure.picture .chart.narrow").first.is_visible()
    assert phone.locator(".verdict .word").inner_text() == word.inner_text()

    phone.goto(service.url)
    assert phone.locator(".claims h3", has_text="Fifteen organisms, watched").is_visible()
    rows = httpx.get(f"{service.url}/v1/claims/{claim}/rows", trust_env=False, timeout=60)
    assert rows.status_code == 200
    assert len(rows.text.splitlines()) > 8


def test_every_example_is_measured_and_judged(
    service: Any, example: Callable[..., Any], small_planted_key: Any, eventually: Callable[..., None]
) -> None:
    """The planted key is the claim that was watched: filed again, it is the same."""
    service.command("upload", "diagnostic")
    fixture = ROOT / "tests" / "fixtures" / "models" / "llama-gqa" / "pairs.jsonl"
    service.command("upload", str(fixture), "--name", "llama-gqa")
    documents = {name: small_planted_key if name == "planted_key" else example(name) for name in EXAMPLES}
    filed = {name: service.file(document) for name, document in documents.items()}

    def all_are_judged() -> bool:
        return not OPEN & {service.get(f"/v1/claims/{claim}")["status"] for claim in filed.values()}

    eventually(all_are_judged, seconds=480)
    found = {name: service.get(f"/v1/claims/{claim}") for name, claim in filed.items()}
    assert {name: one["voids"] for name, one in found.items() if one["status"] == "void"} == {}
    evidence = {name: service.get(f"/v1/claims/{claim}/evidence") for name, claim in filed.items()}
    assert {one["instrument"] for one in evidence.values()} == set(catalogue())
    for name, one in evidence.items():
        primaries = [part["metric"] for part in documents[name]["hypotheses"] if part["primary"]]
        assert {metric for metric in primaries if metric not in one["estimates"]} == set(), name
    for name in set(EXAMPLES) - {"planted_key", "agreement"}:
        assert evidence[name]["subject"]["dataset"]["n"] == 12 * 32
        assert kinds_of_rows(service, filed[name])["score"] == 2 * 12 * 32


def kinds_of_rows(service: Any, claim: str) -> Counter[str]:
    rows = httpx.get(f"{service.url}/v1/claims/{claim}/rows", trust_env=False, timeout=60)
    assert rows.status_code == 200, rows.text
    return Counter(json.loads(line)["kind"] for line in rows.text.splitlines())
