"""The number that readers see just before a tag."""

from __future__ import annotations

import re

from claims.quoting.members import TagError
from claims.quoting.rounding import NUMBER, PERCENT, Written, read_number

# What may stand between the number that readers see and a tag that they need not see.
_BETWEEN = r"(?:\s|[$*_`)\]}|&]|</\w+>|<!--|\.\.(?=\s)|\\[,;!)\]])*"
_LATEX_BETWEEN = _BETWEEN.replace("<!--", "%")  # a bare percent sign begins a comment there
_LATEX_PERCENT = PERCENT.replace(r"\\?%", r"\\%")
_FARTHEST = 200
_JOINED = re.compile(r"[\w.,\-−–—^]")  # noqa: RUF001 - of a range, a thousand, a version: no number of its own
_PLAIN_NUMBER = re.compile(rf"(?P<before>^|.)(?P<number>{NUMBER}(?:{PERCENT})?){_BETWEEN}$")
_LATEX_NUMBER = re.compile(rf"(?P<before>^|.)(?P<number>{NUMBER}(?:{_LATEX_PERCENT})?){_LATEX_BETWEEN}$")


def number_before(line: str, start: int, *, latex: bool) -> Written:
    """The number that readers see just before the tag."""
    found = (_LATEX_NUMBER if latex else _PLAIN_NUMBER).search(line[max(0, start - _FARTHEST) : start])
    if found is None or _JOINED.match(found["before"]):
        seen = "no number stands just before the tag" if found is None else f"{found[0].strip()!r} is no number alone"
        raise TagError(start, f"{seen}: write value=…, the number quoted")
    try:
        return read_number(found["number"])
    except ValueError as error:
        raise TagError(start, str(error)) from error
