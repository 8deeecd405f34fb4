"""The supervisor's rules, on programs of a line."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from app.embedded import lock
from app.embedded.directories import locate
from app.embedded.errors import DirectoryInUseError, ServiceFailedError
from app.embedded.lock import hold
from app.embedded.logs import bound
from app.embedded.postgres import postgres_service
from app.embedded.services import Service, StopSignal
from app.embedded.signals import stop_signals
from app.embedded.supervisor import Stage, Supervisor


def program(name, source, **more):
    return Service(name=name, argv=[sys.executable, "-c", source], env=dict(os.environ), **more)


@pytest.fixture
def directory(data_path):
    with hold(locate(data_path)) as held:
        yield held.directory


def test_a_service_that_never_comes_up_ends_the_start_with_the_end_of_its_log(directory):
    broken = program("api", "raise SystemExit('no such column: verdict')", unready=lambda: "not yet")
    with (
        pytest.raises(ServiceFailedError, match=r"api: ended 3 times(.|\n)*no such column: verdict"),
        Supervisor(directory, [Stage([broken])]),
    ):
        pass


def test_a_service_nobody_waits_for_is_given_up_too(directory, eventually):
    told = []
    broken = program("worker", "raise SystemExit('No module named torch')")
    with Supervisor(directory, [Stage([broken], awaited=False)], on_failure=lambda: told.append(1)) as supervisor:
        eventually(lambda: supervisor.failure is not None)
    assert "No module named torch" in str(supervisor.failure)
    assert told == [1]


def test_a_program_that_is_not_there_is_named(directory):
    missing = Service(name="api", argv=["/nonexistent/program"], env={})
    with (
        pytest.raises(ServiceFailedError, match=r"api: .*/nonexistent/program"),
        Supervisor(directory, [Stage([missing])]),
    ):
        pass


def test_stages_start_in_order_and_stop_in_reverse(directory):
    said = []
    sleeper = "import time; time.sleep(600)"
    first = program("first", sleeper, prepare=lambda: said.append("first"))
    second = program("second", sleeper, prepare=lambda: said.append("second"))
    with Supervisor(directory, [Stage([first], then=lambda: said.append("migrated")), Stage([second])]):
        assert said == ["first", "migrated", "second"]
    log = (directory.logs / "supervisor.log").read_text()
    assert log.index("stopping second") < log.index("stopping first")


STUBBORN = """
import signal, sys, time
told = set()
def hear(number, frame):
    print(number, flush=True)
    told.add(number)
    if len(told) == 2:
        sys.exit()
for number in (signal.SIGTERM, signal.SIGQUIT):
    signal.signal(number, hear)
print("ready", flush=True)
while True:
    time.sleep(1)
"""
DEAF = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
print("ready", os.getpid(), flush=True)
time.sleep(600)
"""


def worker(directory, source, *graces):
    log = directory.logs / "worker.log"
    steps = [StopSignal(*step) for step in zip((signal.SIGTERM, signal.SIGQUIT), graces, strict=True)]
    return program("worker", source, unready=lambda: None if "\n" in log.read_text() else "silent", stop=steps)


def test_a_child_that_will_not_stop_is_told_harder(directory):
    with Supervisor(directory, [Stage([worker(directory, STUBBORN, 2, 60)])]):
        pass
    assert (directory.logs / "worker.log").read_text().split() == ["ready", "15", "3"]


def test_a_child_that_hears_no_signal_is_killed(directory):
    with Supervisor(directory, [Stage([worker(directory, DEAF, 0.2, 0.2)])]):
        child = psutil.Process(int((directory.logs / "worker.log").read_text().split()[1]))
        assert child.is_running()
    assert not child.is_running()


def test_haste_skips_the_wait_for_running_work_and_no_signal(directory):
    with Supervisor(directory, [Stage([worker(directory, STUBBORN, 3600, 60)])]) as supervisor:
        supervisor.hurry()
    assert set((directory.logs / "worker.log").read_text().split()) == {"ready", "15", "3"}


FAMILY = """
import subprocess, time
print(subprocess.Popen(["sleep", "600"]).pid, flush=True)
time.sleep(600)
"""


def test_children_of_a_dead_child_go_with_it_before_it_is_restarted(directory, eventually):
    log = directory.logs / "worker.log"
    service = program("worker", FAMILY, unready=lambda: None if log.read_text() else "silent")
    with Supervisor(directory, [Stage([service])]):
        sleeper = psutil.Process(int(log.read_text()))
        sleeper.parent().kill()
        eventually(lambda: len(log.read_text().split()) == 2)
        assert not sleeper.is_running() or sleeper.status() == psutil.STATUS_ZOMBIE


@pytest.mark.timeout(60)
def test_a_directory_is_refused_at_once_while_its_holder_lives(directory, monkeypatch):
    monkeypatch.setattr(lock, "_CLEANING_SECONDS", 3600)
    with pytest.raises(DirectoryInUseError, match=f"in use by process {os.getpid()}"), hold(directory):
        pass


@pytest.fixture
def stranger(directory):
    """A living process of the servers' own account that has nothing to do with them."""
    with subprocess.Popen(["sleep", "600"], cwd="/", **directory.account.credentials()) as process:
        yield process
        process.kill()


def test_a_pid_file_that_names_a_living_stranger_does_not_stop_postgres(directory, stranger):
    postgres = postgres_service(directory)
    stale = f"{stranger.pid}\n{directory.postgres}\n{int(time.time())}\n5432\n{directory.sockets}\n\n"
    for file in (directory.postgres / "postmaster.pid", directory.sockets / ".s.PGSQL.5432.lock"):
        file.write_text(stale)
        directory.account.owns(file)
    with Supervisor(directory, [Stage([postgres])]):
        assert stranger.poll() is None
    assert "lock file" not in (directory.logs / "postgres.log").read_text()


def test_a_log_is_bounded_and_its_writer_goes_on(directory):
    log = directory.logs / "api.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"x" * (16 * 1024 * 1024 + 1))
        bound(log)
        writer.write(b"later\n")
    assert log.read_bytes() == b"later\n"
    assert log.with_name("api.log.1").stat().st_size == 16 * 1024 * 1024 + 1


def test_under_nohup_a_closed_terminal_is_survived():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_signals():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
