"""What is asked of a checkpoint's files before any library reads them: the files of a stranger."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from workers import free_memory
from workers.refusals import RefusalError

PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.pickle", "*.ckpt", "*.msgpack", "*.h5")
FLOATS = frozenset({"F64", "F32", "F16", "BF16"})
INDEX = "model.safetensors.index.json"
CONFIG = "config.json"
MIB = 1 << 20
# In bytes; several times what the largest of known models have.
LARGEST = {
    CONFIG: MIB,
    "tokenizer_config.json": 8 * MIB,
    "chat_template.jinja": MIB // 4,
    INDEX: 32 * MIB,
    "tokenizer.json": 128 * MIB,
}


@dataclass(frozen=True)
class Held:
    """How many tensors the weights are by their headers, and of how many numbers."""

    tensors: int
    numbers: int


def admit(directory: Path, bounds: Path | None) -> Held:
    """What the weights hold. Raises `RefusalError` for what must not be read, or cannot, and `InsufficientMemoryError`.

    With `bounds`, every file must be of that directory once symbolic links are followed.
    """
    _refuse_links(directory, bounds)
    _refuse_sizes(directory)
    config = _json_object(directory / CONFIG)
    _refuse_code(directory, config)
    _refuse_unusual(directory, config)
    files = sorted(directory.glob("*.safetensors"))
    if not files:
        raise _no_safetensors(directory)
    _refuse_index(directory)
    free_memory.require(files, 0)
    sizes = [size for file in files for size in _sizes(file)]
    return Held(len(sizes), sum(sizes))


def _refuse_links(directory: Path, bounds: Path | None) -> None:
    for file in sorted(directory.iterdir()):
        if not file.is_file() and not file.is_dir():
            raise _unreadable(directory, f"{file.name} is neither a file nor a directory, or leads nowhere")
        if bounds is not None and not file.resolve().is_relative_to(bounds.resolve()):
            raise RefusalError(
                "unusable_model",
                f"{file.name} in {directory.name!r} is a link that leads out.",
                "Put the file itself into the checkpoint's directory.",
            )


def _refuse_sizes(directory: Path) -> None:
    for name, largest in LARGEST.items():
        file = directory / name
        size = file.stat().st_size if file.is_file() else 0
        if size > largest:
            raise _unreadable(directory, f"{name} has {size:,} bytes, more than the {largest:,} that are read")


def _json_object(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except OSError as error:
        raise _unreadable(file.parent, f"{file.name} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise _unreadable(file.parent, f"{file.name} is not JSON ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise _unreadable(file.parent, f"{file.name} is not a JSON object")
    return found


def _refuse_code(directory: Path, config: dict[str, Any]) -> None:
    of_tokenizer = directory / "tokenizer_config.json"
    configs = {CONFIG: config, **({of_tokenizer.name: _json_object(of_tokenizer)} if of_tokenizer.is_file() else {})}
    for name, found in configs.items():
        if found.get("auto_map"):
            raise RefusalError(
                "remote_code",
                f"{name} of {directory.name!r} names code of the checkpoint's own under auto_map, which is never run.",
                "Choose a checkpoint of a family that transformers itself implements, without an auto_map.",
            )


def _refuse_unusual(directory: Path, config: dict[str, Any]) -> None:
    if config.get("quantization_config") is not None:
        raise _unsupported(directory, "its weights are quantised", "Save the model dequantised.")
    if (directory / "adapter_config.json").exists():
        remedy = "Merge it into its base (merge_and_unload), and save the whole model."
        raise _unsupported(directory, "it is an adapter to another model", remedy)


def _no_safetensors(directory: Path) -> RefusalError:
    pickles = sorted(file.name for pattern in PICKLES for file in directory.glob(pattern))
    if not pickles:
        return _unreadable(directory, "it holds no *.safetensors file")
    return RefusalError(
        "pickled_weights",
        f"The weights of {directory.name!r} are in {pickles[0]}, and no *.safetensors file is there: reading them "
        "would run whatever code they hold.",
        "Where you trust them, load them and save them as safetensors: "
        "model.save_pretrained(directory, safe_serialization=True).",
    )


def _refuse_index(directory: Path) -> None:
    """An index may name files of its own directory alone, and must find what it names in them."""
    if not (directory / INDEX).is_file() or (directory / "model.safetensors").is_file():
        return
    weight_map = _json_object(directory / INDEX).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise _damaged(directory, f"{INDEX} has no weight_map from weights to files")
    for name in sorted(set(weight_map.values())):
        if Path(name).name != name or "\\" in name or "\0" in name:
            raise _damaged(directory, f"{INDEX} names {name!r}, which is not a file of the directory")
        if not (directory / name).is_file():
            raise _damaged(directory, f"the file {name} that {INDEX} names is not there")


def _sizes(file: Path) -> list[int]:
    try:
        return [prod(shape) for shape in _shapes(file)]
    except (SafetensorError, OSError) as error:
        raise _damaged(file.parent, f"{file.name} is no whole safetensors file ({error})") from error


def _shapes(file: Path) -> Iterator[Iterable[int]]:
    """Read from the header alone, which the library holds against the length of the file."""
    with safe_open(file, framework="pt") as opened:
        for name in opened.keys():  # noqa: SIM118 - it is no mapping
            found = opened.get_slice(name)
            if name.endswith(".weight") and found.get_dtype() not in FLOATS:
                what = f"its weight {name} is of the type {found.get_dtype()}"
                raise _unsupported(file.parent, what, "Save the model in float32, bfloat16 or float16.")
            yield found.get_shape()


def _unsupported(directory: Path, what: str, remedy: str) -> RefusalError:
    return RefusalError("unsupported_weights", f"The checkpoint {directory.name!r} cannot be measured: {what}.", remedy)


def _damaged(directory: Path, what: str) -> RefusalError:
    detail = f"The checkpoint {directory.name!r} is not whole: {what}."
    return RefusalError("damaged_weights", detail, "Fetch or save the checkpoint again.")


def _unreadable(directory: Path, what: str) -> RefusalError:
    detail = f"The checkpoint {directory.name!r} cannot be loaded: {what}."
    remedy = "Give a directory that AutoModelForSequenceClassification loads from safetensors without remote code."
    return RefusalError("unreadable_checkpoint", detail, remedy)
