"""Reading claims: lists and their filters, one claim, its history, its evidence and rows."""

import hashlib
import json

import pytest

from claims.canonical import canonical_bytes


def ids(client, query):
    answer = client.get(f"/v1/claims?{query}")
    assert answer.status_code == 200, answer.text
    return [claim["id"] for claim in answer.json()["items"]]


def test_a_claim_from_filing_to_verdict(client, file_claim, open_claim, judge_claim):
    claim = file_claim()
    found = client.get(f"/v1/claims/{claim}").json()
    assert (found["status"], found["run"], found["code"], found["judged"]) == ("registered", None, None, None)
    assert [one["outcome"] for one in found["hypotheses"]] == [None, None, None]
    judge_claim(claim, -0.3)
    found = client.get(f"/v1/claims/{claim}").json()
    assert (found["status"], found["run"]) == ("refuted", f"{claim}-1")
    assert found["code"] == {"commit": "ab" * 20, "dirty": "dirty", "label": "ab" * 20 + "+dirty"}
    first = found["hypotheses"][0]
    assert (first["estimate"], first["outcome"], first["level"]) == (-0.3, "refuted", 0.95)
    assert (first["lo"], first["hi"]) == (-0.35, -0.25)
    assert first["predict"] == {"op": ">", "value": 0}
    assert found["filed"] < found["opened"] < found["judged"]
    assert found["voids"] == []


def test_a_void_says_why_with_its_figures_and_its_remedy(client, file_claim, judge_claim):
    claim = file_claim()
    judge_claim(claim, 0.3, organisms_governed=3.0)
    found = client.get(f"/v1/claims/{claim}").json()
    assert found["status"] == "void"
    (void,) = found["voids"]
    assert (void["reason"], void["hypothesis"]) == ("kill_criterion", None)
    assert void["figures"]["measured"] == 3.0
    assert void["remedy"]


def test_an_entity_tag_changes_when_the_claim_does(client, file_claim, open_claim):
    claim = file_claim()
    first = client.get(f"/v1/claims/{claim}")
    tag = first.headers["ETag"]
    for asked in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = client.get(f"/v1/claims/{claim}", headers={"If-None-Match": asked})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert client.get(f"/v1/claims/{claim}", headers={"If-None-Match": '"other"'}).status_code == 200
    open_claim(claim)
    changed = client.get(f"/v1/claims/{claim}", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


def test_history_is_the_log_and_its_hashes_can_be_recomputed(client, file_claim, judge_claim):
    claim = file_claim()
    judge_claim(claim, 0.3)
    items = client.get(f"/v1/claims/{claim}/history").json()["items"]
    types = [entry["type"] for entry in items]
    assert types == ["registered", "opened", "run_ended", "evidence_recorded", "adjudicated"]
    for entry in items:
        leaf = entry.pop("leaf_hash")
        assert hashlib.sha256(b"\0" + canonical_bytes(entry)).hexdigest() == leaf


def test_evidence_and_rows_are_the_bytes_that_the_log_names(client, file_claim, judge_claim):
    claim = file_claim()
    rows = judge_claim(claim, 0.3)
    logged = client.get(f"/v1/claims/{claim}/history").json()["items"][3]["payload"]
    evidence = client.get(f"/v1/claims/{claim}/evidence")
    assert hashlib.sha256(evidence.content).hexdigest() == logged["evidence_sha256"]
    assert evidence.headers["ETag"] == f'"{logged["evidence_sha256"]}"'
    assert evidence.json()["estimates"]["recovery_gap"]["value"] == 0.3
    streamed = client.get(f"/v1/claims/{claim}/rows")
    assert streamed.headers["Content-Type"] == "application/x-ndjson"
    assert streamed.headers["Content-Length"] == str(len(rows))
    assert streamed.content == rows
    assert hashlib.sha256(streamed.content).hexdigest() == logged["rows_sha256"]
    for path in ("evidence", "rows"):
        tag = client.get(f"/v1/claims/{claim}/{path}").headers["ETag"]
        assert client.get(f"/v1/claims/{claim}/{path}", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("path", ["evidence", "rows"])
def test_before_there_is_evidence(client, file_claim, problem_of, path):
    problem_of(client.get(f"/v1/claims/{file_claim()}/{path}"), 404, "nothing_measured")


@pytest.mark.parametrize("path", ["", "/history", "/runs", "/evidence", "/rows"])
def test_no_such_claim(client, problem_of, path):
    problem_of(client.get(f"/v1/claims/{'a' * 16}{path}"), 404, "not_found")


def test_a_run_says_how_far_it_is(client, file_claim, open_claim, problem_of):
    claim = file_claim()
    (waiting,) = client.get(f"/v1/claims/{claim}/runs").json()["items"]
    assert (waiting["status"], waiting["rows_done"], waiting["rate"]) == ("queued", 0, None)
    assert waiting["rows_total"] > 0
    open_claim(claim)
    running = client.get(waiting["url"]).json()
    assert (running["status"], running["rows_done"], running["workers"]) == ("running", 1, ["w1"])
    assert running["rate"] > 0
    assert running["eta_seconds"] > 0
    problem_of(client.get(f"/v1/runs/{claim}-2"), 404, "not_found")


def test_filters_narrow_and_combine(client, file_claim, judge_claim, open_claim):
    refuted, confirmed, waiting = file_claim(), file_claim(title="Quokkas never yodel"), file_claim()
    judge_claim(refuted, -0.3)
    judge_claim(confirmed, 0.7)
    assert refuted in ids(client, "status=refuted")
    assert {confirmed, waiting} & set(ids(client, "status=refuted")) == set()
    for query in ("status=refuted,confirmed", "status=refuted&status=confirmed"):
        assert {refuted, confirmed} <= set(ids(client, query))
        assert waiting not in ids(client, query)
    assert ids(client, "q=quokkas") == [confirmed]
    assert ids(client, "q=quokkas&status=refuted") == []
    assert ids(client, "q=yodelling+quokka") == [confirmed]
    assert waiting in ids(client, "metric=recovery_gap,unheard_of")
    assert ids(client, "metric=unheard_of") == []
    assert ids(client, "instrument=unheard_of") == []
    assert waiting in ids(client, "instrument=planted_key_recovery&model=organism:planted_key&registrant=ada")
    assert ids(client, "registrant=nobody") == []
    assert waiting in ids(client, "precedence=committed&superseded=false&contested=false&status=registered")
    assert ids(client, "precedence=recorded") == []


def test_pages_hold_every_claim_once_newest_first(client, file_claim):
    filed = [file_claim(title=f"Numbered wombat {number}") for number in range(5)]
    seen, address = [], "/v1/claims?q=wombat&limit=2&status=registered,running"
    while address:
        answer = client.get(address)
        page = answer.json()
        seen += [claim["id"] for claim in page["items"]]
        link = answer.headers.get("Link")
        assert (link is None) == (page["next"] is None)
        address = link and link.removeprefix("<").partition(">")[0]
        if address:
            assert link.endswith('; rel="next"')
    assert seen == filed[::-1]


def test_an_unopened_claim_shows_a_run_that_decides_nothing_yet(client, file_claim):
    claim = file_claim()
    found = client.get(f"/v1/claims/{claim}").json()
    assert json.dumps(found["links"]) == "[]"
    assert found["service"]["label"]
    assert found["precedence_reason"].startswith("The data is generated")
