"""Following a claim to its end, with a bar on standard error."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from app.cli.errors import OUTCOME_CODES, CommandError, RefusedError, UnreachableError
from app.cli.service import Service

POLL_SECONDS = 0.5
# The service may be restarted under a long run; the run goes on.
PATIENCE_SECONDS = 60.0
PLAIN_EVERY_SECONDS = 10.0


def follow(service: Service, claim: str, console: Console) -> dict[str, Any]:
    """The claim once it is judged, void or withdrawn, and its last run's progress on the console until then.

    Raises RefusedError (no such claim), or UnreachableError when the service stays away for a minute.
    """
    silent_since = None
    with _Bar(console) as bar:
        while True:
            try:
                found: dict[str, Any] = service.get(f"/v1/claims/{claim}")
                if found["status"] in OUTCOME_CODES:
                    return found
                bar.show(found, _deciding_run(service, found))
                silent_since = None
            except (UnreachableError, RefusedError) as error:
                silent_since = silent_since or time.monotonic()
                _endure(error, time.monotonic() - silent_since)
            time.sleep(POLL_SECONDS)


def _endure(error: CommandError, silence: float) -> None:
    """Returns when waiting may help: the service is away or says that it cannot answer now. Raises otherwise."""
    passing = isinstance(error, UnreachableError) or (isinstance(error, RefusedError) and error.code == "unavailable")
    if not passing or silence > PATIENCE_SECONDS:
        raise error


def _deciding_run(service: Service, claim: Mapping[str, Any]) -> dict[str, Any]:
    runs: list[dict[str, Any]] = service.get(f"/v1/claims/{claim['id']}/runs")["items"]
    return next((run for run in runs if run["id"] == claim["run"]), runs[0])


class _Bar:
    """A bar on a terminal; elsewhere a line now and then."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.next_line = 0.0
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[facts]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task("waiting", total=None, facts="")

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def show(self, claim: Mapping[str, Any], run: Mapping[str, Any]) -> None:
        facts = _facts(run)
        self.bar.update(
            self.task, description=claim["status"], completed=run["rows_done"], total=run["rows_total"], facts=facts
        )
        if not self.console.is_terminal and time.monotonic() >= self.next_line:
            self.console.print(f"{claim['status']}: {facts}", markup=False, soft_wrap=True)
            self.next_line = time.monotonic() + PLAIN_EVERY_SECONDS


def _facts(run: Mapping[str, Any]) -> str:
    if run["status"] == "queued" and run["not_before"]:
        return f"opens no earlier than {run['not_before']}"
    parts = [f"{run['rows_done']}/{run['rows_total']} rows"]
    if run["rate"] is not None:
        parts.append(f"{run['rate']:.3g} rows/s")
    if run["eta_seconds"] is not None:
        parts.append(f"{timedelta(seconds=round(run['eta_seconds']))} left")
    return ", ".join(parts)
