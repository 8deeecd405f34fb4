"""NaN and infinity are no measurements."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from workers.refusals import RefusalError


def refuse_not_finite(values: Mapping[str, Tensor]) -> None:
    """Raises `RefusalError` ("not_finite") that names the first of `values` with a NaN or Inf."""
    if not values or bool(
        torch.isfinite(torch.stack([value.sum(dtype=torch.float64) for value in values.values()])).all()
    ):
        return  # a sum holds every NaN and Inf there is, and in float64 no others
    for name, value in values.items():
        if not bool(torch.isfinite(value).all()):
            raise RefusalError(
                "not_finite",
                f"{name} gives NaN or Inf.",
                "Check the checkpoint's weights; load half-precision models in float32.",
            )
