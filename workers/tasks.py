"""The tasks. Each may be delivered any number of times: what has been done is found done."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

from app.ledger import checkpoints, joining, outbox, runs
from workers import anchoring, beacons, finishing, measuring
from workers.anchoring import Asking, Outside
from workers.beacons import Rounds
from workers.celery_app import app
from workers.measuring import Worker
from workers.process import ledger, settings, signing

MESSAGE_SECONDS = 600  # by then it has been sent again


@app.task(name="workers.measure_shard")
def measure_shard(run: str, index: int) -> None:
    """Measure one shard of a run; whoever did the last one judges the run."""
    term = timedelta(seconds=settings().lease_seconds)
    worker = Worker(ledger(), settings().model_root, term, rounds(), outside().patience)
    if measuring.measure_shard(worker, run, index):
        finishing.finish_run(ledger(), run)


@app.task(name="workers.finish_run")
def finish_run(run: str) -> None:
    """Judge a run whose shards are all done."""
    finishing.finish_run(ledger(), run)


@app.task(name="workers.relay")
def relay() -> None:
    """Send a message for every shard that waits and has none underway, but for runs that wait for their beacon."""
    at_hand = rounds()
    held = set() if at_hand is None else beacons.not_ready(ledger(), at_hand)
    outbox.relay(ledger(), _send, held=held, patience=outside().patience)


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


@app.task(name="workers.anchor")
def anchor() -> None:
    """Have the head of the log anchored outside, and fetch the beacon's rounds that queued runs wait for.

    Only the clock of a worker whose settings name somebody outside sends this.
    """
    anchoring.anchor_newest(ledger(), outside(), asking())
    at_hand, source = rounds(), outside().beacon
    if at_hand is not None and source is not None:
        anchoring.fetch_rounds(ledger(), at_hand, source, asking())


@cache
def outside() -> Outside:
    return anchoring.outside(settings())


@cache
def asking() -> Asking:
    return Asking()


@cache
def rounds() -> Rounds | None:
    """The beacon's rounds at hand; None where runs wait for none."""
    source, redis_url = outside().beacon, settings().redis_url
    if source is None or redis_url is None or outside().patience is None:
        return None
    return Rounds(redis_url, source.chain)


def _send(run: str, index: int, queue: str) -> None:
    measure_shard.apply_async((run, index), queue=queue, expires=MESSAGE_SECONDS)
