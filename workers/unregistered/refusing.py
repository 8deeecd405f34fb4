"""What is wrong with what was asked, by the option that says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from claims.flaws import Flaw, RefusedInputError

# Which option each part of the document comes from; the longest that fits decides.
OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "/instrument/params": "--params",
        "/subject/model/params": "--recipe",
        "/subject/model/readout": "--readout",
        "/subject/model": "--model",
        "/subject/dataset": "--pairs",
        "/sampling": "--size",
        "/analysis/confidence": "--confidence",
        "/analysis/interval": "--interval",
        "/analysis/resamples": "--resamples",
        "/analysis": "--resamples",
    }
)


class BadOptionsError(Exception):
    """Nothing can be measured as asked; `lines` say of each flaw where it is, what is wrong, and what to do."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def flawed(option: str, detail: str, remedy: str) -> BadOptionsError:
    """What is wrong with one option."""
    return BadOptionsError(f"{option}: {detail}. {remedy}")


@contextmanager
def read_from(option: str) -> Iterator[None]:
    """Flaws found within are flaws of what this option gives: their pointers lead into that."""
    try:
        yield
    except RefusedInputError as error:
        raise BadOptionsError(*(_line(f"{option} {flaw.pointer}".rstrip(), flaw) for flaw in error.flaws)) from error


@contextmanager
def put_together() -> Iterator[None]:
    """Flaws found within are flaws of the document that the options make."""
    try:
        yield
    except RefusedInputError as error:
        raise BadOptionsError(*(_line(_option(flaw.pointer), flaw) for flaw in error.flaws)) from error


def _line(where: str, flaw: Flaw) -> str:
    return f"{where}: {flaw.detail.removesuffix('.')}. {flaw.remedy}"


def _option(pointer: str) -> str:
    """The option behind a pointer into the document, and what of the pointer leads into its value."""
    part = max((part for part in OPTIONS if (pointer + "/").startswith(part + "/")), key=len, default=None)
    return pointer if part is None else f"{OPTIONS[part]} {pointer.removeprefix(part)}".rstrip()
