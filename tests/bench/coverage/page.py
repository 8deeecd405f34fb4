"""docs/statistics.md, parts of which campaigns write between markers."""

from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "statistics.md"


def between(name: str, text: str) -> None:
    """Puts the text between the markers of that name; raises ValueError where the page has none."""
    begin, end = (f"<!-- {name}: {side} -->" for side in ("begin", "end"))
    before, found, rest = PAGE.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{PAGE.name} has no place for {name}")
    PAGE.write_text(f"{before}{begin}\n{text}{end}{after}")
