"""Which characters may stand in text that people read and hash, and why the others may not."""

from __future__ import annotations

import re
import unicodedata

from claims.flaws import Flaw

JOINERS = frozenset("\u200c\u200d")  # Persian, the Indic scripts and emoji cannot be written without them
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# General category of a character -> code, what it is, what to do.
_REFUSED = {
    "Cs": ("lone_surrogate", "half of a surrogate pair", "Write the whole character, or leave it out."),
    "Cc": ("control_character", "a control character", "Leave it out; put text of several lines on one (YAML: >-)."),
    "Zl": ("control_character", "a line separator", "Leave it out; put text of several lines on one."),
    "Zp": ("control_character", "a paragraph separator", "Leave it out; put text of several lines on one."),
    "Cf": ("hidden_character", "a character that shows nothing", "Leave it out: it can hide or reorder text."),
}


def flaws_of_line(text: str, at: str, where: str) -> list[Flaw]:
    """What is wrong with one line of text (`where` names it, `at` points at it): at most one flaw of each code."""
    if text.isascii() and text.isprintable():
        return []
    flaws = _refused(text, at, where, frozenset(_REFUSED), JOINERS)
    if not unicodedata.is_normalized("NFC", text):
        remedy = "Normalise it to NFC: what looks the same must have the same bytes."
        flaws.append(Flaw(at, "not_nfc", f"{where} is not in Unicode normal form C", remedy))
    return flaws


def flaws_of_text(text: str, at: str, where: str) -> list[Flaw]:
    """The same for what a model reads: any Unicode text, with tabs and line ends, in any normal form."""
    if not _UNREADABLE.search(text):
        return []
    return _refused(text, at, where, frozenset({"Cs", "Cc"}), frozenset("\t\n\r"))


def _refused(text: str, at: str, where: str, categories: frozenset[str], allowed: frozenset[str]) -> list[Flaw]:
    found: dict[str, Flaw] = {}
    for index, character in enumerate(text):
        category = unicodedata.category(character)
        if category in categories and character not in allowed:
            code, what, remedy = _REFUSED[category]
            detail = f"{where} holds U+{ord(character):04X}, {what}, as its character {index + 1}"
            found.setdefault(code, Flaw(at, code, detail, remedy))
    return list(found.values())


def visible(text: str) -> str:
    """`text` with every character that could not be shown or sent written as its escape."""
    return "".join(
        character.encode("ascii", "backslashreplace").decode()
        if unicodedata.category(character) in _REFUSED and character not in JOINERS
        else character
        for character in text
    )
