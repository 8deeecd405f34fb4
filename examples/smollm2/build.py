"""`python -m examples.smollm2.build`: the reward model under the model root, trained unless it is there already."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
import typer
from scipy.stats import binomtest

from app.settings import SettingsError
from claims.pairs import Pair, Pairs
from claims.weights import weights_sha256
from examples.smollm2.model_root import DIRECTORY, model_root
from examples.smollm2.preferences import HERE, read_folder, split
from examples.smollm2.progress import Progress
from examples.smollm2.train import RECIPE, preferred_rightly, train
from examples.smollm2.trunk import GGUF_SHA256, TrunkError, load_trunk
from workers.models.loading import load_directory
from workers.models.text import Writing
from workers.refusals import RefusalError

RECORD = "training.json"
CODE = ("trunk.py", "preferences.py", "readout.py", "tuning.py", "train.py", "chat_template.jinja")


def build(directory: Path, pairs: Pairs) -> dict[str, Any]:
    """The record of the model's training; trains it where the directory does not hold this very recipe's weights.

    Raises `TrunkError`, or `RefusalError` where the worker would refuse the model.
    """
    recipe = _recipe_sha256(pairs)
    known = _known(directory, recipe)
    if known is not None:
        return known
    draft = directory.with_name(f".{directory.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    record = {"recipe_sha256": recipe, **_train(draft, pairs)}
    record["conformance"] = load_directory(draft).conformance
    record["weights_sha256"] = weights_sha256(draft)
    (draft / RECORD).write_text(json.dumps(record, indent=2) + "\n")
    shutil.rmtree(directory, ignore_errors=True)
    draft.rename(directory)
    return record


def _recipe_sha256(pairs: Pairs) -> str:
    """Of the code that trains, what it trains on and what it starts from."""
    code = [hashlib.sha256((HERE / name).read_bytes()).hexdigest() for name in CODE]
    return hashlib.sha256("\n".join([*code, pairs.sha256, GGUF_SHA256]).encode()).hexdigest()


def _known(directory: Path, recipe: str) -> dict[str, Any] | None:
    try:
        record: dict[str, Any] = json.loads((directory / RECORD).read_text())
        whole = record["recipe_sha256"] == recipe and record["weights_sha256"] == weights_sha256(directory)
    except (OSError, ValueError, KeyError):
        return None
    return record if whole else None


def _train(directory: Path, pairs: Pairs) -> dict[str, Any]:
    """The held-out pairs are looked at once, when everything has been decided."""
    told = Progress()
    parts = split(pairs.rows)
    model, tokenizer = load_trunk()
    tokenizer.chat_template = (HERE / "chat_template.jinja").read_text()
    writing = Writing(tokenizer, int(model.config.max_position_embeddings))
    fitted = train(model, writing, parts.training, RECIPE, told)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    rightly = preferred_rightly(model, writing, parts.held_out, told)
    return {
        "recipe": vars(RECIPE),
        "penalty": fitted.penalty,
        "cross_validated_readout": fitted.left_out,
        "training_pairs": len(parts.training),
        "held_out": _accuracies(parts.held_out, rightly),
        "versions": {name: version(name) for name in ("torch", "transformers", "gguf")},
    }


def _accuracies(pairs: Sequence[Pair], rightly: Sequence[bool]) -> dict[str, dict[str, Any]]:
    """Over all, and in each dimension."""
    of: dict[str, list[bool]] = {"all": list(rightly)}
    for pair, right in zip(pairs, rightly, strict=True):
        of.setdefault(pair.dimension, []).append(right)
    return {name: _accuracy(found) for name, found in of.items()}


def _accuracy(rightly: Sequence[bool]) -> dict[str, Any]:
    """With Wilson's interval (1927), 95 %: pairs are independently written, so each counts as one."""
    interval = binomtest(sum(rightly), len(rightly)).proportion_ci(0.95, method="wilson")
    return {
        "pairs": len(rightly),
        "rightly": sum(rightly),
        "accuracy": sum(rightly) / len(rightly),
        "lo": float(interval.low),
        "hi": float(interval.high),
    }


def _show(directory: Path, record: Mapping[str, Any]) -> None:
    for name, found in record["held_out"].items():
        lo, hi, count = found["lo"], found["hi"], f"{found['rightly']} of {found['pairs']}"
        typer.echo(f"held out, {name:<22} {found['accuracy']:.3f} [{lo:.3f}, {hi:.3f}] {count}")
    typer.echo(f"weights: sha256:{record['weights_sha256']}")
    typer.echo(f"model: {directory}")


def main() -> None:
    """With one thread for each core, unless OMP_NUM_THREADS says otherwise."""
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(len(os.sched_getaffinity(0)))
    try:
        directory = model_root() / DIRECTORY
        _show(directory, build(directory, read_folder(HERE / "pairs")))
    except (SettingsError, TrunkError, RefusalError) as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
