"""The coverage tables of docs/statistics.md, between its markers."""

from collections.abc import Iterable, Iterator

from tests.bench.coverage.campaign import Line
from tests.bench.coverage.minimums import BEYOND, minimum
from tests.bench.coverage.page import between
from tests.bench.coverage.scenarios import LEVELS

METHODS = ("student_t", "jackknife_t", "wilson", "delong", "percentile", "bca", "studentised_bootstrap")


def write_tables(lines: Iterable[Line]) -> None:
    between("coverage", tables(lines))


def tables(lines: Iterable[Line]) -> str:
    """A table for each statistic; where truths of a share or skewer distributions matter, one for each of them."""
    grouped: dict[str, list[Line]] = {}
    for line in sorted(lines):
        grouped.setdefault(_heading(line), []).append(line)
    return "".join(f"\n**{heading}**\n\n{_table(of_it)}" for heading, of_it in sorted(grouped.items()))


def _heading(line: Line) -> str:
    if line.distribution in BEYOND:
        return f"`{line.metric}`, {line.distribution}"
    return f"`{line.metric}` of {line.truth:g}" if line.metric == "share_of_units" else f"`{line.metric}`"


def _table(lines: list[Line]) -> str:
    clusters = sorted({line.clusters for line in lines})
    head = f"| method | {' | '.join(map(str, clusters))} | holds from |\n|---|{'---|' * len(clusters)}---|\n"
    return head + "".join(_rows(lines, clusters))


def _rows(lines: list[Line], clusters: list[int]) -> Iterator[str]:
    order = {method: place for place, method in enumerate(METHODS)}
    for method in sorted({line.method for line in lines}, key=lambda name: order.get(name, len(order))):
        of_it = [line for line in lines if line.method == method]
        cells = (_cell([line for line in of_it if line.clusters == count]) for count in clusters)
        beyond = all(line.distribution in BEYOND for line in of_it)
        found = "not offered for these" if beyond else minimum(of_it) or "never"
        yield f"| {method} | {' | '.join(cells)} | {found} |\n"


def _cell(lines: list[Line]) -> str:
    """The worse tail of the worst scenario in percent, at each level."""
    worst = (max((line for line in lines if line.level == level), key=lambda line: line.worst) for level in LEVELS)
    return " / ".join(_percent(line) for line in worst) if lines else "not run"


def _percent(line: Line) -> str:
    told = f"{100 * line.worst:.1f}"
    return told if line.holds else f"**{told}**"
