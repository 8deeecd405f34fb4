"""The Celery application of the workers: where messages come from and how they are treated.

A message is only a hint. What is to be done, by whom, and whether it has been done, is in Postgres.
"""

from __future__ import annotations

import os

import psutil
from celery import Celery
from celery.signals import beat_embedded_init, worker_init, worker_process_shutdown
from kombu import Exchange, Queue

from app.settings import Settings, SettingsError, broker_url, read_settings
from workers import anchoring, process

# Spinning OpenMP threads of several processes starve each other; read when torch is loaded, in the children.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

RELAY_SECONDS = 2.0
SWEEP_SECONDS = 5.0
PUBLISH_SECONDS = 2.0
ANCHOR_SECONDS = 2.0
# Messages of a worker that died are delivered again after this; long before, its lease expires and the sweep acts.
VISIBILITY_SECONDS = 24 * 3600
SOFT_SHUTDOWN_SECONDS = 2.0
CHILD_TASKS = 1000
CHILDRENS_SHARE_OF_MEMORY = 0.8


def create(settings: Settings) -> Celery:
    """The application over the broker that the settings name.

    Raises `SettingsError` where they name none, or name somebody outside in a file that cannot be read.
    """
    if settings.redis_url is None or settings.database_url is None:
        raise SettingsError("a worker needs DATABASE_URL and REDIS_URL; `antedate up` starts servers and sets them")
    outside = anchoring.outside(settings)
    celery = Celery("antedate", broker=broker_url(settings.redis_url), include=["workers.tasks"])
    visibility = {"visibility_timeout": VISIBILITY_SECONDS}
    celery.conf.update(
        accept_content=["json"],
        broker_connection_max_retries=None,
        broker_connection_retry_on_startup=True,
        broker_transport_options=visibility,
        result_backend_transport_options=visibility,
        visibility_timeout=VISIBILITY_SECONDS,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_serializer="json",
        task_default_queue="light",
        task_queues=[Queue(name, Exchange(name), routing_key=name) for name in ("cpu", "gpu", "light")],
        task_create_missing_queues=False,
        timezone="UTC",
        worker_prefetch_multiplier=1,
        worker_soft_shutdown_timeout=SOFT_SHUTDOWN_SECONDS,
        worker_max_tasks_per_child=CHILD_TASKS,
        worker_max_memory_per_child=_memory_of_a_child(settings.worker_concurrency),
        worker_cancel_long_running_tasks_on_connection_loss=False,
        beat_schedule={
            "relay": _every(RELAY_SECONDS, "workers.relay"),
            "sweep": _every(SWEEP_SECONDS, "workers.sweep"),
            "publish": _every(PUBLISH_SECONDS, "workers.publish"),
            **({"anchor": _every(ANCHOR_SECONDS, "workers.anchor")} if outside.are_asked else {}),
        },
    )
    return celery


def _every(seconds: float, task: str) -> dict[str, object]:
    """A clock's message that nobody took before the next one is due is worth nothing."""
    return {"task": task, "schedule": seconds, "options": {"queue": "light", "expires": seconds}}


def _memory_of_a_child(children: int) -> int:
    """How much resident memory, in KiB, a child may have after a task; with more it is replaced by a new one."""
    return int(psutil.virtual_memory().total * CHILDRENS_SHARE_OF_MEMORY / children / 1024)


app = create(read_settings())
beat_embedded_init.connect(process.die_with_parent)
worker_init.connect(process.prepare_parent)
worker_process_shutdown.connect(process.leave_child)
