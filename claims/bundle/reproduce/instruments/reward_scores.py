"""Recomputes reward_scores: mean margins, and how often chosen scores above rejected, a tie counting one half."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from claims.bundle.reproduce.ranks import mean


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # the instrument has no parameters
    scored = {(row["pair_id"], row["side"]): row for row in rows if row["kind"] == "score"}
    margins: list[float] = []
    longer: list[int] = []
    of_dimension: dict[str, list[float]] = {}
    for (pair, side), chosen in scored.items():
        if side == "chosen":
            rejected = scored[pair, "rejected"]
            margins.append(chosen["score"] - rejected["score"])
            longer.append(chosen["tokens"] - rejected["tokens"])
            of_dimension.setdefault(chosen["dimension"], []).append(margins[-1])
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
