"""From a filing over HTTP to the verdict on the claim's page, watched in a real browser while real workers measure."""

import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium")
VERDICT = re.compile("Confirmed|Refuted|Inconclusive|Void")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no `chromium` on PATH"),
]


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
    assert phone.locator(".claims h3").inner_text() == "Fifteen organisms, watched"
    rows = httpx.get(f"{service.url}/v1/claims/{claim}/rows", trust_env=False, timeout=60)
    assert rows.status_code == 200
    assert len(rows.text.splitlines()) > 8
