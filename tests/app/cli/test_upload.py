"""`antedate upload`: exports, the shipped set, and what is warned of."""

import json

import pytest

from claims.diagnostic import diagnostic

EXPORT = {"chosen": "\n\nHuman: Up?\n\nAssistant: Yes.", "rejected": "\n\nHuman: Up?\n\nAssistant: No."}


@pytest.fixture
def written(tmp_path, monkeypatch):
    """`written(rows, name)`: a file of the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(rows, name="pairs.jsonl"):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return name

    return write


def test_an_export_needs_a_dimension(run, home, written):
    file = written([EXPORT])
    refused = run("upload", file, "--name", "HH")
    assert refused.code == 4
    assert "--dimension" in refused.err
    done = run("upload", file, "--name", "HH", "--dimension", "helpfulness")
    assert done.code == 0, done.err
    assert "dimension: helpfulness 1" in done.out
    assert "Warning" not in done.err


def test_near_duplicates_are_warned_of(run, home, written):
    rows = [{**EXPORT, "source": number} for number in range(3)]
    done = run("upload", written(rows), "--name", "Thrice", "--dimension", "tone", "--json")
    assert done.code == 0
    assert done.json["near_duplicates"]["groups"] == 1
    assert "3 pairs say nearly the same as another, in 1 group." in done.err
    assert ", ".join(done.json["near_duplicates"]["first"][0]) in done.err


def test_the_shipped_set_has_a_name_of_its_own(run, home, written):
    done = run("upload", "diagnostic")
    assert done.code == 0, done.err
    assert f"dataset: sha256:{diagnostic().sha256}" in done.out
    assert "name: diagnostic" in done.out
    assert done.err == ""


def test_a_file_called_diagnostic_is_named_by_its_path(run, home, written):
    written([{**EXPORT, "id": "mine", "dimension": "tone"}], "diagnostic")
    shipped = run("upload", "diagnostic", "--json")
    assert shipped.json["sha256"] == diagnostic().sha256
    assert "./diagnostic" in shipped.err
    mine = run("upload", "./diagnostic", "--name", "Mine", "--json")
    assert mine.json["dimensions"] == {"tone": 1}


def test_a_file_needs_a_name(run, home, written):
    done = run("upload", written([EXPORT]))
    assert done.code == 2
    assert "--name" in done.err
