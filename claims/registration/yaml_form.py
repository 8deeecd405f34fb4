"""The YAML form of a document: YAML 1.2, core schema, and no construct that JSON has no equal for.

PyYAML reads YAML 1.1 (`no` is false there, `1e-5` a string, dates are dates), so only its events are used: scalars
are resolved here, by the tables of YAML 1.2.2, section 10.3.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from pydantic import JsonValue

from claims.flaws import Flaw, RefusedInputError
from claims.strict_json import DEEPEST, Members, bounded, constant, decode, integer, real, settle, too_deep

_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def read_yaml(text: bytes) -> JsonValue:
    """The JSON value of one YAML document; raises `RefusedInputError` with every flaw."""
    value, flaws = settle(parse_yaml(text))
    if flaws:
        raise RefusedInputError(*flaws)
    result: JsonValue = value
    return result


def parse_yaml(text: bytes) -> Any:  # noqa: ANN401 - a tree for `claims.strict_json.settle`
    """The tree of one YAML document; raises `RefusedInputError` when it is none, too deep, or more than JSON."""
    try:
        return _document(yaml.parse(decode(text), Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        raise _refusal("malformed_yaml", f"{error.problem or error.context}{_where(error.problem_mark)}") from error
    except yaml.reader.ReaderError as error:
        what = f"character {error.position + 1} is U+{error.character:04X}, which YAML does not allow"
        raise _refusal("control_character", what) from error


def _document(events: Iterator[Any]) -> Any:  # noqa: ANN401
    trees = [_node(event, events, 0) for event in events if isinstance(event, yaml.NodeEvent)]
    if len(trees) != 1:
        raise _refusal("yaml_construct", f"there are {len(trees)} documents, not one")
    return trees[0]


def _node(event: Any, events: Iterator[Any], depth: int) -> Any:  # noqa: ANN401
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise _refusal("yaml_construct", f"anchors and aliases are not allowed{_where(event.start_mark)}")
    if event.tag is not None:
        raise _refusal("yaml_construct", f"tags are not allowed{_where(event.start_mark)}")
    if isinstance(event, yaml.ScalarEvent):
        return event.value if event.style else _plain(event.value)
    if depth == DEEPEST:
        raise too_deep()
    if isinstance(event, yaml.SequenceStartEvent):
        return list(_until_end(events, depth + 1))
    return Members(_members(events, depth + 1))


def _until_end(events: Iterator[Any], depth: int) -> Iterator[Any]:
    """The nodes up to the end of the collection that has just begun."""
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            return
        yield _node(event, events, depth)


def _members(events: Iterator[Any], depth: int) -> Iterator[tuple[str, Any]]:
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            return
        key = _node(event, events, depth)
        if not isinstance(key, str):
            raise _refusal("yaml_construct", f"a key that is not text{_where(event.start_mark)}: write it in quotes")
        yield key, _node(next(events), events, depth)


def _plain(text: str) -> Any:  # noqa: ANN401
    """A scalar without quotes, by the core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return integer(text)
    if _BASED.fullmatch(text):
        return bounded(int(text, 0), text)
    if _REAL.fullmatch(text):
        return real(text)
    return constant(text) if _NOT_FINITE.fullmatch(text) else text


def _where(mark: Any) -> str:  # noqa: ANN401 - a Mark of either of PyYAML's parsers
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""


def _refusal(code: str, detail: str) -> RefusedInputError:
    return RefusedInputError(Flaw("", code, detail, "Write plain YAML 1.2 that says what a JSON document would."))
