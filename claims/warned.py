"""The warnings of a design check for people to read: those of one kind together where there are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claims.design import WARNING_CODES

FEW = 3  # warnings of one code that are read one by one


@dataclass(frozen=True)
class Alike:
    """Warnings of one code: what they are `about`, a hypothesis or a place in the document each, and what each says."""

    code: str
    about: Sequence[str]
    pointers: Sequence[str]
    details: Sequence[str]

    @property
    def few(self) -> bool:
        return len(self.details) <= FEW

    @property
    def meaning(self) -> str:
        return WARNING_CODES[self.code]


def by_code(check: Mapping[str, Any]) -> list[Alike]:
    """Of the check as `registered.check` has it, in the order in which codes come first; none is left out."""
    names = [found["id"] for found in check.get("hypotheses", ())]
    found: dict[str, list[Mapping[str, str]]] = {}
    for warning in check.get("warnings", ()):
        found.setdefault(warning["code"], []).append(warning)
    return [
        Alike(
            code,
            [_about(warning["pointer"], names) for warning in of_it],
            [warning["pointer"] for warning in of_it],
            [warning["detail"] for warning in of_it],
        )
        for code, of_it in found.items()
    ]


def _about(pointer: str, names: Sequence[str]) -> str:
    """The hypothesis that a pointer leads into, by its id."""
    _, first, *rest = pointer.split("/")
    if first == "hypotheses" and rest and int(rest[0]) < len(names):
        return names[int(rest[0])]
    return pointer
