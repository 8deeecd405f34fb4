"""From a filing over HTTP to the verdict on the claim's page, watched in a real browser while real workers measure."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, sync_playwright

from claims.registration.yaml_form import read_yaml

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium")
VERDICT = re.compile("Confirmed|Refuted|Inconclusive|Void")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no `chromium` on PATH"),
]


@dataclass(frozen=True)
class Service:
    url: str
    key: str

    def file(self, document: dict[str, Any]) -> str:
        answer = httpx.post(
            f"{self.url}/v1/predictions",
            content=json.dumps(document),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
            trust_env=False,
            timeout=60,
        )
        assert answer.status_code == 201, answer.text
        claim: str = answer.json()["claim"]
        return claim


@pytest.fixture
def service(data_path: Path, eventually: Callable[..., None]) -> Iterator[Service]:
    """`antedate up` as a user starts it, stopped afterwards."""
    said = data_path.with_name("said")
    environment = {**os.environ, "ANTEDATE_DATA": str(data_path), "OMP_NUM_THREADS": "1"}
    with said.open("w") as out:
        command = [Path(sys.executable).with_name("antedate"), "up"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)

    def serving() -> bool:
        assert process.poll() is None, said.read_text()
        return "key: ant_" in said.read_text()

    try:
        eventually(serving, seconds=90)
        text = said.read_text()
        yield Service(re.search(r"http://127\.0\.0\.1:\d+", text)[0], re.search(r"key: (ant_\S+)", text)[1])
    finally:
        process.terminate()
        try:
            process.wait(60)
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def browse(service: Service) -> Iterator[Callable[..., Page]]:
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


def small_claim() -> dict[str, Any]:
    """The example with as few organisms as an interval needs, all of them kept."""
    document = read_yaml((ROOT / "examples" / "planted_key.yaml").read_bytes())
    document["title"] = "Eight organisms, watched"
    document["subject"]["model"]["params"] |= {"min_accuracy": 0.5}
    document["sampling"] |= {"organisms": 8, "pairs_per_organism": 6}
    document["kill_criteria"] = []
    document["controls"] = {}
    return document


def test_a_claim_is_watched_from_filing_to_verdict(service: Service, browse: Callable[..., Page]):
    claim = service.file(small_claim())
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
    assert phone.locator(".claims h3").inner_text() == "Eight organisms, watched"
    rows = httpx.get(f"{service.url}/v1/claims/{claim}/rows", trust_env=False, timeout=60)
    assert rows.status_code == 200
    assert len(rows.text.splitlines()) > 8
