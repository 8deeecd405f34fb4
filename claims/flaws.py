"""What is wrong with something a person handed in: every flaw at once, each with where it is and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flaw:
    """One thing wrong.

    `pointer` is an RFC 6901 JSON pointer into what was handed in ("" is the whole of it), `code` a word of the
    closed list documented in docs/problems.md, `detail` says what is wrong, `remedy` what to do about it.
    """

    pointer: str
    code: str
    detail: str
    remedy: str


class RefusedInputError(ValueError):
    """Raised by every reader of foreign input; holds at least one flaw, in document order."""

    def __init__(self, *flaws: Flaw) -> None:
        super().__init__("; ".join(f"{flaw.pointer or '/'}: {flaw.detail}" for flaw in flaws))
        self.flaws = flaws


def pointer(*parts: str | int) -> str:
    """The RFC 6901 pointer of a path: `pointer("hypotheses", 0)` is `/hypotheses/0`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
