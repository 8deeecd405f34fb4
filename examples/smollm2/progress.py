"""Progress of what takes long: one line that renews itself on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from datetime import timedelta

EVERY_SECONDS = 10.0


@dataclass
class Progress:
    """Called with what is being done, how much of it is done and of how much; tells it on standard error."""

    started: dict[str, float] = field(default_factory=dict)
    told: float = 0.0

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        now = time.monotonic()
        first = self.started.setdefault(stage, now)
        terminal = sys.stderr.isatty()
        if done < total and now - self.told < (0.2 if terminal else EVERY_SECONDS):
            return
        self.told = now
        left = timedelta(seconds=round((now - first) / done * (total - done)))
        line = f"{stage}: {done}/{total}{note}, " + (f"{left} left" if done < total else "done")
        end = "\n" if done >= total or not terminal else ""
        sys.stderr.write(f"\r\x1b[K{line}{end}" if terminal else f"{line}{end}")
        sys.stderr.flush()
