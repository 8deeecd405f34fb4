"""Whether bytes are the RFC 8785 form of the JSON that they hold: the whole log is asked, so it is asked fast.

Python's encoder, which is compiled, gives that form but for the spelling of some numbers, and for keys beyond the
basic plane. Numbers of the first kind stand in its output as marks, put back as they were written once each of them is
known to be spelt as RFC 8785 spells it; the second kind is left to the library.
"""

from __future__ import annotations

import json
import re
from typing import Any

import rfc8785

from claims.canonical import LARGEST_INTEGER

_LAST_IN_ORDER = "\ud7ff"  # beyond it UTF-16, by which keys are sorted, and code points order otherwise
_MARK = "\ue000"
_MARKED = re.compile(f'"{_MARK}([0-9]+)"')


class Form:
    """Some bytes, read: their `value`, whether they are `canonical`, and the one form of any part of them.

    Raises ValueError for what is no JSON.
    """

    def __init__(self, data: bytes) -> None:
        self.text = data.decode()
        self._tokens: list[str] = []
        self._badly_spelt = False
        self.value: Any = json.loads(self.text, parse_float=self._number, parse_int=self._integer)
        self._marked = json.loads(self.text, parse_float=self._mark()) if self._tokens else self.value
        self._ordered = self.text.isascii() or max(self.text) <= _LAST_IN_ORDER

    @property
    def canonical(self) -> bool:
        return not self._badly_spelt and self._dumped(self._marked, self.value) == self.text.encode()

    def part(self, *path: str) -> bytes:
        """The one form of what stands at these keys; raises KeyError where nothing does."""
        marked, value = self._marked, self.value
        for key in path:
            marked, value = marked[key], value[key]
        return self._dumped(marked, value)

    def _dumped(self, marked: Any, value: Any) -> bytes:  # noqa: ANN401 - any JSON value
        if not self._ordered or self._badly_spelt:
            return _slowly(value)
        text = json.dumps(marked, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return (_MARKED.sub(lambda found: self._tokens[int(found[1])], text) if self._tokens else text).encode()

    def _number(self, token: str) -> float:
        value = float(token)
        if repr(value) != token or "e" in token or token.endswith(".0"):
            self._tokens.append(token)
            self._badly_spelt = self._badly_spelt or _slowly(value) != token.encode()
        return value

    def _integer(self, token: str) -> int:
        value = int(token)
        self._badly_spelt = self._badly_spelt or str(value) != token or abs(value) > LARGEST_INTEGER
        return value

    def _mark(self) -> Any:  # noqa: ANN401 - what json.loads takes
        """Numbers come in the same order again: each token of the list becomes the mark of its place in it."""
        waiting = iter(enumerate(self._tokens))
        following = next(waiting, None)

        def marked(token: str) -> float | str:
            nonlocal following
            if following is None or token != following[1]:
                return float(token)
            place, following = following[0], next(waiting, None)
            return f"{_MARK}{place}"

        return marked


def _slowly(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError:
        return b""  # it has none, so that nothing equals it
