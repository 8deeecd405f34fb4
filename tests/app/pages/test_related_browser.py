"""The pages of claims that later entries concern, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from .conftest import CHROMIUM
from .test_browser import SPILLED

WORDS = ["corrected", "higher", "original", "disagreeing", "proven", "late"]
# Text whose colour is too near that of its background: WCAG AA, 4.5 to 1, and 3 to 1 where it is large.
FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, index) => sum + v * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = element => { for (let at = element; at; at = at.parentElement) {
    const found = rgba(getComputedStyle(at).backgroundColor); if (found[3] === 255) return found; } };
  return [...document.querySelectorAll("main *")].filter(e => !e.closest("svg, .unseen") && e.checkVisibility())
    .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
    .filter(e => { const style = getComputedStyle(e), [a, b] = [light(rgba(style.color)), light(behind(e))];
      const large = parseFloat(style.fontSize) >= 24;
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < (large ? 3 : 4.5); })
    .map(e => e.outerHTML.slice(0, 120)); }"""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no `chromium` on PATH"),
]


@pytest.fixture(scope="module")
def address(related, serve) -> Iterator[str]:
    with serve(related.app, lifespan="on") as url:
        yield url


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_fit_and_can_be_read(width: int, scheme: Any, browser: Browser, address: str, related):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for word in WORDS:
        page.goto(f"{address}/claims/{related.claims[word]}")
        assert page.evaluate("document.documentElement.scrollWidth") == width, word
        assert page.evaluate(SPILLED) == [], word
        assert page.evaluate(FAINT) == [], word
    context.close()
    assert complaints == []


def test_what_came_later_can_be_read_without_a_script(browser: Browser, address: str, related):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/claims/{related.claims['corrected']}")
    for shown in ("Verdict 1, before", "Verdict 3, since", "antedate verify", "reproduce.py"):
        assert page.get_by_text(shown).first.is_visible(), shown
    assert page.locator("button.copy:visible").count() == 0
    context.close()


def test_the_lines_to_type_are_copied_whole(browser: Browser, address: str, related):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}/claims/{related.claims['original']}")
    page.get_by_role("button", name="Copy the line that reproduces it").click()
    page.locator("[data-announce]", has_text="Copied.").wait_for(state="attached")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(f"/v1/claims/{related.claims['original']}/reproduce")
    assert copied == page.locator("#sure pre.command").inner_text()
    context.close()
