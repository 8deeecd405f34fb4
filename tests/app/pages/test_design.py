"""What the design check said before the freeze stands on the claim's page."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from app.pages.claim.design import design_of
from claims.design import WARNING_CODES, check
from claims.registration.model import Registration

from .conftest import CHROMIUM, filled
from .documents import registration
from .filled_ledger import put
from .lives import registered
from .markup import Markup

CLAIM, UNKNOWN, WARNED = "designed00000001", "undesigned000001", "warnedmanytimes1"
ASSUMED = {
    "recovery_gap_constructed": {"value": 0.1, "sd": 0.2, "source": "The pilot <b>of</b> the recipe."},
    "patching_recovery_auc_constructed": {"value": 0.97, "sd": 0.1, "source": "The same pilot."},
}


ONE = {"statement": "It is so.", "metric": "recovery_gap_constructed", "predict": {"op": ">", "value": 0.09}}
MANY = [{**ONE, "id": f"H{number}", "primary": number == 1} for number in range(1, 31)]


def frozen(**changes):
    document = registration(**changes)
    step = registered(document)
    return replace(step, payload={**step.payload, "check": check(Registration.model_validate(document), "committed")})


@pytest.fixture(scope="module")
def site(postgres, valkey, tmp_path_factory) -> Iterator:
    def fill(session, signing):
        put(session, CLAIM, [frozen(title="Assumed", assumptions=ASSUMED)], signing=signing)
        put(session, WARNED, [frozen(title="Many", hypotheses=MANY, assumptions=ASSUMED)], signing=signing)
        put(session, UNKNOWN, [frozen(title="Nothing assumed")], signing=signing)
        return {}

    with filled(postgres, valkey, "designs", tmp_path_factory.mktemp("designs"), fill) as made:
        yield made


def predicted(site, claim):
    raw = TestClient(site.app, headers={"Accept": "text/html"}).get(f"/claims/{claim}").text
    return Markup(raw.partition('id="predicted"')[2].partition("</section>")[0]).text


def found_of(**changes):
    """What the design check says of the hypotheses of that registration."""
    return check(Registration.model_validate(registration(**changes)), "committed")


def test_the_page_tells_what_the_design_could_decide(site):
    text = predicted(site, CLAIM)
    said = check(Registration.model_validate(registration(assumptions=ASSUMED)), "committed")["hypotheses"][0]
    assert "Before the freeze" in text
    for word in (f"{said['power']:.0%}", f"{said['inconclusive']:.0%}"):
        assert word.replace("%", "\u202f%") in text
    assert "The pilot <b>of</b> the recipe." in text
    assert f"{said['n']} organisms" in text
    assert f"{said['detectable']['value']:g}" in text
    assert "Detectable n that decides" in text
    assert f" {said['smallest_n']} " in text


def test_where_no_number_of_units_decides_the_page_says_why():
    edge = {"recovery_gap_constructed": {"value": 0, "sd": 0.2, "source": "None."}}
    (one,) = design_of(found_of(assumptions=edge)).expected
    assert (one.detectable, one.deciding) == ("0.152", "no number"), "of what lies on the threshold"
    many = found_of(hypotheses=MANY, assumptions=ASSUMED)
    last = design_of(many).expected[-1]
    assert (last.detectable, last.deciding) == ("not sought", "not sought"), "of too many"
    recorded = {**many["hypotheses"][0], "assumed": None, "power": None, "smallest_n": None}
    (one,) = design_of({**many, "hypotheses": [recorded]}).expected
    assert (one.detectable, one.deciding) == (f"{recorded['detectable']['value']:g}", "unknown"), "of a recorded sd"
    undrawn = {**recorded, "assumed": 0.1, "drawn_from": None, "detectable": None}
    (one,) = design_of({**many, "hypotheses": [undrawn]}).expected
    assert (one.detectable, one.deciding) == ("unknown", "unknown"), "of what is not simulated"


def test_many_warnings_of_a_kind_stand_under_what_they_mean(site):
    text = predicted(site, WARNED)
    assert f"{WARNING_CODES['POWER']} 30 times: {', '.join(f'H{n}' for n in range(1, 31))}" in text
    assert text.count("at 0.1, as assumed, it is confirmed with a chance of") == 30


def test_the_page_says_that_nothing_was_assumed(site):
    assert "nothing is known of its power" in predicted(site, UNKNOWN)


def test_a_check_without_power_says_nothing():
    assert design_of({"warnings": []}) is None


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no `chromium` on PATH")
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_it_fits(site, serve, browser, width):
    with serve(site.app, lifespan="on") as url:
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        page.goto(f"{url}/claims/{CLAIM}")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("table.design").is_visible()
        page.context.close()
