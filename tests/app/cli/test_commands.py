"""Each command against a real service: what it prints, where, and how it ends."""

import json

import pytest

from app.cli.application import COMMANDS, command


def test_help_names_every_command_and_loads_none(run):
    done = run("--help")
    assert done.code == 0
    for name, (_, summary) in COMMANDS.items():
        assert name in done.out
        assert summary.split()[0] in done.out
    assert "worker" in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_is_the_first_line_of_the_commands_own_help(run, name):
    deferred = command().commands[name]
    assert deferred.load().help.partition("\n")[0] == COMMANDS[name][1]
    assert run(name, "--help").code == 0


def test_version(run):
    from importlib.metadata import version

    assert run("--version").out.strip() == version("antedate")


@pytest.mark.parametrize(
    "arguments", [["lst"], ["show"], ["list", "--limit", "0"], ["list", "--colour"], ["upload", "x"]]
)
def test_wrong_usage(run, arguments):
    assert run(*arguments).code == 2


def test_file_then_show_then_list(run, home, yaml_file, listening, client):
    path = yaml_file(title="A tale of two tapirs")
    done = run("file", str(path))
    assert done.code == 0, done.err
    lines = dict(line.split(": ", 1) for line in done.out.splitlines() if ": " in line)
    claim = lines["claim"].removeprefix(f"{listening}/claims/")
    found = client.get(f"/v1/claims/{claim}").json()
    assert lines["document"] == f"sha256:{found['document_sha256']}"
    assert lines["filed"] == found["filed"]
    assert "antedate/local/receipt" in done.out
    shown = run("show", claim)
    assert shown.code == 0
    assert "A tale of two tapirs" in shown.out
    assert "recovery_gap_constructed > 0" in shown.out
    assert f"page: {listening}/claims/{claim}" in shown.out
    listed = run("list", "--q", "tapirs")
    assert claim in listed.out
    assert run("list", "--q", "tapirs", "--status", "refuted").out.count(claim) == 0


def test_json_alone_on_standard_output(run, home, yaml_file):
    receipt = run("file", str(yaml_file()), "--json").json
    claim = receipt["claim"]
    assert run("show", claim, "--json").json["id"] == claim
    page = run("list", "--json", "--limit", "1").json
    assert [found["id"] for found in page["items"]] == [claim]
    assert run("list", "--json", "--limit", "1", "--cursor", page["next"]).json["items"][0]["id"] != claim


def test_filing_twice_names_the_first_claim(run, home, yaml_file, listening):
    path = yaml_file()
    claim = run("file", str(path), "--json").json["claim"]
    again = run("file", str(path))
    assert again.code == 4
    assert f"{listening}/claims/{claim}" in again.err
    assert again.out == ""


def test_an_idempotency_key_makes_filing_safe_to_repeat(run, home, yaml_file):
    path = str(yaml_file())
    first, again = (run("file", path, "--idempotency-key", "cli", "--json") for _ in range(2))
    assert first.json == again.json


def test_a_refusal_shows_every_pointer(run, home, yaml_file):
    path = yaml_file(colour="red", statement="")
    done = run("file", str(path))
    assert done.code == 4
    assert "/colour: " in done.err
    assert "/statement: " in done.err
    assert "Correct each of these places in the file" in done.err
    assert "`errors`" not in done.err


def test_wrong_yaml_is_told_before_anything_is_sent(run, tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("subject:\n  model: a\n  model: b\n")
    done = run("file", str(path), ANTEDATE_URL="http://127.0.0.1:1")
    assert done.code == 2
    assert "/subject: " in done.err
    assert run("file", str(tmp_path / "absent.yaml")).code == 2
    assert run("file", str(tmp_path)).code == 2


def test_upload(run, home, tmp_path):
    pairs = tmp_path / "pairs.jsonl"
    row = {"id": "p", "dimension": "safety", "prompt": "Upload?", "chosen": "Yes.", "rejected": "No."}
    pairs.write_text(json.dumps(row) + "\n")
    done = run("upload", str(pairs), "--name", "Few")
    assert done.code == 0, done.err
    assert "dataset: sha256:" in done.out
    assert "already" not in done.err
    again = run("upload", str(pairs), "--name", "Many", "--json")
    assert again.json["dimensions"] == {"safety": 1}
    assert "on the ledger already, under the name 'Few'" in again.err
    pairs.write_text("{}\n")
    wrong = run("upload", str(pairs), "--name", "Few")
    assert wrong.code == 4
    assert "/1" in wrong.err


def test_a_service_that_is_not_there(run):
    assert run("list", "--url", "http://127.0.0.1:1").code == 3


@pytest.mark.parametrize(
    "url", ["", "nonsense", "127.0.0.1:8000", "ftp://x", "http://", "http://[::1", "http://x:port", "http://x:99999"]
)
def test_a_url_that_is_none(run, url):
    done = run("list", "--url", url)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "http://127.0.0.1:8000" in done.err


@pytest.mark.parametrize("key", ["ant_\nx", "schlüssel", "a b"])
def test_a_key_that_is_none(run, listening, key):
    assert run("list", "--url", listening, "--key", key).code == 2


def test_no_service_here(run, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTEDATE_DATA", str(tmp_path))
    done = run("list")
    assert done.code == 3
    assert "antedate up" in done.err


def test_a_setting_that_cannot_be_used(run):
    done = run("list", ANTEDATE_PORT="many")
    assert done.code == 2
    assert "ANTEDATE_PORT" in done.err


def test_the_key_of_this_machine_is_not_sent_elsewhere(run, home, listening, yaml_file):
    done = run("file", str(yaml_file()), "--url", listening)
    assert done.code == 4
    assert "by ANTEDATE_KEY or --key" in done.err


def test_url_and_key_from_the_environment(run, listening, service, yaml_file):
    assert run("file", str(yaml_file()), ANTEDATE_URL=listening, ANTEDATE_KEY=service.bob).code == 0


def test_no_such_claim(run, home):
    assert run("show", "a" * 16).code == 4
    assert run("watch", "a" * 16).code == 4


@pytest.mark.parametrize("command", ["show", "watch"])
@pytest.mark.parametrize("name", ["", "../x", f"{'a' * 16}/history", "A" * 16, f"{'a' * 16}\n", "http://x/claims/a"])
def test_what_names_no_claim_is_refused_before_anything_is_sent(run, command, name):
    done = run(command, name, ANTEDATE_URL="http://127.0.0.1:1")
    assert done.code == 2
    assert "names no claim: give its id" in done.err


def test_a_claim_is_named_by_its_page_as_well(run, home, file_claim, listening):
    claim = file_claim()
    assert run("show", f"{listening}/claims/{claim}", "--json").json["id"] == claim
    elsewhere = run("show", f"http://elsewhere.example/claims/{claim}")
    assert elsewhere.code == 2
    assert "--url http://elsewhere.example" in elsewhere.err
