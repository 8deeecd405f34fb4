"""The scorecards as the API and the page of instruments show them, over a dose series filed on a ledger of its own."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.ledger.judging import record_evidence
from app.ledger.migrate import upgrade
from app.ledger.registrants import SCOPES, issue_key, register
from app.ledger.runs import claim_shard, hold
from app.main import create_app
from app.pages.scorecard import scorecard_view
from app.settings import Settings
from claims.canonical import canonical_bytes
from claims.dose_series import DOSES, LEVEL, SIZES, Interval, Point
from claims.evidence import Evidence
from claims.instrument_source import source_sha256
from claims.instruments import catalogue
from claims.instruments.calibrated_rankings import ATTRIBUTION, PATCHING
from claims.registration.yaml_form import read_yaml
from claims.scorecards import scorecard_of

ROOT = Path(__file__).parents[2]
SERIES = {
    dose: canonical_bytes(read_yaml((ROOT / "examples" / "scorecard" / f"dose_{dose}.yaml").read_bytes()))
    for dose in ("000", "001", "010", "100")
}
RANKING = ("attribution_patching_agreement", "direct_linear_attribution", "patch_grid", "planted_key_recovery")
FOUND = {"000": (0.5, 0.7), "001": (0.6, 0.8), "010": (0.7, 0.9), "100": (0.85, 0.95)}


def estimate(lo, hi):
    return {
        "value": (lo + hi) / 2, "lo": lo, "hi": hi, "level": LEVEL, "method": "student_t", "unit": "organism",
        "n": 16, "n_effective": 16.0,
    }  # fmt: skip


def evidence(lo, hi, source):
    empty = ("diagnostics", "not_measured", "nondeterminism", "controls", "conformance", "cost")
    body = {
        "schema": "antedate.evidence/1",
        "instrument": "planted_key_recovery",
        "version": "1",
        "params": {},
        "subject": {
            "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "sdpa"},
            "dataset": {"sha256": None, "n": 768},
        },
        "access": ["weights"],
        "estimates": {PATCHING.metric: estimate(lo, hi), ATTRIBUTION.metric: estimate(lo - 0.05, hi - 0.05)},
        **{part: {} for part in empty},
        "counts": dict(SIZES),
        "gauge": "invariant",
        "provenance": {
            "commit": "ab" * 20, "dirty": "clean", "diff_sha256": None, "instrument_source_sha256": source,
            "packages": {}, "platform": "test", "started": "2026-11-30T12:00:00.000000Z",
            "finished": "2026-11-30T12:01:00.000000Z",
        },
        "rows_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    }  # fmt: skip
    return Evidence.model_validate(body)


@pytest.fixture(scope="module")
def client(postgres, tmp_path_factory):
    root = tmp_path_factory.mktemp("scorecards")
    with postgres.database("scorecard_tests") as urls:
        upgrade(urls.database_owner_url)
        settings = Settings(database_url=urls.database_url, redis_url=urls.redis_url, data=root)
        with TestClient(create_app(settings)) as client:
            yield client


@pytest.fixture(scope="module")
def told(client):
    """What the service told as the series came: the cards at the start, by dose the receipt, the cards at the end."""
    ledger, source = client.app.state.ledger, source_sha256("planted_key_recovery")
    with ledger.begin() as session:
        register(session, "ada", "Ada")
        key = issue_key(session, "ada", SCOPES)
    first, receipts = cards(client), {}
    for dose, document in SERIES.items():
        sent = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        answer = client.post("/v1/predictions", content=document, headers=sent)
        assert answer.status_code == 201, answer.text
        receipts[dose] = answer.json()
        run = f"{receipts[dose]['claim']}-1"
        with ledger.begin() as session:
            code = {"instrument_source_sha256": source}
            claim_shard(session, run, 0, worker="w", source=code, term=timedelta(minutes=1))
            record_evidence(session, hold(session, run), evidence(*FOUND[dose], source), b"")
    again = {**json.loads(SERIES["100"]), "title": "The full dose once more"}
    answer = client.post("/v1/predictions", content=json.dumps(again), headers=sent)
    return first, receipts, cards(client), answer.json()


def cards(client):
    return {item["name"]: item["scorecard"] for item in client.get("/v1/instruments").json()["items"]}


def words(text):
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_before_any_of_it_every_ranking_is_incomplete_and_nothing_else_has_a_card(told):
    first, *_ = told
    assert {name for name, card in first.items() if card} == set(RANKING)
    assert {first[name]["state"] for name in RANKING} == {"incomplete"}
    assert first["patch_grid"]["source_sha256"] is None
    assert not first["patch_grid"]["stale"]


def test_the_whole_series_calibrates_what_it_measured(told):
    _, receipts, found, _ = told
    patching = found["patch_grid"]
    assert patching["state"] == "calibrated"
    assert patching["confidence"] == LEVEL
    assert patching["source_sha256"] == source_sha256("planted_key_recovery")
    assert [point["dose"] for point in patching["points"]] == [0, 0.01, 0.1, 1]
    assert [point["claim"] for point in patching["points"]] == [one["claim"] for one in receipts.values()]
    full = patching["points"][-1]["recovery"]
    assert full == {PATCHING.metric: {"value": pytest.approx(0.9), "lo": 0.85, "hi": 0.95}}
    assert {name for name, card in found.items() if card and card["state"] == "calibrated"} == set(RANKING)
    assert found["direct_linear_attribution"]["calibrations"][0]["params"]["convention"] == "frozen_norm"
    assert found["bias_battery"] is None


def test_the_trust_within_reach_is_told_as_the_ledger_stands(told):
    _, receipts, _, again = told
    reach = [one["check"]["reachable"]["trust"] for one in (*receipts.values(), again)]
    assert reach == [*["registered"] * 4, "adjudicated"]


def test_claims_that_were_decided_before_are_adjudicated_now(client, told):
    _, receipts, *_ = told
    found = {one["id"]: (one["status"], one["trust"]) for one in client.get("/v1/claims").json()["items"]}
    assert found[receipts["100"]["claim"]] == ("confirmed", "adjudicated")
    assert found[receipts["000"]["claim"]] == ("confirmed", "adjudicated")
    decided = {"confirmed", "refuted"}
    assert all((trust == "adjudicated") == (status in decided) for status, trust in found.values())


def test_the_page_shows_every_condition_with_its_claims(client, told):
    _, receipts, *_ = told
    page = client.get("/instruments").text
    shown = words(page.partition('id="patch_grid"')[2].partition("</section>")[0])
    assert "Scorecard Calibrated." in shown
    assert "must rise with dose, and at full dose clear 0.75: it does" in shown
    for receipt in receipts.values():
        assert receipt["claim"] in shown
    assert "0.900 [0.850, 0.950]" in shown.replace("\u00a0", " ")
    plain = words(page.partition('id="bias_battery"')[2].partition("</section>")[0])
    assert "no dose series calibrates this instrument" in plain


def test_a_series_of_other_code_is_stale(client, told, monkeypatch):
    for module in ("app.api.instruments", "app.pages.views"):
        monkeypatch.setattr(f"{module}.source_sha256", lambda name: "f" * 64)
    card = cards(client)["patch_grid"]
    assert (card["state"], card["stale"]) == ("calibrated", True)
    assert "Stale" in client.get("/instruments").text


def test_what_failed_is_said_with_its_figures():
    found = [Point("c" * 16, 0, dose, "a" * 64, {PATCHING.metric: Interval(0.6, 0.5, 0.749999)}) for dose in DOSES]
    view = scorecard_view(scorecard_of(catalogue()["patch_grid"].MANIFEST, found), "b" * 64)
    (condition,) = view.calibrations
    assert (view.verdict, condition.holds) == ("Not calibrated", "it does not")
    assert "its lower bound is 0.500, not above 0.75" in condition.why_not
    assert condition.points[0].recovery.replace("\u00a0", " ") == "0.600 [0.500, 0.749999]"
    assert view.stale


def test_the_docs_say_what_the_code_does():
    text = " ".join((ROOT / "docs" / "scorecards.md").read_text().split())
    *fewer, last = DOSES
    assert f"show the rule: {', '.join(f'{dose:g}' for dose in fewer)} and {last:g}." in text
    assert f"{SIZES['organisms']} organisms of {SIZES['pairs_per_organism']} pairs" in text
    assert f"each interval is at {100 * LEVEL:g} %" in text
    for name in RANKING:
        page = " ".join((ROOT / "docs" / "instruments" / f"{name}.md").read_text().split())
        for calibration in catalogue()[name].MANIFEST.calibrations:
            assert f"above **{calibration.level:g}**" in text
            assert f"above {calibration.level:g}" in page.partition("## Scorecard")[2]
