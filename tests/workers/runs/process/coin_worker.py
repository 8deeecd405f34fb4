"""The worker's own Celery application, in a process that knows one more instrument and has a faster clock."""

import functools
import os
from pathlib import Path

import claims.instruments
import workers.instruments
import workers.process
import workers.source

COIN = Path(__file__).parents[1] / "coin"
claims.instruments.__path__.append(str(COIN / "claims" / "instruments"))
workers.instruments.__path__.append(str(COIN / "workers" / "instruments"))
of_ours = workers.source.source_sha256


@functools.wraps(of_ours)
def source_sha256(name):
    return of_ours(name, COIN) if name == "coin_toss" else of_ours(name)


workers.source.source_sha256 = source_sha256

if "COIN_TORCH" not in os.environ:  # coins need none, and it takes seconds to load
    workers.process.prepare_torch = lambda: None

from workers.celery_app import app  # noqa: E402 - after the instrument is known

for entry in app.conf.beat_schedule.values():
    entry["schedule"] = 0.5
