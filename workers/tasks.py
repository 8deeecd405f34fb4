"""The tasks. Each may be delivered any number of times: what has been done is found done."""

from __future__ import annotations

from datetime import timedelta

from app.ledger import checkpoints, joining, outbox, runs
from workers import finishing, measuring
from workers.celery_app import app
from workers.measuring import Worker
from workers.process import ledger, settings, signing

MESSAGE_SECONDS = 600  # by then it has been sent again


@app.task(name="workers.measure_shard")
def measure_shard(run: str, index: int) -> None:
    """Measure one shard of a run; whoever did the last one judges the run."""
    worker = Worker(ledger(), settings().model_root, timedelta(seconds=settings().lease_seconds))
    if measuring.measure_shard(worker, run, index):
        finishing.finish_run(ledger(), run)


@app.task(name="workers.finish_run")
def finish_run(run: str) -> None:
    """Judge a run whose shards are all done."""
    finishing.finish_run(ledger(), run)


@app.task(name="workers.relay")
def relay() -> None:
    """Send a message for every shard that waits and has none underway."""
    outbox.relay(ledger(), _send)


@app.task(name="workers.sweep")
def sweep() -> None:
    """Give silent workers' shards to others, and have judged what nobody came to judge."""
    runs.expire(ledger())
    with ledger().begin() as session:
        waiting = joining.ready(session)
    for run in waiting:
        finishing.finish_run(ledger(), run)


@app.task(name="workers.publish")
def publish() -> None:
    """Sign the head of the log if it has grown, and write it outside the database."""
    checkpoints.publish(ledger(), signing(), settings().checkpoints)


def _send(run: str, index: int, queue: str) -> None:
    measure_shard.apply_async((run, index), queue=queue, expires=MESSAGE_SECONDS)
