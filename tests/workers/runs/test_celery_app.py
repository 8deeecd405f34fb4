import os
import ssl
import subprocess
import sys

import pytest

from app.settings import Settings, SettingsError
from tests.outside.authority import OwnAuthority

SERVERS = {"database_url": "postgresql://antedate_app@127.0.0.1/antedate", "redis_url": "redis://127.0.0.1:6379/0"}


@pytest.fixture
def create(monkeypatch):
    """`create(**settings)`: the application that such settings give."""
    for field, url in SERVERS.items():
        monkeypatch.setenv(field.upper(), url)
    from workers.celery_app import create

    return lambda **settings: create(Settings(**{**SERVERS, **settings}))


def test_a_message_is_kept_until_its_task_has_ended_and_taken_one_at_a_time(create):
    conf = create().conf
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
    assert conf.broker_transport_options["visibility_timeout"] == conf.visibility_timeout == 86400
    assert conf.accept_content == ["json"]
    assert conf.task_ignore_result
    assert conf.result_backend is None


def test_every_queue_is_its_own(create):
    queues = create().amqp.queues
    assert {name: (queue.exchange.name, queue.routing_key) for name, queue in queues.items()} == {
        name: (name, name) for name in ("cpu", "gpu", "light")
    }


def test_what_the_clock_sends_is_worth_nothing_once_the_next_is_due(create):
    for entry in create().conf.beat_schedule.values():
        assert entry["options"] == {"queue": "light", "expires": entry["schedule"]}


def test_the_clock_asks_nobody_outside_unless_somebody_is_named(create, tmp_path):
    assert "anchor" not in create().conf.beat_schedule
    assert "anchor" not in create(beacon_url="https://relay.example").conf.beat_schedule, "nothing would settle a round"
    roots = tmp_path / "roots.pem"
    roots.write_bytes(OwnAuthority().root)
    named = create(timestamp_url="https://tsa.example", timestamp_roots=roots)
    assert named.conf.beat_schedule["anchor"]["task"] == "workers.anchor"


def test_a_file_that_names_nobody_stops_the_start(create, tmp_path):
    file = tmp_path / "witnesses.txt"
    file.write_text("nobody")
    with pytest.raises(SettingsError, match=r"ANTEDATE_WITNESSES=.*witnesses\.txt cannot be used: line 1"):
        create(witnesses=file)


@pytest.mark.parametrize(
    ("url", "checked"),
    [
        ("redis://127.0.0.1:6379/0", None),
        ("unix:///run/valkey.sock", None),
        ("rediss://broker:6379/0", ssl.CERT_REQUIRED),
        ("rediss://broker:6379/0?ssl_cert_reqs=CERT_NONE", ssl.CERT_NONE),
    ],
)
def test_a_brokers_certificate_is_checked_unless_the_url_says_otherwise(create, url, checked):
    tls = create(redis_url=url).connection_for_write().ssl
    assert (tls["ssl_cert_reqs"] if tls else None) == checked


@pytest.mark.parametrize("missing", ["database_url", "redis_url"])
def test_a_worker_without_servers_says_what_it_needs(create, missing):
    with pytest.raises(SettingsError, match="needs DATABASE_URL and REDIS_URL"):
        create(**{missing: None})


def test_the_parent_of_the_measuring_processes_loads_no_torch():
    program = "import sys, workers.celery_app, workers.tasks; sys.exit('torch' in sys.modules)"
    servers = {field.upper(): url for field, url in SERVERS.items()}
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **servers}, check=True)
