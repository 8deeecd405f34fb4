"""Local Hugging Face checkpoints: safetensors only, no remote code, nothing missing, nothing newly initialised."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from app.ledger.model_files import resolve
from claims.registration.model import CheckpointModel, LocalModel
from claims.weights import weights_sha256
from workers.models.checkpoint import Checkpoint
from workers.models.conformance import conform
from workers.models.families import anatomy_of
from workers.models.text import Writing
from workers.refusals import RefusalError

# sdpa drops Gemma's soft-capping without a word; eager attention honours what the layers hold.
ATTENTION = "eager"
KEPT = 2
Identity = tuple[tuple[str, int, int, int], ...]


def load(model: CheckpointModel, root: Path | None) -> Checkpoint:
    """The checkpoint in float32 on the CPU, kept while its files stay as they are. Raises `RefusalError`."""
    if not isinstance(model, LocalModel):
        raise RefusalError(
            "unsupported_model", f"The subject is of the kind {model.kind!r}.", "Name a local checkpoint directory."
        )
    if root is None:
        raise RefusalError(
            "no_model_root", "This worker has no model root.", "Set ANTEDATE_MODEL_ROOT to the directory of models."
        )
    try:
        directory = resolve(model.directory, root)
    except ValueError as error:
        raise RefusalError(
            "unusable_model", f"{model.directory!r} cannot be used: {error}.", "Restore the directory under the root."
        ) from error
    return load_directory(directory, model.readout)


def load_directory(directory: Path, readout: int | None = None) -> Checkpoint:
    """The checkpoint in any readable directory. Raises `RefusalError`."""
    return _load(directory, _identity(directory), readout)


def _identity(directory: Path) -> Identity:
    stats = [(file.name, file.stat()) for file in sorted(directory.iterdir()) if file.is_file()]
    return tuple((name, stat.st_ino, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


@lru_cache(maxsize=KEPT)
def _load(directory: Path, _identity: Identity, readout: int | None) -> Checkpoint:
    """Whatever a foreign configuration makes a library raise, it is this directory that cannot be used."""
    try:
        return _conforming(directory, readout)
    except (RefusalError, MemoryError):
        raise
    except Exception as error:
        detail = f"The checkpoint {directory.name!r} cannot be loaded: {type(error).__name__}: {error}"
        remedy = "Give a directory that AutoModelForSequenceClassification loads from safetensors without remote code."
        raise RefusalError("unreadable_checkpoint", detail, remedy) from error


def _conforming(directory: Path, readout: int | None) -> Checkpoint:
    sha256 = weights_sha256(directory)
    model, tokenizer = _read(directory)
    anatomy = anatomy_of(model, _output(model, readout))
    writing = Writing(tokenizer, int(model.config.max_position_embeddings))
    conformance = conform(model, anatomy, writing)
    device = next(model.parameters()).device
    return Checkpoint(anatomy, writing, sha256, "float32", device.type, ATTENTION, conformance)


def _read(directory: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    model, info = AutoModelForSequenceClassification.from_pretrained(
        directory,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=torch.float32,
        attn_implementation=ATTENTION,
        output_loading_info=True,
    )
    wrong = {kind: sorted(map(str, info[kind])) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")}
    for kind, keys in wrong.items():
        if keys:
            raise RefusalError(
                "incomplete_checkpoint",
                f"The checkpoint {directory.name!r} has {kind.replace('_', ' ')}: {', '.join(keys[:5])}.",
                "Every weight must come from the checkpoint: give one saved as a sequence classifier, head included.",
            )
    model.eval().requires_grad_(requires_grad=False)
    return model, _tokenizer(directory)


def _tokenizer(directory: Path) -> PreTrainedTokenizerBase:
    tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    if not tokenizer.is_fast:
        raise RefusalError(
            "slow_tokenizer",
            f"The tokenizer of {directory.name!r}, a {type(tokenizer).__name__}, does not say where its tokens lie.",
            "Give a checkpoint whose tokenizer has a fast form (tokenizer.json).",
        )
    return tokenizer


def _output(model: PreTrainedModel, readout: int | None) -> int:
    outputs = int(model.config.num_labels)
    if readout is None and outputs != 1:
        raise RefusalError(
            "several_outputs",
            f"The model's head has {outputs} outputs.",
            "Name the one that is the reward in the registration: subject.model.readout.",
        )
    if readout is not None and readout >= outputs:
        raise RefusalError(
            "no_such_output", f"The model's head has {outputs} outputs, none numbered {readout}.", "Count from 0."
        )
    return readout or 0
