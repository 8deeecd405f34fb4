"""Recomputes reward_scores: mean margins, and how often chosen scores above rejected, a tie counting one half."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from claims.bundle.reproduce.ranks import mean


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # the instrument has no parameters
    waiting: dict[str, Mapping[str, Any]] = {}
    margins: list[float] = []
    longer: list[int] = []
    of_dimension: dict[str, list[float]] = {}
    for row in rows:
        if row["kind"] != "score":
            continue
        if row["pair_id"] not in waiting:
            waiting[row["pair_id"]] = row
            continue
        sides = {each["side"]: each for each in (waiting.pop(row["pair_id"]), row)}
        margins.append(sides["chosen"]["score"] - sides["rejected"]["score"])
        longer.append(sides["chosen"]["tokens"] - sides["rejected"]["tokens"])
        of_dimension.setdefault(row["dimension"], []).append(margins[-1])
    if waiting:
        raise ValueError(f"the pair {min(waiting)} has one text alone")
    found = {"mean_margin": mean(margins), "accuracy": accuracy(margins)}
    for dimension, own in of_dimension.items():
        found["mean_margin." + dimension] = mean(own)
        found["accuracy." + dimension] = accuracy(own)
    found["macro_accuracy"] = mean([accuracy(own) for own in of_dimension.values()])
    found["tie_share"] = sum(margin == 0 for margin in margins) / len(margins)
    unequal = [difference for difference in longer if difference != 0]
    if unequal:
        found["chosen_longer_share"] = sum(difference > 0 for difference in unequal) / len(unequal)
    return found


def accuracy(margins: list[float]) -> float:
    """The share of margins above 0, a margin of 0 counting one half."""
    return sum((margin > 0) + (margin == 0) / 2 for margin in margins) / len(margins)
