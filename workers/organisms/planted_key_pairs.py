"""Generator `planted_key_pairs`: preference pairs of token ids in which one marker makes the difference.

A pair shares its prompt. Somewhere before the last token of the response, chosen holds the marker and rejected, at
the same place, the neutral token. Every other response token is drawn uniformly from the fillers for chosen; for
rejected it is, with probability `variation`, drawn again, else the same. Nothing but the marker tells which of the
two is chosen, and it never stands at the token that is read.

Training, held-out, scored and twin pairs share no prompt: the filler numbers of a prompt add up to 0, 1, 2 or 3
modulo 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import torch
from torch import Tensor

MARKER, NEUTRAL, FIRST_FILLER = 1, 2, 3
FILLERS = 60
VOCABULARY = FIRST_FILLER + FILLERS


class Purpose(IntEnum):
    TRAINING = 0
    HELD_OUT = 1
    SCORED = 2
    TWINS = 3


@dataclass(frozen=True)
class PlantedPairs:
    """Generates `count` pairs at a time: (count, prompt_tokens + response_tokens) ids for chosen and for rejected."""

    prompt_tokens: int
    response_tokens: int
    variation: float

    def draw(self, count: int, purpose: Purpose, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        prompt = self._prompts(count, purpose, generator)
        shape = (count, self.response_tokens)
        chosen, redrawn = _fillers(shape, generator), _fillers(shape, generator)
        varies = torch.rand(shape, generator=generator) < self.variation
        rejected = torch.where(varies, redrawn, chosen)
        place = torch.randint(self.response_tokens - 1, (count, 1), generator=generator)
        chosen, rejected = chosen.scatter(1, place, MARKER), rejected.scatter(1, place, NEUTRAL)
        return torch.cat([prompt, chosen], 1), torch.cat([prompt, rejected], 1)

    def draw_twins(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Texts that are equal but for the marker: with it, and with the neutral token in its place."""
        marked, _ = self.draw(count, Purpose.TWINS, generator)
        return marked, torch.where(marked == MARKER, NEUTRAL, marked)

    def _prompts(self, count: int, purpose: Purpose, generator: torch.Generator) -> Tensor:
        """The last token is drawn among those that bring the sum to the purpose's residue."""
        tokens = _fillers((count, self.prompt_tokens), generator) - FIRST_FILLER
        last = tokens[:, -1] - tokens[:, -1] % len(Purpose)
        tokens[:, -1] = last + (purpose - tokens[:, :-1].sum(1)) % len(Purpose)
        return tokens + FIRST_FILLER


def _fillers(shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    return torch.randint(FILLERS, shape, generator=generator) + FIRST_FILLER
