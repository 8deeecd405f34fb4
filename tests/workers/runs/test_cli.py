import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis

ANTEDATE = Path(sys.executable).with_name("antedate")


@pytest.fixture
def command(urls, tmp_path):
    """`command(*arguments)`: `antedate worker` in the environment of this test's servers."""
    started = []

    def start(*arguments, **variables):
        environment = {**os.environ, "DATABASE_URL": urls.database_url, "REDIS_URL": urls.redis_url, **variables}
        process = subprocess.Popen(
            [ANTEDATE, "worker", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=tmp_path,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_command_runs_a_worker_with_its_clock_until_sigterm(command, file_claim, urls, eventually):
    file_claim(coins=4)
    process = command("--queues", "light", "--concurrency", "1", "--beat")

    def the_shards_are_relayed():
        with redis.Redis.from_url(urls.redis_url) as client:
            return client.llen("cpu") == 4

    eventually(the_shards_are_relayed, seconds=120)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=120)


@pytest.mark.parametrize(
    ("arguments", "variables", "says"),
    [
        (["--queues", "cpu,fast"], {}, "there is no queue 'fast'"),
        (["--concurrency", "0"], {}, "Invalid value for '--concurrency'"),
        ([], {"REDIS_URL": ""}, "needs DATABASE_URL and REDIS_URL"),
        ([], {"REDIS_URL": "http://somewhere"}, "REDIS_URL cannot be used"),
    ],
)
def test_what_cannot_be_run_is_said_without_a_stack_trace(command, arguments, variables, says):
    process = command(*arguments, **variables)
    output, _ = process.communicate(timeout=120)
    assert process.returncode != 0
    assert says in " ".join(output.split())
    assert "Traceback" not in output
    assert "fault of ours" not in output
