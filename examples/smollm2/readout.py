"""A linear readout fitted on differences of final hidden states: Bradley-Terry preferences, ridge penalty."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

STEPS = 30


def fit_readout(differences: Tensor, penalty: float) -> Tensor:
    """The direction w (D,) that minimises mean log(1 + exp(-d·w)) + penalty/2 · |w|², by Newton's method.

    `differences` (P, D) are chosen less rejected, divided by their root mean square, as w is in those units: the
    fitted direction is returned in the units given.
    """
    scale = differences.square().mean().sqrt()
    unit = (differences / scale).double()
    direction = torch.zeros(unit.shape[1], dtype=torch.float64)
    ridge = penalty * torch.eye(unit.shape[1], dtype=torch.float64)
    for _ in range(STEPS):
        lost = torch.sigmoid(-unit @ direction)  # how far each pair is from being preferred as it should
        slope = penalty * direction - unit.T @ lost / len(unit)
        curve = ridge + unit.T @ (unit * (lost * (1 - lost))[:, None]) / len(unit)
        direction = direction - torch.linalg.solve(curve, slope)
    return (direction / scale).float()


def left_out(differences: Tensor, parts: Sequence[Tensor], penalty: float) -> float:
    """The share of pairs preferred rightly by a readout fitted without them; `parts` (bool, P) are the folds."""
    correct = [(differences[part] @ fit_readout(differences[~part], penalty) > 0).sum() for part in parts]
    return int(sum(correct)) / len(differences)


def choose_penalty(differences: Tensor, parts: Sequence[Tensor], penalties: Sequence[float]) -> float:
    """The penalty whose readouts prefer most left-out pairs rightly; the first of several."""
    return max(penalties, key=lambda penalty: left_out(differences, parts, penalty))
