"""What a command that takes long is doing, and how much of it is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from app.cli.output import progress_console
from app.ledger.audit.findings import Progress as Tell


@contextmanager
def steps() -> Iterator[Tell]:
    """A bar a step on a terminal; nothing elsewhere."""
    console = progress_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars: dict[str, TaskID] = {}
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:

        def tell(step: str, done: int, of: int) -> None:
            if step not in bars:
                bars[step] = progress.add_task(step)
            progress.update(bars[step], completed=done, total=of)

        yield tell
