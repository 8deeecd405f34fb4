"""From how many independent clusters each interval holds for each statistic, by docs/coverage.csv."""

from collections.abc import Iterable

from tests.bench.coverage.campaign import Line

# Told as warnings of what more skewed data would need; minimums are for the others.
BEYOND = frozenset({"exponential"})


def minimum(lines: Iterable[Line]) -> int | None:
    """The smallest number of clusters from which on, at all larger ones simulated too, no line misses too often.

    `lines` are of one statistic and one method. None where it holds at no number.
    """
    holds: dict[int, bool] = {}
    for line in lines:
        if line.distribution not in BEYOND:
            holds[line.clusters] = holds.get(line.clusters, True) and line.holds
    found = None
    for clusters in sorted(holds, reverse=True):
        if not holds[clusters]:
            break
        found = clusters
    return found


def minimums(lines: Iterable[Line]) -> dict[tuple[str, str], int | None]:
    """Of every statistic and method."""
    grouped: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        grouped.setdefault((line.metric, line.method), []).append(line)
    return {key: minimum(of_it) for key, of_it in sorted(grouped.items())}
