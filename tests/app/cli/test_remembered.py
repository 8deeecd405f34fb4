"""What a client remembers of a log: only forward, whole or not at all, whoever else writes at the same time."""

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from app.cli.errors import BadInputError
from app.cli.remembered import Memory, state_directory

ORIGIN, VKEY = "antedate/tests", "antedate/tests+e74c23cd+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"


@pytest.fixture
def memory(tmp_path):
    return Memory(tmp_path / "state" / "antedate")


def test_nothing_is_known_at_first_and_nothing_made_by_asking(memory):
    assert memory.of(ORIGIN) is None
    assert not memory.directory.exists()


def test_the_first_key_stays(memory):
    assert memory.pin(ORIGIN, VKEY).vkey == VKEY
    assert memory.pin(ORIGIN, "another").vkey == VKEY
    assert memory.of(ORIGIN).vkey == VKEY
    assert memory.of("antedate/other") is None


def test_a_checkpoint_replaces_the_one_that_it_was_compared_with_alone(memory):
    memory.pin(ORIGIN, VKEY)
    assert memory.advance(ORIGIN, seen=None, note="one")
    assert not memory.advance(ORIGIN, seen=None, note="two")
    assert memory.advance(ORIGIN, seen="one", note="two")
    assert memory.of(ORIGIN).checkpoint == "two"
    assert not memory.advance("antedate/other", seen=None, note="one")


def test_a_service_stays_with_the_log_that_it_showed_first(memory):
    assert memory.log_at("http://a.example") is None
    memory.note_log_at("http://a.example", ORIGIN)
    memory.note_log_at("http://a.example", "antedate/other")
    assert memory.log_at("http://a.example") == ORIGIN
    assert memory.log_at("http://b.example") is None


def test_of_several_commands_at_once_one_says_which_log_a_service_shows(memory):
    def note_and_read(url, origin):
        memory.note_log_at(url, origin)
        return memory.log_at(url)

    with ThreadPoolExecutor(8) as pool:
        for turn in range(20):
            url = f"http://{turn}.example"
            assert len(set(pool.map(partial(note_and_read, url), map(str, range(8))))) == 1


def test_nobody_else_may_read_it(memory):
    memory.pin(ORIGIN, VKEY)
    memory.keep_fork(ORIGIN, "one", "two")
    assert stat.S_IMODE(memory.directory.stat().st_mode) == 0o700
    for file in memory.directory.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_a_fork_is_kept_in_files_of_its_own(memory):
    files = memory.keep_fork(ORIGIN, "one\n", "two\n")
    assert [file.read_text() for file in files] == ["one\n", "two\n"]
    assert memory.keep_fork(ORIGIN, "one\n") == files[:1]


@pytest.mark.parametrize("origin", ["../../etc/passwd", "a/b", "x" * 5000, "\x00", ".", "é\n"])
def test_no_name_of_a_log_leads_out_of_the_directory(memory, origin):
    memory.pin(origin, VKEY)
    memory.keep_fork(origin, "note")
    assert memory.of(origin).origin == origin
    assert {file.parent for file in memory.directory.rglob("*")} == {memory.directory}


@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"origin": 1}', "\x00", '{"vkey": "x"}'])
def test_what_is_damaged_is_told_and_not_replaced(memory, body):
    memory.pin(ORIGIN, VKEY)
    (file,) = memory.directory.glob("*.json")
    file.write_text(body)
    for use in (lambda: memory.of(ORIGIN), lambda: memory.pin(ORIGIN, VKEY)):
        with pytest.raises(BadInputError, match="is damaged"):
            use()
    assert file.read_text() == body


def test_a_directory_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="--state"):
        Memory(tmp_path / "file" / "state").pin(ORIGIN, VKEY)


def test_where_it_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_directory(None) == tmp_path / "antedate"
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_directory(None) == tmp_path / ".local" / "state" / "antedate"
    assert state_directory(Path("here")) == Path("here")


COUNT = """
import sys
from pathlib import Path
from app.cli.remembered import Memory
memory, origin = Memory(Path(sys.argv[1])), sys.argv[2]
memory.pin(origin, sys.argv[3])
done = 0
while done < 40:
    seen = memory.of(origin).checkpoint
    done += memory.advance(origin, seen=seen, note=str(int(seen or 0) + 1))
"""


def test_several_commands_at_a_time_lose_nothing(memory):
    command = [sys.executable, "-c", COUNT, str(memory.directory), ORIGIN, VKEY]
    running = [subprocess.Popen(command, env={**os.environ}) for _ in range(4)]
    assert [process.wait(60) for process in running] == [0] * 4
    assert memory.of(ORIGIN).checkpoint == "160"
    assert not [file for file in memory.directory.iterdir() if file.suffix not in {".json", ".lock"}]
    (file,) = memory.directory.glob("*.json")
    assert json.loads(file.read_text())["vkey"] == VKEY
