"""How far a measurement is, on standard error: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

LINE_EVERY_SECONDS = 10.0


class Bar:
    """`total` and what `tell` is told count `unit`."""

    def __init__(self, total: int, unit: str, *, quiet: bool) -> None:
        self.total, self.unit = total, unit
        self.console = Console(stderr=True, highlight=False, quiet=quiet)
        self.began = self.said = time.monotonic()
        self.done = 0
        columns = (TextColumn("measuring"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[facts]}"))
        self.bar = Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self.task = self.bar.add_task("", total=total, facts="")

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def tell(self, done: int) -> None:
        """So many are done; the last of them always gets its line."""
        if done == self.done:
            return
        self.done = done
        facts = self._facts(done)
        self.bar.update(self.task, completed=done, facts=facts)
        due = time.monotonic() - self.said >= LINE_EVERY_SECONDS
        if not self.console.is_terminal and (due or done == self.total):
            self.console.print(f"measuring: {facts}", markup=False, soft_wrap=True)
            self.said = time.monotonic()

    def _facts(self, done: int) -> str:
        rate = done / max(time.monotonic() - self.began, 1e-9)
        left = timedelta(seconds=round((self.total - done) / rate)) if done else "unknown time"
        return f"{done}/{self.total} {self.unit}, {rate:.3g} {self.unit}/s, {left} left"
