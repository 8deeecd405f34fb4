"""Whether bytes are the RFC 8785 form of the JSON that they hold: the whole log is asked, so it is asked fast."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rfc8785

from claims.canonical import LARGEST_INTEGER

_LAST_IN_ORDER = "\ud7ff"  # beyond it UTF-16, by which keys are sorted, and code points order otherwise


Dump = Callable[[Any], bytes]


@dataclass(frozen=True)
class Parsed:
    """The value of some bytes, whether they are its one form, and what gives that form of any part of it."""

    value: Any
    canonical: bool
    dump: Dump


def parse(data: bytes) -> Parsed:
    """Raises ValueError for what is no JSON.

    Where every number is written as Python writes it too, Python's encoder, which is compiled, gives the same bytes
    as RFC 8785; the rest is left to the library.
    """
    exotic = False

    def number(token: str) -> float:
        nonlocal exotic
        value = float(token)
        exotic = exotic or "e" in token or repr(value) != token or token.endswith(".0")
        return value

    def integer(token: str) -> int:
        nonlocal exotic
        value = int(token)
        exotic = exotic or str(value) != token or abs(value) > LARGEST_INTEGER
        return value

    text = data.decode()
    value = json.loads(text, parse_float=number, parse_int=integer)
    dump = _slowly if exotic or max(text, default="") > _LAST_IN_ORDER else _fast
    return Parsed(value, dump(value) == data, dump)


def _fast(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _slowly(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError:
        return b""  # it has none, so that nothing equals it
