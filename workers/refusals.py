"""An instrument's typed answer that it cannot measure this."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Reason(NamedTuple):
    """When a refusal has this reason, and what is generally done about it."""

    when: str
    remedy: str


ANOTHER = "Choose another checkpoint."
LEAVE_OUT = "Leave the pair out of the dataset, or choose another model."

REASONS: Mapping[str, Reason] = MappingProxyType(
    {
        # Where the checkpoint is
        "no_model_root": Reason(
            "The worker is told of no directory in which models lie.",
            "Set ANTEDATE_MODEL_ROOT in the worker's environment.",
        ),
        "unusable_model": Reason(
            "The directory is not one under the model root, or a file in it is a link that leads out.",
            "Put the checkpoint's own files into a directory under the model root.",
        ),
        "not_downloaded": Reason(
            "The Hugging Face cache does not hold this revision, and the worker may not, or cannot, download it.",
            "Run the command that the refusal gives, on the worker's machine and as its user.",
        ),
        # What the checkpoint is
        "pickled_weights": Reason(
            "The weights are pickled (pytorch_model.bin and its kind): reading them would run code.",
            "Save them as safetensors: model.save_pretrained(directory, safe_serialization=True).",
        ),
        "remote_code": Reason(
            "The configuration names code of the checkpoint's own (auto_map), which is never run.",
            "Choose a checkpoint of a family that transformers itself implements.",
        ),
        "unsupported_weights": Reason(
            "The weights are quantised, in 8-bit floats, or an adapter to a model that is elsewhere.",
            "Save the model whole, in float32, bfloat16 or float16; merge an adapter into its base first.",
        ),
        "damaged_weights": Reason(
            "A safetensors file is not as long as its header says, its index names a file that is not there or not "
            "in the directory, or the configuration describes more weights than there are.",
            "Fetch or save the checkpoint again, whole.",
        ),
        "unreadable_checkpoint": Reason(
            "The directory does not load as a sequence classifier from safetensors alone.",
            "Give a directory that AutoModelForSequenceClassification loads.",
        ),
        "incomplete_checkpoint": Reason(
            "A weight would be newly initialised, or one in the checkpoint would go unused.",
            "Give a checkpoint saved as a sequence classifier, its head included.",
        ),
        "slow_tokenizer": Reason(
            "The tokenizer does not say which part of a text each token is of.",
            "Give a checkpoint whose tokenizer has a fast form (tokenizer.json).",
        ),
        "other_tokenizer": Reason(
            "The tokenizer gives tokens that the model has no embedding of: it is another model's.",
            "Restore the tokenizer that the model was trained with.",
        ),
        "unsupported_model": Reason(
            "Where this kind of model adds to its residual stream is not known.",
            "Choose a checkpoint of a family that is (docs/subjects.md).",
        ),
        "lacks_capability": Reason(
            "The instrument needs something of the model that it does not offer.",
            "Use an instrument whose needs the model meets: /instruments lists them.",
        ),
        "no_linear_readout": Reason(
            "The model's head is not a linear layer.",
            "Choose a reward model whose score is a linear readout of the last hidden state.",
        ),
        "several_outputs": Reason(
            "The head has several outputs and the registration names none.",
            "Name the one that is the reward: subject.model.readout.",
        ),
        "no_such_output": Reason("The head has no output of the number named.", "Count from 0."),
        "conformance": Reason(
            "The model fails a check of the gate that every checkpoint passes when it is loaded.",
            "Choose another checkpoint, or report the family that fails.",
        ),
        # The measurement
        "not_finite": Reason("A weight, a component or a score is NaN or infinite.", ANOTHER),
        "attribution_incomplete": Reason(
            "The components' contributions do not add up to the reward.",
            "Measure another model, or one in float32.",
        ),
        # A pair, as this model's tokenizer writes it
        "empty_response": Reason("A response has no text, or no token of its own.", LEAVE_OUT),
        "identical_pair": Reason("Chosen and rejected are the same tokens.", LEAVE_OUT),
        "no_overlap": Reason("Chosen and rejected do not share their first token.", LEAVE_OUT),
        "text_too_long": Reason("A text is longer than the model's context; nothing is ever cut.", LEAVE_OUT),
        "no_chat_template": Reason(
            "The prompt is a dialogue and the tokenizer has no chat template.",
            "Write prompts as text, or choose a model that has a template.",
        ),
        "chat_template": Reason(
            "The chat template does not take the dialogue, or takes more time, memory or text than it may.", LEAVE_OUT
        ),
        "text_altered": Reason("The chat template leaves out or changes what a turn says.", LEAVE_OUT),
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
