import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import pytest

from app.embedded.leftovers import MARK

UP = Path(__file__).with_name("trivial_up.py")


@dataclass
class Up:
    """A supervisor in a process of its own, and what it said when it served."""

    process: subprocess.Popen[str]
    said: dict

    def database(self, url: str = "database_owner_url") -> psycopg.Connection:
        return psycopg.connect(self.said[url].replace("+psycopg", ""), autocommit=True)


@pytest.fixture
def start(data_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`start(*arguments, **environment)` starts a supervisor on this test's data directory, ended afterwards."""
    started = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ANTEDATE_")}
        process = subprocess.Popen(
            [sys.executable, str(UP), *arguments],
            env=inherited | {"ANTEDATE_DATA": str(data_path)} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
    left = processes_on(data_path)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):  # it was ending by itself
            process.kill()
    psutil.wait_procs(left, timeout=60)


@pytest.fixture
def up(start: Callable[..., subprocess.Popen[str]]) -> Callable[..., Up]:
    """`up(*arguments, **environment)`: the same, once it serves."""

    def up(*arguments: str, **environment: str) -> Up:
        process = start(*arguments, **environment)
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        return Up(process, json.loads(line))

    return up


@pytest.fixture
def ours(data_path: Path) -> Callable[[], list[psutil.Process]]:
    """Every live process that has to do with this test's data directory, found in ways of the test's own."""
    return lambda: processes_on(data_path)


def processes_on(data: Path) -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if _concerns(process, str(data))]


def _concerns(process: psutil.Process, data: str) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return (
            data in " ".join(process.cmdline())
            or process.cwd().startswith(data)
            or process.environ().get(MARK) == data
            or process.environ().get("ANTEDATE_DATA") == data
        )
    except psutil.Error:
        return False
