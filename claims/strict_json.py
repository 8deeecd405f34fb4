"""JSON read without mercy: nothing repaired, nothing chosen between, every flaw with where it is.

The standard parser keeps the last of duplicate keys, reads 1e999 as infinity and 1e-999 as 0, accepts NaN and
lone surrogates, and overflows the stack on deep nesting. So the depth is measured on the bytes before parsing, and
the parser is given hooks that keep what it would have lost, for `settle` to judge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from claims.canonical import LARGEST_INTEGER
from claims.characters import flaws_of_line, visible
from claims.flaws import Flaw, RefusedInputError, pointer

DEEPEST = 64
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_DIGITS = len(str(LARGEST_INTEGER))

CheckText = Callable[[str, str, str], list[Flaw]]


class Members(list[tuple[str, Any]]):
    """An object as it was written: every member, in order, duplicates included."""


@dataclass(frozen=True)
class Unreadable:
    """A literal that stands for no value."""

    code: str
    detail: str
    remedy: str


def read(body: bytes, check: CheckText = flaws_of_line) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of `body`; raises `RefusedInputError` with every flaw. `check` judges each string."""
    value, flaws = settle(parse(decode(body)), check)
    if flaws:
        raise RefusedInputError(*flaws)
    return value


def decode(body: bytes) -> str:
    """UTF-8 without a byte order mark."""
    if body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise _refusal("byte_order_mark", "the text begins with a byte order mark", "Save it as UTF-8 without one.")
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        detail = f"byte {error.start + 1} is not UTF-8 ({error.reason})"
        raise _refusal("not_utf8", detail, "Save the text as UTF-8.") from error


def parse(text: str) -> Any:  # noqa: ANN401 - a tree of Members, lists, scalars and Unreadable
    """The tree of a JSON text, for `settle`; raises `RefusedInputError` when it is no JSON or too deep."""
    _refuse_depth(text)
    try:
        return json.loads(text, object_pairs_hook=Members, parse_int=integer, parse_float=real, parse_constant=constant)
    except json.JSONDecodeError as error:
        code = "control_character" if error.msg.startswith("Invalid control character") else "malformed_json"
        detail = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise _refusal(code, detail, "Correct the text there; a JSON linter shows the place.") from error


def _refuse_depth(text: str) -> None:
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text.encode()):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token[0], 0)
        if depth > DEEPEST:
            raise too_deep()


def too_deep() -> RefusedInputError:
    return _refusal("too_deep", f"objects and lists are nested more than {DEEPEST} deep", "Make the document flatter.")


def integer(literal: str) -> float | Unreadable:
    digits = literal.lstrip("+-").lstrip("0")
    # As many digits as the largest integer has; converting more takes time, and Python refuses thousands.
    value = int(digits or "0") if len(digits) <= _DIGITS else LARGEST_INTEGER + 1
    return bounded(-value if literal.startswith("-") else value, literal)


def bounded(value: float, literal: str) -> float | Unreadable:
    """The number, unless it is beyond what every reader holds exactly.

    That binds decimals too: from 2^53 on they are whole, and their canonical form is that of an integer.
    """
    if abs(value) <= LARGEST_INTEGER:
        return value
    remedy = f"Numbers lie within ±{LARGEST_INTEGER}; write 64-bit values as hex strings."
    return Unreadable("number_out_of_range", f"{_short(literal)} is beyond ±(2^53 - 1)", remedy)


def real(literal: str) -> float | Unreadable:
    value = float(literal)
    if value == 0 and re.search("[1-9]", re.split("[eE]", literal)[0]):
        return Unreadable("number_out_of_range", f"{_short(literal)} is too small to tell from zero", "Write 0.")
    return bounded(value, literal)


def constant(literal: str) -> Unreadable:
    return Unreadable("not_a_number", f"{literal} is not a number", "Write a finite number, or leave the key out.")


def _short(literal: str) -> str:
    return literal if len(literal) <= 2 * _DIGITS else f"{literal[:_DIGITS]}… ({len(literal)} characters)"


def settle(tree: Any, check: CheckText = flaws_of_line) -> tuple[Any, list[Flaw]]:  # noqa: ANN401
    """The value of a tree, with null where a literal stands for none, and its flaws in document order."""
    flaws: list[Flaw] = []
    return _value(tree, "", check, flaws), flaws


def _value(node: Any, at: str, check: CheckText, flaws: list[Flaw]) -> Any:  # noqa: ANN401
    match node:
        case Members():
            return _object(node, at, check, flaws)
        case list():
            return [_value(item, at + pointer(index), check, flaws) for index, item in enumerate(node)]
        case str():
            flaws += check(node, at, "the text")
        case Unreadable(code, detail, remedy):
            flaws.append(Flaw(at, code, detail, remedy))
            return None
    return node


def _object(members: Members, at: str, check: CheckText, flaws: list[Flaw]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, node in members:
        shown = visible(key)
        flaws += flaws_of_line(key, at, f"the key “{shown}”")
        if key in value:
            flaws.append(Flaw(at, "duplicate_key", f"the key “{shown}” stands here twice", "Keep one of them."))
        value[key] = _value(node, at + pointer(shown), check, flaws)
    return value


def _refusal(code: str, detail: str, remedy: str) -> RefusedInputError:
    return RefusedInputError(Flaw("", code, detail, remedy))
