"""How a command ends: the documented exit codes (docs/cli.md), and errors that are one message for people."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from app.cli.flawed import flaw_lines

OUTCOME_CODES: Mapping[str, int] = MappingProxyType(
    {"confirmed": 0, "refuted": 10, "inconclusive": 11, "void": 12, "withdrawn": 13}
)
# What to do, where the service's own words are for whoever writes the request by hand.
REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "unauthenticated": "Give a valid key of this service, ant_…, by ANTEDATE_KEY or --key.",
        "invalid_registration": "Correct each of these places in the file, and send it again.",
        "invalid_import": "Correct each of these places in the file and import it again.",
        "invalid_pairs": "Correct each of these lines (/3 is line 3) and upload the whole file again.",
        "invalid_query": "Correct each of these options; `antedate COMMAND --help` tells what they take.",
    }
)


class CommandError(Exception):
    """The command cannot do what was asked; its text says why and what to do."""

    exit_code: ClassVar[int] = 1


class BadInputError(CommandError):
    """What was handed to the command cannot be used; nothing was sent."""

    exit_code = 2


class DamagedLedgerError(CommandError):
    """The ledger is not what its log, or an earlier head of it, says."""

    exit_code = 9


class UnreachableError(CommandError):
    exit_code = 3


class RefusedError(CommandError):
    """The service answered with a problem (RFC 9457), kept whole in `problem`."""

    exit_code = 4

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(_in_words(status, problem))
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str:
        return _code(self.problem)


def _code(problem: Mapping[str, Any]) -> str:
    return str(problem.get("type", "")).rpartition("/")[2]


def _in_words(status: int, problem: Mapping[str, Any]) -> str:
    lines = [f"{problem.get('title', 'refused')} ({status}): {problem.get('detail', 'no detail given')}"]
    if url := problem.get("url"):
        lines.append(f"  {url}")
    lines += flaw_lines(problem.get("errors", []))
    if remedy := REMEDIES.get(_code(problem), problem.get("remedy")):
        lines.append(str(remedy))
    if reported := problem.get("id"):
        lines.append(f"  id: {reported}")
    return "\n".join(lines)
