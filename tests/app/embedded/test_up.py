"""The whole life of a stack, as whoever starts and stops it sees it: real processes, real kills."""

import os
import signal
import socket
import subprocess
import sys

import httpx
import psutil
import psycopg
import pytest
import redis

from app.embedded.leftovers import MARK
from app.embedded.running import find_running

pytestmark = pytest.mark.faults


def get(url):
    return httpx.get(url + "/readyz", trust_env=False, timeout=60)


def postmaster(data):
    return int((data / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def valkey_of(ours):
    return next(process.pid for process in ours() if process.name() == "valkey-server")


def keep_something(stack):
    with stack.database() as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('frozen')")
    with redis.Redis.from_url(stack.said["redis_url"]) as client:
        client.rpush("queue", "message")


def kept(stack):
    with stack.database() as connection, redis.Redis.from_url(stack.said["redis_url"]) as client:
        return connection.execute("SELECT word FROM kept").fetchall(), client.lrange("queue", 0, -1)


KEPT = ([("frozen",)], [b"message"])


def test_sigterm_stops_everything_and_the_next_start_finds_everything(up, data_path, ours):
    first = up()
    assert get(first.said["url"]).status_code == 200
    assert find_running(data_path).url == first.said["url"]
    keep_something(first)
    first.process.terminate()
    assert first.process.wait(timeout=60) == 0
    assert ours() == []
    assert find_running(data_path) is None
    second = up()
    assert kept(second) == KEPT
    assert second.said["ended"] == []
    second.process.send_signal(signal.SIGHUP)
    assert second.process.wait(timeout=60) == 0
    assert ours() == []


def test_ctrl_c_twice_in_a_terminal_still_stops_in_order(up, data_path, eventually, ours):
    stack = up()
    group = os.getpgid(stack.process.pid)
    os.killpg(group, signal.SIGINT)
    eventually(lambda: "stopping" in (data_path / "logs" / "supervisor.log").read_text())
    if stack.process.poll() is None:
        os.killpg(group, signal.SIGINT)
    assert stack.process.wait(timeout=60) == 0
    assert ours() == []
    assert "database system is shut down" in (data_path / "logs" / "postgres.log").read_text()


def test_what_a_killed_supervisor_leaves_ends_by_itself(up, data_path, eventually, ours):
    up().process.kill()
    eventually(lambda: ours() == [])
    assert find_running(data_path) is None
    assert "database system is shut down" in (data_path / "logs" / "postgres.log").read_text()


def test_the_next_start_waits_for_what_a_killed_one_left(up):
    first = up()
    keep_something(first)
    first.process.kill()
    assert kept(up()) == KEPT


def test_the_next_start_ends_what_supervisor_and_watcher_left_when_both_were_killed(up, data_path, eventually, ours):
    first = up()
    keep_something(first)
    watcher = next(process for process in ours() if "app.embedded.watcher" in process.cmdline())
    server = postmaster(data_path)
    watcher.kill()
    first.process.kill()
    first.process.wait()
    assert psutil.pid_exists(server)
    second = up()
    assert f"postgres ({server})" in second.said["ended"]
    assert kept(second) == KEPT
    second.process.terminate()
    second.process.wait(timeout=60)
    assert ours() == []


@pytest.fixture
def bystander():
    """`bystander(cwd, **environment)`: a process like ours that is nobody's business, ended with the test."""
    started = []

    def start(cwd, **environment):
        command = [sys.executable, "-c", "import time; time.sleep(600)"]
        started.append(subprocess.Popen(command, env=os.environ | environment, cwd=cwd))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_nobody_elses_process_is_ended(up, data_path, bystander):
    up().process.kill()
    others = [bystander("/", **{MARK: f"{data_path}2"}), bystander(data_path)]
    assert up().said["ended"] == []
    assert [other.poll() for other in others] == [None, None]


def test_a_second_start_on_the_same_directory_refuses_and_names_the_first(up, start):
    first = up()
    second = start()
    _, error = second.communicate(timeout=60)
    assert second.returncode == 1
    assert f"is in use by process {first.process.pid}: stop that first" in error
    assert "Traceback" not in error
    assert get(first.said["url"]).status_code == 200


def test_killed_servers_and_api_come_back_and_lose_nothing(up, data_path, eventually, ours):
    stack = up()
    keep_something(stack)
    before = {
        "api": int(get(stack.said["url"]).text),
        "postgres": postmaster(data_path),
        "valkey": valkey_of(ours),
    }
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)

    def all_back():
        try:
            return kept(stack) == KEPT
        except (psycopg.OperationalError, redis.ConnectionError):
            return False

    eventually(all_back)
    # The listening socket outlives the API, so that a request made while it is down waits instead of failing.
    assert int(get(stack.said["url"]).text) != before["api"]
    assert postmaster(data_path) != before["postgres"]
    assert valkey_of(ours) != before["valkey"]
    log = (data_path / "logs" / "supervisor.log").read_text()
    for name, pid in before.items():
        assert f"{name} ({pid}) was killed by signal 9; restarting" in log


def test_a_taken_port_is_passed_over_and_said(up):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        stack = up(ANTEDATE_PORT=str(port))
        assert stack.said["serving"] == f"serving at {stack.said['url']} ({port} is taken)"
        assert not stack.said["url"].endswith(f":{port}")
        assert get(stack.said["url"]).status_code == 200


def test_a_start_killed_while_the_cluster_is_made_leaves_no_half_cluster(start, up, data_path, eventually):
    first = start()
    eventually((data_path / "postgres.new").exists)
    first.kill()
    second = up()
    keep_something(second)
    assert kept(second) == KEPT


def test_an_address_of_another_machine_is_refused_with_what_to_set(start):
    process = start(ANTEDATE_HOST="192.0.2.1")
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert error.startswith("cannot listen on 192.0.2.1 port 8000")
    assert "ANTEDATE_HOST" in error
