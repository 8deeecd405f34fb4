"""What an audit finds: where, and what is wrong there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """`where` names the place (`entry 12`, `claims k3v9…: status`), `what` says what stands there and what should."""

    where: str
    what: str


@dataclass
class Findings:
    """Findings as they are made. No more than `most` are kept in full; every one is counted."""

    most: int = 1_000
    found: list[Finding] = field(default_factory=list)
    count: int = 0

    def add(self, where: str, what: str) -> None:
        self.count += 1
        if len(self.found) < self.most:
            self.found.append(Finding(where, what))

    def expect(self, holds: bool, where: str, what: str) -> None:
        if not holds:
            self.add(where, what)

    @contextmanager
    def as_finding(self, where: str, *errors: type[Exception]) -> Iterator[None]:
        """What raises one of these is a finding, not a crash."""
        try:
            yield
        except errors as error:
            self.add(where, f"{type(error).__name__}: {error}")


Progress = Callable[[str, int, int], None]  # what is being checked, how much of it is done, of how much
