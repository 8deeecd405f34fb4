"""Campaigns that compare two ways of doing one thing, side by side in one run, in turn.

`make bench` runs them at full size and prints the table. `make test` runs the same code at a size of seconds, to hold
that both ways give the same answer; nothing is ever asserted of a time.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import pytest


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", default=False, help="the full size of each campaign")


@pytest.fixture
def full(request) -> bool:
    return request.config.getoption("--full", default=False)


@pytest.fixture
def side_by_side(full, request) -> Callable[..., tuple[Any, Any]]:
    """`side_by_side(ours, theirs, names)`: both in turn, after a round that is not counted; their last answers."""

    def compare(ours: Callable[[], Any], theirs: Callable[[], Any], names: tuple[str, str]) -> tuple[Any, Any]:
        taken: list[tuple[float, float]] = []
        for _ in range(8 if full else 1):
            (first, one), (second, other) = _timed(ours), _timed(theirs)
            taken.append((one, other))
        counted = taken[1:] or taken
        ratio = statistics.median(other / one for one, other in counted)
        ms = [1000 * statistics.median(times) for times in zip(*counted, strict=True)]
        print(f"\n{request.node.name}: {names[0]} {ms[0]:.1f} ms, {names[1]} {ms[1]:.1f} ms, ratio {ratio:.2f}")
        return first, second

    return compare


def _timed(do: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    answer = do()
    return answer, time.perf_counter() - began
