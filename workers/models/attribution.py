"""Direct linear attribution: what each component's last-token output adds to the reward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from workers.models.anatomy import Anatomy, Block
from workers.models.forward import Layer, Trace
from workers.models.patching import Granularity
from workers.refusals import RefusalError

Convention = Literal["frozen_norm", "raw"]
COMPLETENESS = 1e-5


def contributions(
    anatomy: Anatomy, trace: Trace, convention: Convention = "frozen_norm", granularity: Granularity = "component"
) -> dict[str, Tensor]:
    """Contributions (B,) in float64 by component: embed, attn_L0, mlp_L0, …, and norm_bias where the norm shifts.

    `frozen_norm`: each last-token output is scaled by the final norm's own scale for that input, held fixed, and by
    its gain, and projected on the readout w_r; under LayerNorm every term is mean-centred. They sum to the reward
    without the head's bias. Raises `RefusalError` ("attribution_incomplete") when for any text they miss it by more
    than 1e-5 of the sum of their magnitudes. `raw`: output . w_r, without gain, centring or norm_bias; the sum means
    nothing. At granularity `head` attention is split into head_L0_H0, … and bias_L0, what its output map adds
    whatever the heads say, where there is one; the norm that Gemma applies to it is frozen likewise.
    """
    if convention == "raw":
        direction = anatomy.direction.detach().double()
        return {name: part.double() @ direction for name, part in _parts(anatomy, trace, granularity)}
    terms = under_frozen_norm(anatomy, trace, granularity)
    _check_complete(anatomy, trace, terms)
    return terms


def under_frozen_norm(anatomy: Anatomy, trace: Trace, granularity: Granularity = "component") -> dict[str, Tensor]:
    """`contributions` of that convention, whether or not they add up."""
    direction = anatomy.direction.detach().double()
    frozen = Frozen.at(anatomy.norm, trace.final)
    terms = {name: frozen.scaled(part) @ direction for name, part in _parts(anatomy, trace, granularity)}
    if frozen.shift is not None:
        terms["norm_bias"] = (frozen.shift @ direction).expand(len(trace.scores))
    return terms


@dataclass(frozen=True)
class Frozen:
    """A norm as a linear map: the scale (B, 1) that it has for one input, and its gain (D,), both held fixed."""

    scale: Tensor
    gain: Tensor
    shift: Tensor | None
    centres: bool

    @classmethod
    def at(cls, norm: nn.Module, stream: Tensor) -> Frozen:
        """For the input `stream` (B, D). Gemma's RMSNorm stores its gain less one."""
        centres = isinstance(norm, nn.LayerNorm)
        weight: Tensor = norm.get_parameter("weight").detach().double()
        gain = weight + 1 if type(norm).__name__.startswith("Gemma") else weight
        shift = getattr(norm, "bias", None)
        stream = _centred(stream.double()) if centres else stream.double()
        scale = torch.rsqrt(stream.square().mean(-1, keepdim=True) + _epsilon(norm))
        return cls(scale, gain, None if shift is None else shift.detach().double(), centres)

    def scaled(self, part: Tensor) -> Tensor:
        """What of (B, D) or (B, N, D) comes out of the norm, its shift apart."""
        part = _centred(part.double()) if self.centres else part.double()
        return part * (self.scale if part.dim() == self.scale.dim() else self.scale.unsqueeze(1)) * self.gain


def _epsilon(norm: nn.Module) -> float:
    return float(next(getattr(norm, name) for name in ("eps", "variance_epsilon") if hasattr(norm, name)))


def _centred(value: Tensor) -> Tensor:
    return value - value.mean(-1, keepdim=True)


def _parts(anatomy: Anatomy, trace: Trace, granularity: Granularity) -> Iterator[tuple[str, Tensor]]:
    """What each component added (B, D) to the last token's stream."""
    yield "embed", trace.layers[0].entering[:, -1]
    for index, (block, layer) in enumerate(zip(anatomy.blocks, trace.layers, strict=True)):
        if granularity == "head":
            yield from _heads(index, block, layer)
        else:
            yield f"attn_L{index}", layer.attention[:, -1]
        yield f"mlp_L{index}", layer.mlp[:, -1]


def _heads(index: int, block: Block, layer: Layer) -> Iterator[tuple[str, Tensor]]:
    said = layer.said("heads")[:, -1].double()
    added = torch.einsum("bhd,hdm->bhm", said, block.mix_weight().double())
    bias = block.mix_bias()
    if block.attention_exit is not None:
        frozen = Frozen.at(block.attention_exit, block.mix(layer.heads[:, -1]))
        added, bias = frozen.scaled(added), None if bias is None else frozen.scaled(bias.expand(len(said), -1))
    for head in range(block.heads):
        yield f"head_L{index}_H{head}", added[:, head]
    if bias is not None:
        yield f"bias_L{index}", bias.expand(len(said), -1)


def incompleteness(anatomy: Anatomy, trace: Trace, terms: Mapping[str, Tensor]) -> Tensor:
    """By how much (B,) contributions miss the reward, as a share of the sum of their magnitudes; NaN stays NaN."""
    bias = 0.0 if anatomy.bias is None else float(anatomy.bias.detach())
    stacked = torch.stack(list(terms.values()))
    missing, magnitude = (stacked.sum(0) + bias - trace.scores.double()).abs(), stacked.abs().sum(0)
    return torch.where(magnitude > 0, missing / magnitude, missing)


def _check_complete(anatomy: Anatomy, trace: Trace, terms: Mapping[str, Tensor]) -> None:
    missing = incompleteness(anatomy, trace, terms)
    if not bool((missing <= COMPLETENESS).all()):
        raise RefusalError(
            "attribution_incomplete",
            f"The components' contributions miss the reward by up to {float(missing.max()):.1e} of their magnitudes, "
            f"more than {COMPLETENESS:.0e}.",
            "The model adds to its residual stream in a way this instrument does not know: measure another model.",
        )
