"""What a reward model is made of, whatever its family: blocks that read a residual stream and add to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

Rotation = tuple[Tensor, Tensor]
Rotations = Callable[[Tensor, Tensor], Mapping[str, Rotation]]
Projected = tuple[Tensor, Tensor, Tensor]
Project = Callable[[Tensor, Tensor | None], Projected]


@dataclass(frozen=True)
class Block:
    """One layer, whose sublayers read the residual stream (…, D) and return what is added to it.

    `project` gives queries (…, H, d), at the slots that are asked for, and keys and values (…, G, d) of the stream as
    `attention_norm` leaves it, before any rotation: H query heads, G groups that share keys and values. `scale`
    multiplies attention's logits, `softcap` bounds them where it is not None; `window` is how many tokens a position
    sees, itself included, None for the whole past. `mix` maps the heads' joined outputs (…, H d) to D.
    `attention_exit` and `mlp_exit` are the norms that Gemma applies to what it adds. In a `parallel` layer the MLP
    reads the stream that attention read, in any other the stream that attention has written to. `rotary` names the
    model's rotation that applies.
    """

    heads: int
    scale: float
    softcap: float | None
    window: int | None
    project: Project
    attention_norm: nn.Module
    mix: nn.Module
    mlp_norm: nn.Module
    mlp: Callable[[Tensor], Tensor]
    attention_exit: nn.Module | None = None
    mlp_exit: nn.Module | None = None
    parallel: bool = False
    rotary: str = ""

    def queries(self, stream: Tensor, slots: Tensor | None = None) -> Projected:
        """Queries of a stream (…, S, D) at the slots (A,), all without; keys and values at every one."""
        return self.project(self.attention_norm(stream), slots)

    def attended(self, mixed: Tensor) -> Tensor:
        """What attention adds (…, D), given the heads' outputs once `mix` has mapped them."""
        return mixed if self.attention_exit is None else self.attention_exit(mixed)

    def fed_forward(self, stream: Tensor) -> Tensor:
        """What the MLP adds (…, D) to the stream that it reads."""
        added = self.mlp(self.mlp_norm(stream))
        return added if self.mlp_exit is None else self.mlp_exit(added)

    def mix_weight(self) -> Tensor:
        """`mix`, head by head: (H, d, D)."""
        weight: Tensor = self.mix.get_parameter("weight").detach()
        into = weight if isinstance(self.mix, Conv1D) else weight.T
        return into.reshape(self.heads, -1, into.shape[1])

    def mix_bias(self) -> Tensor | None:
        """(D,), what `mix` adds whatever the heads say; None where it adds nothing."""
        bias: Tensor | None = getattr(self.mix, "bias", None)
        return None if bias is None else bias.detach()


@dataclass(frozen=True)
class Anatomy:
    """One reward model: `r = readout(norm(h))` for the residual stream h after the last block, at the last token.

    `embed` gives the stream (B, S, D) that enters the first block, for ids (B, S) at positions (S,); `rotations`
    the cosines and sines (S, r) by name, in a stream's precision, for positions (S,). `components` are `attn_L0`,
    `mlp_L0`, `attn_L1`, …: the modules whose output (the first of a tuple) is what is added; `backbone` is the model's
    own forward, up to and with the final norm.
    """

    backbone: nn.Module
    embed: Callable[[Tensor, Tensor], Tensor]
    rotations: Rotations
    blocks: tuple[Block, ...]
    components: dict[str, nn.Module]
    layers: tuple[nn.Module, ...]
    norm: nn.Module
    readout: nn.Linear
    output: int

    @property
    def direction(self) -> Tensor:
        """w_r (D,), the readout's row for the output that is the reward."""
        return self.readout.weight[self.output]

    @property
    def bias(self) -> Tensor | None:
        return None if self.readout.bias is None else self.readout.bias[self.output]

    @property
    def heads(self) -> tuple[str, ...]:
        """`head_L0_H0`, …: the query heads in order of layer and number."""
        return tuple(f"head_L{k}_H{h}" for k, block in enumerate(self.blocks) for h in range(block.heads))

    @property
    def windows(self) -> tuple[int | None, ...]:
        return tuple(block.window for block in self.blocks)

    def reward(self, stream: Tensor) -> Tensor:
        """The rewards (…,) of last-token streams (…, D) as the last block leaves them."""
        return self.read_out(self.norm(stream))

    def read_out(self, hidden: Tensor) -> Tensor:
        """The rewards (…,) of final hidden states (…, D), accumulated in float32 whatever the weights' precision."""
        rewards = hidden.float() @ self.direction.float()
        return rewards if self.bias is None else rewards + self.bias.float()
