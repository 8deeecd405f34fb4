"""What docs/verdict.md says, for the rule to be held against."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "verdict.md").read_text(encoding="utf-8")
OPERATORS = {"m > t": ">", "m >= t": ">=", "m < t": "<", "m <= t": "<=", "m within [a, b]": "within"}
OPERATORS |= {"m outside [a, b]": "outside", "m equals v ± tol": "equals"}


def _rows(first: str) -> list[list[str]]:
    """The rows of the table whose first heading is `first`, as cells."""
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in table.group(1).splitlines()]


REGIONS = {OPERATORS[prediction]: (confirmed, refuted) for prediction, confirmed, refuted in _rows("prediction")}
SCOPES = {reason: touches for reason, touches, _ in _rows("reason")}


def regions(lo: float, hi: float, predict: dict) -> tuple[bool, bool]:
    """Whether the page's columns `confirmed` and `refuted` hold."""
    names = {"value": "v" if predict["op"] == "equals" else "t", "low": "a", "high": "b", "tolerance": "tol"}
    values = {names[name]: number for name, number in predict.items() if name != "op"}
    confirmed, refuted = (eval(cell, {"lo": lo, "hi": hi, **values}) for cell in REGIONS[predict["op"]])
    return confirmed, refuted


def word(lo: float, hi: float, predict: dict) -> str:
    """The outcome by the page."""
    confirmed, refuted = regions(lo, hi, predict)
    assert not (confirmed and refuted), (lo, hi, predict)
    return "confirmed" if confirmed else "refuted" if refuted else "inconclusive"
