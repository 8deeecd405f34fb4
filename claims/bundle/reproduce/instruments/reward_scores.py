"""Recomputes reward_scores: mean margins, and how often chosen scores above rejected, of its own pair or of any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from claims.bundle.reproduce.ranks import mean, mean_ranks

Pair = tuple[float, float]


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # the instrument has no parameters
    waiting: dict[str, Mapping[str, Any]] = {}
    scores: list[Pair] = []
    longer: list[int] = []
    of_dimension: dict[str, list[Pair]] = {}
    for row in rows:
        if row["kind"] != "score":
            continue
        if row["pair_id"] not in waiting:
            waiting[row["pair_id"]] = row
            continue
        sides = {each["side"]: each for each in (waiting.pop(row["pair_id"]), row)}
        scores.append((sides["chosen"]["score"], sides["rejected"]["score"]))
        longer.append(sides["chosen"]["tokens"] - sides["rejected"]["tokens"])
        of_dimension.setdefault(row["dimension"], []).append(scores[-1])
    if waiting:
        raise ValueError(f"the pair {min(waiting)} has one text alone")
    found: dict[str, float] = {}
    for suffix, own in (("", scores), *(("." + name, own) for name, own in of_dimension.items())):
        found["mean_margin" + suffix] = mean(margins(own))
        found["accuracy" + suffix] = accuracy(margins(own))
        found["auroc" + suffix] = told_apart(own)
    found["macro_accuracy"] = mean([accuracy(margins(own)) for own in of_dimension.values()])
    found["tie_share"] = sum(margin == 0 for margin in margins(scores)) / len(scores)
    unequal = [difference for difference in longer if difference != 0]
    if unequal:
        found["chosen_longer_share"] = sum(difference > 0 for difference in unequal) / len(unequal)
    return found


def margins(scores: list[Pair]) -> list[float]:
    """Chosen less rejected."""
    return [chosen - rejected for chosen, rejected in scores]


def accuracy(margins: list[float]) -> float:
    """The share of margins above 0, a margin of 0 counting one half."""
    return sum((margin > 0) + (margin == 0) / 2 for margin in margins) / len(margins)


def told_apart(scores: list[Pair]) -> float:
    """The AUROC of chosen texts against rejected ones, ties one half, from the sum of their ranks (Mann-Whitney)."""
    ranks = mean_ranks([chosen for chosen, _ in scores] + [rejected for _, rejected in scores])
    above = sum(ranks[: len(scores)]) - len(scores) * (len(scores) + 1) / 2
    return above / len(scores) ** 2
