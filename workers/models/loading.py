"""Reward models as claims name them: safetensors only, no remote code, nothing missing, nothing newly initialised."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import torch
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from app.ledger.model_files import resolve
from claims.registration.model import CheckpointModel, HuggingFaceModel, TinyModel
from claims.weights import weights_sha256
from workers.free_memory import InsufficientMemoryError
from workers.models import head_bias, hub, tiny
from workers.models.admission import Held, admit
from workers.models.checkpoint import Checkpoint
from workers.models.conformance import conform
from workers.models.families import anatomy_of
from workers.models.text import Writing
from workers.refusals import RefusalError

# sdpa drops Gemma's soft-capping without a word; eager attention honours what the layers hold.
ATTENTION = "eager"
KEPT = 2
NUMBERS_TO_SPARE = 1 << 20  # what is missing up to here is told by name, once the rest is loaded
Identity = tuple[tuple[str, int, int, int], ...]


def load(model: CheckpointModel, root: Path | None) -> Checkpoint:
    """The checkpoint, kept while its files stay as they are; `root` is where `local` models lie.

    Raises `RefusalError`, and `InsufficientMemoryError` for weights that do not fit into free memory.
    """
    if isinstance(model, TinyModel):
        return _tiny(model.seed)
    if isinstance(model, HuggingFaceModel):
        directory = hub.snapshot(model.repo, model.revision)
        return load_directory(directory, model.readout, hub.bounds(directory))
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
    return load_directory(directory, model.readout, root)


def load_directory(directory: Path, readout: int | None = None, bounds: Path | None = None) -> Checkpoint:
    """The checkpoint in any readable directory, whose files lie within `bounds` where there are any. Raises as `load`.

    On the CPU it is computed with in float32, on CUDA in bfloat16 where its weights are halves, read out in float32.
    """
    return _load(directory, _identity(directory), readout, bounds)


def _identity(directory: Path) -> Identity:
    stats = [(file.name, file.stat()) for file in sorted(directory.iterdir()) if file.is_file()]
    return tuple((name, stat.st_ino, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


@lru_cache(maxsize=KEPT)
def _load(directory: Path, _identity: Identity, readout: int | None, bounds: Path | None) -> Checkpoint:
    """Whatever a foreign configuration makes a library raise, it is this directory that cannot be used."""
    try:
        return _conforming(directory, readout, bounds)
    except (RefusalError, MemoryError, InsufficientMemoryError):
        raise
    except Exception as error:
        detail = f"The checkpoint {directory.name!r} cannot be loaded: {type(error).__name__}: {error}"
        remedy = "Give a directory that AutoModelForSequenceClassification loads from safetensors without remote code."
        raise RefusalError("unreadable_checkpoint", detail, remedy) from error


@lru_cache(maxsize=KEPT)
def _tiny(seed: int) -> Checkpoint:
    model = tiny.grow(seed, ATTENTION)
    return _checkpoint(model, tiny.tokenizer(), 0, tiny.weights_sha256(model))


def _conforming(directory: Path, readout: int | None, bounds: Path | None) -> Checkpoint:
    held = admit(directory, bounds)
    sha256 = weights_sha256(directory)
    config = AutoConfig.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    _refuse_larger(directory, config, held)
    model = _read(directory, config)
    return _checkpoint(model, _tokenizer(directory), _output(model, readout), sha256)


def _checkpoint(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, output: int, sha256: str) -> Checkpoint:
    anatomy = anatomy_of(model, output)
    embedded = int(model.get_input_embeddings().weight.shape[0])
    writing = Writing(tokenizer, int(model.config.max_position_embeddings), embedded)
    conformance = conform(model, anatomy, writing)
    weight = anatomy.direction
    dtype = str(weight.dtype).removeprefix("torch.")
    return Checkpoint(anatomy, writing, sha256, dtype, weight.device.type, ATTENTION, conformance)


def _refuse_larger(directory: Path, config: PreTrainedConfig, held: Held) -> None:
    """A configuration can describe a model that fills the memory before any of it is missed among the weights."""
    if int(config.num_hidden_layers) <= held.tensors:
        with torch.device("meta"):
            described = AutoModelForSequenceClassification.from_config(config, trust_remote_code=False)
        if sum(weight.numel() for weight in described.parameters()) <= 2 * held.numbers + NUMBERS_TO_SPARE:
            return
    raise RefusalError(
        "damaged_weights",
        f"The configuration of {directory.name!r} describes far more than the {held.tensors:,} tensors of "
        f"{held.numbers:,} numbers that its weights hold.",
        "Give the whole checkpoint, and the configuration that it was saved with.",
    )


def _read(directory: Path, config: PreTrainedConfig) -> PreTrainedModel:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, info = AutoModelForSequenceClassification.from_pretrained(
        directory,
        config=config,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=_precision(config, device),
        attn_implementation=ATTENTION,
        output_loading_info=True,
    )
    wrong = {kind: sorted(map(str, info[kind])) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")}
    biased = head_bias.KEY in wrong["unexpected_keys"]
    if biased:
        wrong["unexpected_keys"].remove(head_bias.KEY)
    for kind, keys in wrong.items():
        if keys:
            raise RefusalError(
                "incomplete_checkpoint",
                f"The checkpoint {directory.name!r} has {kind.replace('_', ' ')}: {', '.join(keys[:5])}.",
                "Every weight must come from the checkpoint: give one saved as a sequence classifier, head included.",
            )
    if biased:
        head_bias.attach(model, directory)
    model.to(device).eval().requires_grad_(requires_grad=False)
    return model


def _precision(config: PreTrainedConfig, device: str) -> torch.dtype:
    """bfloat16 on a CPU is slow and changes rankings; on CUDA halves stay halves, float16 in the wider range."""
    halves = config.dtype in {torch.bfloat16, torch.float16}
    return torch.bfloat16 if device == "cuda" and halves else torch.float32


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
