"""Sealing and telling from the command line: where the salt is kept, and what becomes of it when things go wrong."""

import json
import stat

import pytest

from app.cli.errors import UnreachableError
from app.cli.progress import _facts
from app.cli.service import Service
from claims.forecasts import seal


@pytest.fixture
def bob(run, service, listening, tmp_path):
    """`bob(*arguments)`: the command by bob's key, with its state in a directory of the test."""
    environment = {"ANTEDATE_URL": listening, "ANTEDATE_KEY": service.bob, "ANTEDATE_STATE": str(tmp_path / "state")}
    return lambda *arguments: run("forecast", *arguments, **environment)


@pytest.fixture
def opened_later(file_claim, open_claim):
    """A claim, and what opens it."""
    claim = file_claim()
    return claim, lambda: open_claim(claim)


def kept(tmp_path, claim):
    return tmp_path / "state" / f"forecast-{claim}-bob.json"


def listed(service, claim):
    return service.client.get(f"/v1/claims/{claim}/forecasts").json()["items"]


def test_sealed_and_told(bob, service, tmp_path, file_claim, judge_claim):
    claim = file_claim()
    done = bob(claim, "--probability", "0.25")
    assert done.code == 0, done.err
    file = kept(tmp_path, claim)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    secret = json.loads(file.read_text())
    assert seal(claim, "bob", 0.25, bytes.fromhex(secret["salt"])) in done.out
    assert f"file: {file}" in done.out
    (sealed,) = listed(service, claim)
    assert (sealed["registrant"], sealed["probability"]) == ("bob", None)

    early = bob(claim, "--reveal")
    assert (early.code, "does not allow this yet" in early.err) == (4, True)
    judge_claim(claim, 0.9)
    told = bob(claim, "--reveal", "--json")
    assert (told.code, told.json["probability"], told.json["file"]) == (0, 0.25, str(file))
    assert listed(service, claim)[0]["probability"] == 0.25


def test_where_the_answer_was_lost_the_same_command_goes_on(bob, service, tmp_path, file_claim):
    claim = file_claim()
    first = bob(claim, "--probability", "0.25", "--json").json
    assert first["result"] == "sealed"
    assert bob(claim, "--probability", "0.25", "--json").json == first | {"result": "sealed already"}
    other = bob(claim, "--probability", "0.9")
    assert (other.code, "you sealed 0.25 of this claim" in other.err) == (2, True)
    assert len(listed(service, claim)) == 1


@pytest.mark.parametrize("lost", ["sealed", "told"])
def test_what_the_ledger_has_and_the_client_never_heard_is_there_already(bob, service, opened_later, monkeypatch, lost):
    """The service recorded it and its answer was lost on the way; the same command then ends well, and says so."""
    claim, open_it = opened_later
    seal_it, tell_it = (claim, "--probability", "0.25"), (claim, "--reveal")
    if lost == "told":
        assert bob(*seal_it).code == 0
        open_it()
    command, real = (seal_it if lost == "sealed" else tell_it), Service.post

    def losing(*arguments, **more):
        real(*arguments, **more)
        raise UnreachableError("it broke off")

    with monkeypatch.context() as network:
        network.setattr(Service, "post", losing)
        assert bob(*command).code == 3
    if lost == "sealed":
        open_it()  # by now it would be too late to seal another
    before = listed(service, claim)
    again = bob(*command)
    assert (again.code, f"result: {lost} already" in again.out) == (0, True), again.err
    seq = before[0]["seq" if lost == "sealed" else "revealed_seq"]
    assert f"entry: {seq}\n" in again.out
    assert listed(service, claim) == before


def test_what_was_told_needs_no_salt_any_more(bob, tmp_path, file_claim, open_claim):
    claim = file_claim()
    bob(claim, "--probability", "0.25")
    open_claim(claim)
    first = bob(claim, "--reveal", "--json").json
    kept(tmp_path, claim).unlink()
    assert bob(claim, "--reveal", "--json").json == first | {"result": "told already"}


def test_a_salt_that_may_be_on_its_way_outlives_a_refusal(bob, tmp_path, opened_later, monkeypatch):
    """A command that was given up may still reach the service: what it sealed could not be told without its salt."""
    claim, open_it = opened_later

    def away(*_, **__):
        raise UnreachableError("cannot reach it")

    with monkeypatch.context() as network:
        network.setattr(Service, "post", away)
        assert bob(claim, "--probability", "0.25").code == 3
    open_it()
    assert bob(claim, "--probability", "0.25").code == 4
    assert kept(tmp_path, claim).exists()


def test_a_negative_zero_is_zero(bob, service, file_claim, open_claim):
    claim = file_claim()
    assert bob(claim, "--probability", "-0.0").code == 0
    open_claim(claim)
    assert bob(claim, "--reveal").code == 0
    assert listed(service, claim)[0]["probability"] == 0


def test_a_salt_that_was_lost(bob, tmp_path, file_claim, open_claim):
    claim = file_claim()
    bob(claim, "--probability", "0.25")
    open_claim(claim)
    file = kept(tmp_path, claim)
    file.rename(file.with_suffix(".moved"))
    gone = bob(claim, "--reveal")
    assert gone.code == 2
    assert f"{file} is not there" in gone.err
    assert "counts as hidden" in gone.err
    again = bob(claim, "--probability", "0.25")
    assert (again.code, "You have sealed another forecast" in again.err) == (4, True)
    file.write_text("{}")
    assert "is damaged: restore it" in bob(claim, "--reveal").err


def test_what_was_refused_leaves_nothing_behind(bob, tmp_path, file_claim, open_claim):
    claim = file_claim()
    open_claim(claim)
    late = bob(claim, "--probability", "0.25")
    assert (late.code, "data may exist" in late.err) == (4, True)
    assert not kept(tmp_path, claim).exists()


def test_what_was_not_sent_leaves_the_salt_for_the_next_attempt(bob, service, tmp_path, file_claim, monkeypatch):
    claim = file_claim()

    def away(*_, **__):
        raise UnreachableError("cannot reach it")

    with monkeypatch.context() as network:
        network.setattr(Service, "post", away)
        assert bob(claim, "--probability", "0.25").code == 3
    assert kept(tmp_path, claim).exists()
    assert listed(service, claim) == []
    assert bob(claim, "--probability", "0.25").code == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "either --probability"),
        (("--probability", "0.5", "--reveal"), "either --probability"),
        (("--probability", "1.5"), "is no probability"),
        (("--probability", "nan"), "is no probability"),
    ],
)
def test_what_is_no_forecast(bob, tmp_path, file_claim, arguments, why):
    done = bob(file_claim(), *arguments)
    assert (done.code, why in done.err) == (2, True), done.err
    assert not (tmp_path / "state").exists()


@pytest.mark.usefixtures("home")
def test_a_claim_in_its_window_says_until_when(run, service, file_claim):
    claim = file_claim(forecast_hours=24)
    found = service.client.get(f"/v1/claims/{claim}").json()
    assert f"opens no earlier than: {found['not_before']}; others may forecast it" in run("show", claim).out
    runs = service.client.get(f"/v1/claims/{claim}/runs").json()["items"]
    assert _facts(runs[0]) == f"opens no earlier than {found['not_before']}"


@pytest.mark.usefixtures("home")
def test_filing_says_until_when_others_can_forecast(run, service, yaml_file):
    done = run("file", str(yaml_file(forecast_hours=24)))
    assert done.code == 0, done.err
    lines = dict(line.split(": ", 1) for line in done.out.splitlines() if ": " in line)
    until = service.client.get(f"/v1/claims/{lines['claim'].rpartition('/')[2]}").json()["not_before"]
    assert lines["forecasts"] == f"others can forecast it until {until}, and nothing is measured before"
    assert "forecasts: " not in run("file", str(yaml_file())).out
