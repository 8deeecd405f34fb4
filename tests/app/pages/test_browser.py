"""The pages in a real browser: at a phone's and a desk's width, light and dark, with and without a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from .conftest import CHROMIUM

ADDRESSES = [
    "/",
    "/claims",
    "/refuted-and-superseded",
    "/overdue",
    "/calibration",
    "/instruments",
    "/datasets",
    "/imports",
    "/log",
    "/problems",
]
CLAIMS = ["refuted", "void", "running", "hostile", "agreement"]
# What stands beyond the right edge, except in a box that scrolls by itself.
SPILLED = """() => [...document.querySelectorAll("main *, header *, footer *")]
    .filter(e => !e.closest(".scroll, pre, .unseen") && getComputedStyle(e).position !== "absolute")
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && e.getBoundingClientRect().width > 1)
    .map(e => e.outerHTML.slice(0, 120))"""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no `chromium` on PATH"),
]


@pytest.fixture(scope="module")
def address(site, serve) -> Iterator[str]:
    with serve(site.app, lifespan="on") as url:
        yield url


@pytest.fixture
def opened(browser: Browser, address: str, site) -> Iterator[Callable[..., Page]]:
    """`opened(page, width=…, scheme=…)`: the page. Fails the test at its end for any complaint of the browser."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def visit(where: str, *, width: int = 1280, scheme: Any = "light", **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda request: complaints.extend([request.url] if not request.url.startswith(address) else [])
        )
        path = where if where.startswith("/") else f"/claims/{site.claims[where]}"
        page.goto(address + path)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_fit_and_the_browser_complains_of_nothing(width: int, scheme: str, opened, address: str, site):
    page = opened("/", width=width, scheme=scheme)
    for where in [*ADDRESSES, *(f"/claims/{site.claims[word]}" for word in CLAIMS)]:
        page.goto(address + where)
        assert page.evaluate("document.documentElement.scrollWidth") == width, where
        assert page.evaluate(SPILLED) == [], where
        assert page.locator("h1").is_visible()


@pytest.mark.parametrize(("width", "shown"), [(390, "narrow"), (1280, "wide")])
def test_one_chart_is_shown_in_the_width_at_hand(width: int, shown: str, opened):
    page = opened("refuted", width=width)
    for kind in ("wide", "narrow"):
        assert page.locator(f"figure.picture .chart.{kind}").first.is_visible() == (kind == shown)
    assert page.locator(f".chart.{shown}").first.bounding_box()["width"] <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_follow_the_theme(scheme: str, opened):
    page = opened("refuted", scheme=scheme)
    drawn = page.locator(".chart.wide text", has_text="H1").first.evaluate("e => getComputedStyle(e).fill")
    assert drawn == page.evaluate("getComputedStyle(document.body).color")


def test_the_keyboard_reaches_the_content_and_its_focus_shows(opened):
    page = opened("refuted")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the content"
    assert skip.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    reached = page.locator(":focus")
    assert reached.evaluate("e => !!e.closest('main')")
    assert reached.evaluate("e => getComputedStyle(e).outlineWidth") == "3px"


def test_copy_gives_the_whole_value(opened):
    page = opened("refuted", permissions=["clipboard-read", "clipboard-write"])
    page.locator("dd", has_text="0123456789ab+dirty").first.get_by_role("button").click()
    page.locator("[data-announce]", has_text="Copied.").wait_for(state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == "0123456789abcdef0123456789abcdef01234567+dirty"


@pytest.mark.parametrize("where", ["refuted", "running", "agreement", "/claims"])
def test_everything_can_be_read_without_a_script(where: str, opened):
    page = opened(where)
    page.evaluate("document.querySelectorAll('[data-copy], [data-mark]').forEach(control => control.remove())")
    bare = opened(where, java_script_enabled=False)
    assert bare.locator("[data-copy]:visible, [data-mark]:visible").count() == 0
    instead = bare.locator("main").inner_text().replace("Reload the page to see how far it is.", "")
    assert page.locator("main").inner_text().split() == instead.split()


def test_a_dimension_of_the_rank_flip_is_chosen_without_a_script(opened):
    page = opened("agreement", java_script_enabled=False)
    shown = page.locator(".choices .chart.wide")
    assert [drawing.is_visible() for drawing in shown.all()] == [True, False, False, False]
    page.locator(".choices summary", has_text="safety").click()
    assert [drawing.is_visible() for drawing in shown.all()] == [False, False, True, False]


def test_a_component_is_marked_wherever_it_is_drawn(opened):
    page = opened("agreement")
    page.get_by_label("Mark a component").select_option("mlp_L1")
    marked = page.locator(".chart .marked > title")
    assert {title.split(":")[0] for title in marked.all_text_contents()} == {"mlp_L1"}
    flips, points = page.locator(".choices .chart.wide .marked"), page.locator("circle.marked, path.marked")
    assert flips.count() == 4
    assert points.count() == 4 * 2
    page.get_by_label("Mark a component").select_option("none")
    assert marked.count() == 0


def test_filters_work_without_a_script(opened, site):
    page = opened("/claims", java_script_enabled=False)
    page.get_by_role("checkbox", name="Refuted").check()
    page.get_by_role("button", name="Apply").click()
    assert page.url.endswith("/claims?status=refuted")
    assert page.locator(".claims > li").count() == 2
    page.get_by_role("link", name="status: refuted").click()
    assert page.locator(".claims > li").count() == len(site.claims)


def test_filters_open_on_a_phone(opened):
    page = opened("/claims", width=390)
    assert not page.get_by_label("Model").is_visible()
    page.get_by_text("Filters", exact=True).click()
    assert page.get_by_label("Model").is_visible()


def test_hostile_text_does_nothing(opened):
    page = opened("hostile")
    assert page.title().startswith("<script>document.title='owned'</script>")
    assert page.locator("main script, main img").count() == 0
    heading = page.locator("h1").bounding_box()
    assert heading["x"] + heading["width"] <= 1280


def test_a_running_claim_turns_into_its_verdict_without_a_reload(opened, judge_new):
    claim, open_run, judge = judge_new
    page = opened(f"/claims/{claim}")
    assert page.locator(".verdict .word").inner_text() == "Registered"
    page.evaluate("window.untouched = true")
    open_run()
    page.locator(".verdict .word", has_text="Running").wait_for(timeout=60_000)
    judge()
    page.locator(".verdict .word", has_text="Refuted").wait_for(timeout=60_000)
    assert page.locator("figure.picture .chart.wide").first.is_visible()
    assert page.evaluate("window.untouched")
    assert page.title().startswith("Turns while it is watched (refuted)")
    assert page.locator("[data-live]").count() == 0
    assert "Refuted" in page.locator("[data-announce]").text_content()


def test_print_has_no_chrome(opened):
    page = opened("refuted")
    page.emulate_media(media="print")
    assert not page.locator(".masthead nav").is_visible()
    assert not page.locator("button.copy").first.is_visible()
    assert page.locator(".verdict").is_visible()
