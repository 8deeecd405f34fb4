"""`antedate up` as people run it: real processes, from nothing to serving, twice."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ANTEDATE = [sys.executable, "-c", "from app.cli import main; main()"]


def environment(data: Path) -> dict[str, str]:
    unset = {"DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "ANTEDATE_URL", "ANTEDATE_KEY"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return {**kept, "ANTEDATE_DATA": str(data), "ANTEDATE_PORT": "18417", "ANTEDATE_WORKER_CONCURRENCY": "1"}


@contextmanager
def serving(data: Path, *options: str) -> Iterator[str]:
    """`antedate up`, once it has printed what it prints; the first line of that. Ended as by Ctrl-C, or killed."""
    program = subprocess.Popen([*ANTEDATE, "up", *options], env=environment(data), stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    try:
        yield program.stdout.readline()
    finally:
        program.send_signal(signal.SIGINT)
        try:
            program.communicate(timeout=60)
        finally:
            program.kill()
            program.communicate()
    assert program.returncode == 0


def ran(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`antedate` with these arguments, to its end."""
    command = [*ANTEDATE, *arguments]
    return subprocess.run(command, env=environment(data), capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.e2e
def test_a_key_is_shown_once_and_the_command_line_finds_the_service(data_path):
    with serving(data_path) as line:
        assert re.fullmatch(r"key: ant_[A-Za-z0-9_-]{43}\n", line)
        listed = ran(data_path, "list")
        assert listed.returncode == 0
        assert "No claim matches." in listed.stdout + listed.stderr
        second = ran(data_path, "up")
        assert second.returncode == 1
        assert "in use by process" in second.stderr
    (key_file,) = data_path.rglob("local.key")
    assert key_file.read_text().strip() == line.removeprefix("key: ").strip()
    with serving(data_path) as line:
        assert line == f"key: {key_file}\n"


@pytest.mark.e2e
def test_an_example_that_cannot_be_used_is_told_before_anything_starts(data_path, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("a: 1\na: 2\n")
    done = ran(data_path, "up", "--example", str(wrong))
    assert done.returncode == 2
    assert "stands here twice" in done.stderr
    assert not data_path.exists()


@pytest.mark.e2e
def test_a_refused_example_ends_the_service_with_its_pointers(data_path, tmp_path, document):
    refused = tmp_path / "refused.json"
    refused.write_text(json.dumps(document(colour="red")))
    done = ran(data_path, "up", "--example", str(refused))
    assert done.returncode == 4
    assert "/colour: " in done.stderr
