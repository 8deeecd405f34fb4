"""`antedate file` on a published result: it is imported, and nothing of it becomes a claim."""

import json
from pathlib import Path

import pytest

from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples" / "imports"


@pytest.fixture
def record(tmp_path):
    """`record(**parts)`: the planted-key record with these parts replaced, in a file."""

    def written(name="record.json", **parts):
        path = tmp_path / name
        path.write_text(json.dumps({**read_yaml((EXAMPLES / "planted_key.yaml").read_bytes()), **parts}))
        return path

    return written


@pytest.mark.parametrize("name", ["planted_key", "mean_spearman"])
def test_the_shipped_records_are_imported_once(run, home, listening, service, name):
    claims = service.claims()
    path = str(EXAMPLES / f"{name}.yaml")
    done = run("file", path)
    assert done.code == 0, done.err
    lines = dict(line.split(": ", 1) for line in done.out.splitlines())
    found = service.client.get(lines["record"].removeprefix(listening).replace("/imports/", "/v1/imports/")).json()
    assert lines["document"] == f"sha256:{found['document_sha256']}"
    assert lines["imported"] == found["imported"]
    assert lines["precedence"] == "attested"
    assert lines["published as"] == found["outcome"]
    again = run("file", path)
    assert again.code == 4
    assert f"{listening}/imports/{found['id']}" in again.err
    assert service.claims() == claims


def test_json_alone_and_safe_to_repeat(run, home, record):
    path = str(record(title="Repeated"))
    first, again = (run("file", path, "--idempotency-key", "imported", "--json") for _ in range(2))
    assert first.json == again.json
    assert first.json["title"] == "Repeated"


def test_there_is_nothing_to_watch(run, record):
    done = run("file", str(record()), "--watch", ANTEDATE_URL="http://127.0.0.1:1")
    assert done.code == 2
    assert "Leave --watch out." in done.err


def test_a_refusal_shows_every_pointer(run, home, record):
    done = run("file", str(record(colour="red", outcome="void")))
    assert done.code == 4
    assert "/colour: " in done.err
    assert "/outcome: " in done.err
    assert "Correct each of these places in the file and import it again." in done.err


def test_the_key_needs_the_scope(run, listening, service, record):
    done = run("file", str(record()), ANTEDATE_URL=listening, ANTEDATE_KEY=service.reader)
    assert done.code == 4
    assert "'import'" in done.err


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 3}', '{"schema": "antedate.import/2"}', "[" * 70 + "]" * 70])
def test_anything_else_is_filed_as_a_prediction(run, home, tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    done = run("file", str(path))
    assert done.code == 4
    assert "The registration was refused" in done.err
