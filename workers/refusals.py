"""An instrument's typed answer that it cannot measure this."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

REASONS: Mapping[str, str] = MappingProxyType(
    {
        # The checkpoint
        "no_model_root": "The worker is told of no directory in which models lie.",
        "unusable_model": "The directory is not one under the model root.",
        "unreadable_checkpoint": "The directory does not load as a sequence classifier from safetensors alone.",
        "slow_tokenizer": "The tokenizer does not say which part of a text each token is of.",
        "incomplete_checkpoint": "A weight would be newly initialised, or one in the checkpoint would go unused.",
        "unsupported_model": "Where this kind of model adds to its residual stream is not known.",
        "no_linear_readout": "The model's head is not a linear layer.",
        "several_outputs": "The head has several outputs and the registration names none.",
        "no_such_output": "The head has no output of the number named.",
        "conformance": "The model fails a check of the gate that every checkpoint passes when it is loaded.",
        # The measurement
        "not_finite": "A component or a score is NaN or infinite.",
        "attribution_incomplete": "The components' contributions do not add up to the reward.",
        # A pair, as this model's tokenizer writes it
        "identical_pair": "Chosen and rejected are the same tokens.",
        "no_overlap": "Chosen and rejected do not share their first token.",
        "text_too_long": "A text is longer than the model's context.",
        "no_chat_template": "The prompt is a dialogue and the tokenizer has no chat template.",
        "chat_template": "The chat template does not take the dialogue.",
    }
)


class RefusalError(Exception):
    """Raised where a measurement cannot be made; it becomes `refused` on the ledger, never a result.

    `reason` is a word of REASONS, `detail` says what is wrong and where, `remedy` what to do about it.
    """

    def __init__(self, reason: str, detail: str, remedy: str) -> None:
        if reason not in REASONS:
            raise ValueError(f"{reason} is no reason of the list")
        super().__init__(f"{reason}: {detail} {remedy}")
        self.reason = reason
        self.detail = detail
        self.remedy = remedy
