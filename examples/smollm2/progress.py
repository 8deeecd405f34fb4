"""Progress of what takes long: one line that renews itself on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from datetime import timedelta

ELSEWHERE_SECONDS = 10.0
TERMINAL_SECONDS = 0.2


@dataclass
class Progress:
    """Called with what is being done, how much of it is done and of how much; tells it on standard error.

    `begun` holds, by stage, when the first part was done and how much that was: the rate is taken from there.
    """

    begun: dict[str, tuple[float, int]] = field(default_factory=dict)
    told: float = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now, terminal = time.monotonic(), sys.stderr.isatty()
        begun, already = self.begun.setdefault(stage, (now, done))
        if done < total and now - self.told < (TERMINAL_SECONDS if terminal else ELSEWHERE_SECONDS):
            return
        self.told = now
        line = f"{stage}: {done}/{total}"
        if done > already:
            line += f", {timedelta(seconds=round((now - begun) / (done - already) * (total - done)))} left"
        if done == total:
            del self.begun[stage]
        ended = not terminal or done == total
        sys.stderr.write(("\r\x1b[K" if terminal else "") + line + ("\n" if ended else ""))
        sys.stderr.flush()
