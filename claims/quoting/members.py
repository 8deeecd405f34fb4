"""What stands inside a tag: `key=value`, every key known, none twice, each value read by its own rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from claims.lifecycle import CLAIM_STATUSES
from claims.quoting.rounding import Places, Rule, Significant, Within, Written, read_number

Field = Literal["estimate", "lo", "hi"]

_MEMBER = re.compile(r"\S+")
_METRIC = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)?")
_RULE = re.compile(r"([1-9]\d?)sig|(\d{1,2})dp")
STATUS_WORDS = (*CLAIM_STATUSES, "reported", "superseded", "contested")
KEYS: Mapping[str, str] = MappingProxyType(
    {
        "metric": "the metric's name, such as recovery_gap_constructed",
        "value": "the number quoted, such as -0.57 or 43.4%; without it, the number just before the tag is",
        "field": "estimate (unless given), lo or hi",
        "round": "3sig or 2dp: the number is rounded so, and no finer",
        "tol": "the most that it may be off, in the unit that is written, such as 0.01",
        "as": "percent, where the sign is not written, or negated, or percent,negated",
        "status": "what the record's status is, where it does not stand, such as refuted or confirmed,superseded",
    }
)


class TagError(ValueError):
    """What is wrong inside a tag, at this offset of its line."""

    def __init__(self, at: int, detail: str) -> None:
        super().__init__(detail)
        self.at = at


def read_members(line: str, start: int, end: int) -> dict[str, Any]:
    """The value of each key that stands in this part of the line; raises `TagError` for the first that is wrong."""
    members = _members(line, start, end)
    given = {key: _READERS[key](value, at) for key, (value, at) in members.items()}
    if "round" in given and "tol" in given:
        raise TagError(members["tol"][1], "round= and tol= exclude each other: keep one of them")
    return given


def _members(line: str, start: int, end: int) -> dict[str, tuple[str, int]]:
    """Each key's value with where it stands; raises for what is no `key=value`, unknown or there twice."""
    members: dict[str, tuple[str, int]] = {}
    for word in _MEMBER.finditer(line, start, end):
        key, equals, value = word[0].partition("=")
        if not equals or not value:
            raise TagError(word.start(), f"{word[0]!r} is no key=value; a tag takes {', '.join(KEYS)}")
        if key not in KEYS:
            raise TagError(word.start(), f"a tag knows no key {key!r}: it takes {', '.join(KEYS)}")
        if key in members:
            raise TagError(word.start(), f"{key}= stands here twice: keep one of them")
        members[key] = (value, word.start())
    return members


def _number(text: str, at: int) -> Written:
    try:
        return read_number(text)
    except ValueError as error:
        raise TagError(at, str(error)) from error


def _metric(text: str, at: int) -> str:
    if not _METRIC.fullmatch(text):
        raise TagError(at, f"{text!r} is no metric's name, such as mean_rho or rho.safety")
    return text


def _field(text: str, at: int) -> Field:
    match text:
        case "estimate" | "lo" | "hi":
            return text
    raise TagError(at, f"field={text} is none: it is estimate, lo or hi")


def _rule(text: str, at: int) -> Rule:
    match = _RULE.fullmatch(text)
    if match is None:
        raise TagError(at, f"round={text} is no rule: it is 1sig to 99sig, or 0dp to 99dp")
    return Significant(int(match[1])) if match[1] else Places(int(match[2]))


def _tolerance(text: str, at: int) -> Rule:
    written = _number(text, at)
    if written.percent or written.value <= 0:
        raise TagError(at, f"tol={text} is no tolerance: it is a number above 0 without a sign, such as 0.01")
    return Within(written.value)


def _unit(text: str, at: int) -> frozenset[str]:
    words = frozenset(text.split(","))
    if not words <= {"percent", "negated"}:
        raise TagError(at, f"as={text} is none: it is percent, negated, or percent,negated")
    return words


def _statuses(text: str, at: int) -> frozenset[str]:
    words = text.split(",")
    if unknown := [word for word in words if word not in STATUS_WORDS]:
        raise TagError(at, f"{unknown[0]!r} is no status: use {', '.join(STATUS_WORDS)}")
    return frozenset(words)


_READERS: Mapping[str, Callable[[str, int], Any]] = MappingProxyType(
    {
        "metric": _metric,
        "value": _number,
        "field": _field,
        "round": _rule,
        "tol": _tolerance,
        "as": _unit,
        "status": _statuses,
    }
)
