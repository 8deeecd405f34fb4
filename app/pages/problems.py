"""The error reference: every problem type of the service and every flaw of a document, each with a page."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import SERVICE_FLAW_CODES, problem_types
from claims.flaws import FLAW_CODES

FLAWS = {**FLAW_CODES, **SERVICE_FLAW_CODES}


@dataclass(frozen=True)
class ProblemView:
    """`status` is None for a flaw: it comes inside a problem."""

    code: str
    title: str
    status: int | None
    remedy: str


def problem_views() -> list[ProblemView]:
    return [ProblemView(kind.code, kind.title, kind.status.value, kind.remedy) for kind in problem_types()]


def problem_view(code: str) -> ProblemView | None:
    """The problem type or the flaw called `code`."""
    known = {problem.code: problem for problem in problem_views()}
    if code in FLAWS and code not in known:
        remedy = "Go to the place that the flaw's pointer names: its own `remedy` says what to change there."
        return ProblemView(code, FLAWS[code], None, remedy)
    return known.get(code)
