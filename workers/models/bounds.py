"""Bounds on what a checkpoint's chat template may take: it is a foreign program, if one in a sandbox."""

from __future__ import annotations

import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import FrameType

from jinja2 import Environment

SECONDS = 2.0
BYTES = 1 << 28


@lru_cache(maxsize=16)
def refuse_powers(template: str) -> None:
    """Raises ValueError for a template that raises to a power: one such step can take hours, and no signal ends it."""
    if any(kind == "operator" and word == "**" for _, kind, word in Environment(autoescape=True).lex(template)):
        raise ValueError("it raises to a power")


@contextmanager
def bounded() -> Iterator[None]:
    """Raises `TimeoutError` after two seconds of this process's own work, MemoryError beyond 256 MiB more of it.

    The time is bounded where signals arrive, in the main thread, which is where workers measure; the memory where the
    kernel says how much the process has, on Linux.
    """
    with _time_bounded(), _memory_bounded():
        yield


@contextmanager
def _time_bounded() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"it takes more than {SECONDS:g} seconds")


@contextmanager
def _memory_bounded() -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    allowed = taken + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (_less(allowed, *before), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _less(*limits: int) -> int:
    return min(limit for limit in limits if limit != resource.RLIM_INFINITY)
