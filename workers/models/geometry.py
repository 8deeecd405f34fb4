"""Which token sees which, and how far each is turned: worked out once for all layers of a pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from workers.models.anatomy import Anatomy, Block, Rotation


@dataclass(frozen=True)
class Geometry:
    """S queries at positions `at` (S,) and the K keys that a layer without a window lets them see.

    `distance` (S, K) is how far back a key lies, negative for what comes later or stands in another text; `rotations`
    are those of the queries by name.
    """

    at: Tensor
    distance: Tensor
    rotations: Mapping[str, Rotation]
    _masks: dict[tuple[int | None, int], Tensor] = field(default_factory=dict)

    @classmethod
    def of(cls, anatomy: Anatomy, at: Tensor, before: Tensor, branch: Tensor | None = None) -> Geometry:
        """Tokens at positions `at` that see those at positions `before` (P,), and one another from behind.

        `branch` (S,) says which text each is of: a token of text 0 is the beginning of every other.
        """
        keys = torch.cat([before, at])
        distance = at.unsqueeze(1) - keys.unsqueeze(0)
        if branch is not None:
            beside = (branch.unsqueeze(1) != branch.unsqueeze(0)) & (branch.unsqueeze(0) != 0)
            distance[:, len(before) :].masked_fill_(beside, -1)
        return cls(at, distance, anatomy.rotations(anatomy.direction, at))

    def asking(self, slots: Tensor) -> Geometry:
        """The queries of these slots alone."""
        turned = {name: (cos[slots], sin[slots]) for name, (cos, sin) in self.rotations.items()}
        return Geometry(self.at[slots], self.distance[slots], turned)

    def mask(self, block: Block, shared: int, like: Tensor) -> Tensor:
        """What is added to the logits of `shared` queries at each position: (S shared, K), 0 or minus infinity."""
        found = self._masks.get((block.window, shared))
        if found is None:
            unseen = self.distance < 0
            if block.window is not None:
                unseen = unseen | (self.distance >= block.window)
            zeros = torch.zeros(unseen.shape, dtype=like.dtype, device=like.device)
            found = zeros.masked_fill(unseen, float("-inf")).repeat_interleave(shared, 0)
            self._masks[block.window, shared] = found
        return found

    def turned(self, block: Block, value: Tensor) -> Tensor:
        """Queries or keys (…, S, N, d), turned by this block's rotation in the dimensions that it turns.

        RoFormer's rotation (Su et al. 2021) in the layout that all families here share: dimension i goes with i + r/2.
        """
        rotation = self.rotations.get(block.rotary)
        if rotation is None:
            return value
        cos, sin = (part.unsqueeze(1) for part in rotation)
        width = cos.shape[-1]
        half, first, second = width // 2, value[..., : width // 2], value[..., width // 2 : width]
        turned = value[..., :width] * cos
        turned[..., :half].addcmul_(second, sin[..., :half], value=-1)
        turned[..., half:].addcmul_(first, sin[..., half:])
        return torch.cat([turned, value[..., width:]], dim=-1) if value.shape[-1] > width else turned
