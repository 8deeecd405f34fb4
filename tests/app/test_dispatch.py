"""Telling workers, through a real broker and through none."""

import json
import socket

import pytest
from redis import Redis

from app.dispatch import BrokerUnavailableError, Dispatch


def test_a_message_names_the_task_and_the_shard(valkey):
    queue = Redis.from_url(valkey)
    queue.delete("gpu")
    dispatch = Dispatch(valkey)
    dispatch.measure_shard("aaaaaaaaaaaa-1", 3, "gpu")
    dispatch.ping()
    (message,) = queue.lrange("gpu", 0, -1)
    headers = json.loads(message)["headers"]
    assert (headers["task"], headers["argsrepr"]) == ("workers.measure_shard", "('aaaaaaaaaaaa-1', 3)")
    dispatch.close()
    queue.close()


@pytest.fixture
def silent():
    """A broker that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


def test_a_broker_that_is_away_or_silent_is_given_up(silent):
    for url in ("redis://127.0.0.1:1/0", "unix:///nowhere/valkey.sock", silent):
        dispatch = Dispatch(url)
        with pytest.raises(BrokerUnavailableError):
            dispatch.measure_shard("aaaaaaaaaaaa-1", 0, "cpu")
        with pytest.raises(BrokerUnavailableError):
            dispatch.ping()
        dispatch.close()
