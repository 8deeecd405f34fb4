"""`antedate measure` in a process of its own, found as the command line finds it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LLAMA = ROOT / "tests" / "fixtures" / "models" / "llama-gqa"
DECLARED = 300 * 10**9  # bytes
AGREEMENT = ("--instrument", "attribution_patching_agreement", "--pairs", str(LLAMA / "pairs.jsonl"))
ORGANISM = ("--instrument", "planted_key_recovery", "--model", "organism:planted_key")
EXTENSIONS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["antedate.commands"]
# As `antedate` runs it, whatever the entry points of the environment were when it was installed.
PROGRAM = (
    "from app.cli import application\n"
    f"application.COMMANDS['measure'] = ({EXTENSIONS['measure']!r}, '')\n"
    "application.main()\n"
)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def start(out):
    """`start(*options)`: the process, with `out` as its directory."""
    started = []

    def begin(*options):
        command = [sys.executable, "-c", PROGRAM, "measure", "--out", str(out), *options]
        process = subprocess.Popen(
            command, env=dict(os.environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def measure(start):
    """`measure(*options)`: run to its end; its exit code, standard output and standard error."""

    def run(*options):
        process = start(*options)
        output, errors = process.communicate(timeout=240)
        assert "Traceback" not in errors
        assert "fault of ours" not in errors
        return process.returncode, output, errors

    return run


@pytest.fixture
def evidence(out):
    return lambda: json.loads((out / "evidence.json").read_text())


@pytest.fixture
def llama():
    return LLAMA


@pytest.fixture
def agreement():
    return AGREEMENT


@pytest.fixture
def organism():
    return ORGANISM


@pytest.fixture
def too_large(tmp_path):
    """A checkpoint whose one file of weights is as large as it says, 300 GB of nothing, without taking the disk."""
    directory = shutil.copytree(LLAMA, tmp_path / "large")
    header = json.dumps({"a": {"dtype": "F32", "shape": [DECLARED // 4], "data_offsets": [0, DECLARED]}}).encode()
    for file in directory.glob("*.safetensors"):
        file.unlink()
    with (directory / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + DECLARED)
    return directory
