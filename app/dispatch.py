"""Sending tasks to workers by name: the service knows their queues, never their code.

A message is only a hint that work is queued in Postgres. So sending gives up quickly, and what was not sent is
relayed again by the worker's own clock.
"""

from __future__ import annotations

from celery import Celery
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from app.settings import broker_url

MEASURE_SHARD = "workers.measure_shard"
# A filing waits for the broker, at most for one connection and one answer, and never tries twice.
TIMEOUTS = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}
ONCE = {"max_retries": 0, "interval_start": 0, "interval_step": 0, "interval_max": 0}


class BrokerUnavailableError(ConnectionError):
    """The broker did not take a message, or did not answer, in time."""


class Dispatch:
    """A client of the broker at `redis_url` (redis-py's form)."""

    def __init__(self, redis_url: str) -> None:
        self.redis = Redis.from_url(redis_url, **TIMEOUTS)
        self.celery = Celery("antedate", broker=broker_url(redis_url), set_as_current=False)
        self.celery.conf.update(
            broker_transport_options={**TIMEOUTS, **ONCE},
            broker_connection_timeout=TIMEOUTS["socket_connect_timeout"],
            task_ignore_result=True,
        )

    def measure_shard(self, run: str, index: int, queue: str) -> None:
        """Tell the workers of `queue` that a shard waits; raises BrokerUnavailableError."""
        try:
            self.celery.send_task(MEASURE_SHARD, args=(run, index), queue=queue, retry=False)
        except (OperationalError, RedisError, OSError) as error:
            raise BrokerUnavailableError(f"the broker did not take the message: {error}") from error

    def ping(self) -> None:
        """Raises BrokerUnavailableError unless the broker answers."""
        try:
            self.redis.ping()
        except (RedisError, OSError) as error:
            raise BrokerUnavailableError(f"the broker does not answer: {error}") from error

    def close(self) -> None:
        self.celery.close()
        self.redis.close()
