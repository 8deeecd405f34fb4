"""A start that does not come up says why: what was answered, and the end of the log, which holds more than probes."""

import json
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from app.embedded import supervisor
from app.embedded.directories import locate
from app.embedded.errors import ServiceFailedError
from app.embedded.lock import hold
from app.embedded.logs import tail
from app.embedded.ports import listen
from app.embedded.processes import api_service, environment, unanswered
from app.embedded.services import Service
from app.embedded.supervisor import Stage, Supervisor

SLOW = "print('loading the model of the world', flush=True); import time; time.sleep(600)"


@pytest.fixture
def directory(data_path):
    with hold(locate(data_path)) as held:
        yield held.directory


@pytest.fixture
def refusing():
    """The URL of something that answers every GET with 503 and a body."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(503)
            self.end_headers()
            self.wfile.write(b'{"detail": "it has 0003, and this version\'s is 0004"}')

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def failure(directory, monkeypatch, eventually):
    """`failure(url)`: what a start says that gave up waiting for the URL, once its program had written its log."""
    monkeypatch.setattr(supervisor, "_READY_SECONDS", 0)

    def of(url):
        log = directory.logs / "api.log"

        def unready():
            eventually(log.read_text)
            return unanswered(f"{url}/readyz")

        slow = Service(name="api", argv=[sys.executable, "-c", SLOW], env=dict(os.environ), unready=unready)
        with pytest.raises(ServiceFailedError) as failed, Supervisor(directory, [Stage([slow])]):
            pass
        return str(failed.value)

    return of


def test_the_last_answer_and_the_end_of_the_log_are_told(failure, refusing):
    said = failure(refusing)
    assert "api: was not ready within 0 s: GET /readyz answered 503" in said
    assert "it has 0003, and this version's is 0004" in said
    assert "loading the model of the world" in said


def test_that_nothing_answered_is_told(failure):
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    said = failure(url)
    assert "nothing answered GET /readyz: " in said
    assert "Connection refused" in said
    assert "loading the model of the world" in said


def test_the_service_says_once_that_the_schema_is_another_and_does_not_log_its_probes(
    directory, postgres, valkey, eventually
):
    with postgres.database("not_ready_tests") as urls, listen("127.0.0.1", 18500) as listener:
        api = api_service(listener, environment(directory, urls))

        def it_answers():
            return "schema" in (api.unready() or "")

        with Supervisor(directory, [Stage([api], awaited=False)]):
            eventually(it_answers)
            why = api.unready()
        log = (directory.logs / "api.log").read_text()
    assert "503" in why
    assert "it has none, and this version's is " in why
    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert [line["why"] for line in told] == [
        f"The database does not have this version's schema: it has {why.partition('it has ')[2].partition('.')[0]}."
    ]
    assert "/readyz" not in log


def test_the_end_of_a_log_whose_last_line_is_long(tmp_path):
    log = tmp_path / "api.log"
    log.write_text("before\n" + "x" * 5000 + " the reason\n")
    assert tail(log).startswith("…")
    assert tail(log).endswith(" the reason")
