"""Direct linear attribution, convention frozen_norm: what each component's last-token output adds to the reward."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from workers.models.reading import Reading
from workers.models.sites import Sites
from workers.refusals import RefusalError

COMPLETENESS = 1e-5


def contributions(sites: Sites, reading: Reading) -> dict[str, Tensor]:
    """Contributions (B,) in float64 by component: embed, attn_L0, mlp_L0, …, and norm_bias where the norm shifts.

    Each last-token output is scaled by the final norm's own scale for that input, held fixed, and by its gain, and
    projected on the readout w_r; under LayerNorm every term is mean-centred. They sum to the reward without the
    head's bias. Raises `RefusalError` ("attribution_incomplete") when for any text they miss it by more than 1e-5
    of the sum of their magnitudes.
    """
    parts = {"embed": reading.embedding} | {name: output[:, -1] for name, output in reading.outputs.items()}
    direction, scale = _frozen_norm(sites, reading.stream)
    terms = {name: (_centred(sites.norm, part.double()) * direction).sum(-1) * scale for name, part in parts.items()}
    shift = getattr(sites.norm, "bias", None)
    if shift is not None:
        terms["norm_bias"] = (shift.detach().double() @ sites.direction.detach().double()).expand_as(reading.scores)
    _check_complete(sites, reading, terms)
    return terms


def _frozen_norm(sites: Sites, stream: Tensor) -> tuple[Tensor, Tensor]:
    """The direction (D,), gain times w_r, and the scale (B,) that the final norm gives each stream (B, D)."""
    epsilon = _epsilon(sites.norm)
    centred = _centred(sites.norm, stream.double())
    scale = torch.rsqrt(centred.square().mean(-1) + epsilon)
    return _gain(sites.norm) * sites.direction.detach().double(), scale


def _gain(norm: nn.Module) -> Tensor:
    """(D,); Gemma's RMSNorm stores its gain less one."""
    weight: Tensor = norm.get_parameter("weight").detach().double()
    return weight + 1 if type(norm).__name__.startswith("Gemma") else weight


def _epsilon(norm: nn.Module) -> float:
    return float(next(getattr(norm, name) for name in ("eps", "variance_epsilon") if hasattr(norm, name)))


def _centred(norm: nn.Module, value: Tensor) -> Tensor:
    return value - value.mean(-1, keepdim=True) if isinstance(norm, nn.LayerNorm) else value


def _check_complete(sites: Sites, reading: Reading, terms: dict[str, Tensor]) -> None:
    bias = 0.0 if sites.bias is None else float(sites.bias.detach())
    stacked = torch.stack(list(terms.values()))
    missing, magnitude = (stacked.sum(0) + bias - reading.scores.double()).abs(), stacked.abs().sum(0)
    if bool((missing > COMPLETENESS * magnitude).any()):
        raise RefusalError(
            "attribution_incomplete",
            f"The components' contributions, {float(magnitude.max()):.3g} in magnitude, miss the reward by up to "
            f"{float(missing.max()):.1e}.",
            "The model adds to its residual stream in a way this instrument does not know: measure another model.",
        )
