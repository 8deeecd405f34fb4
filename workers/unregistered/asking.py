"""From the options of `antedate measure` to what is measured; whatever is wrong is told before anything is."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claims.canonical import sha256_hex
from claims.diagnostic import diagnostic
from claims.instruments import catalogue
from claims.instruments.manifest import Manifest
from claims.pairs import Pairs, read_pairs
from claims.registration.unregistered import Unregistered, unregistered
from claims.strict_json import read
from claims.weights import weights_sha256
from workers import free_memory
from workers.free_memory import InsufficientMemoryError
from workers.unregistered.refusing import flawed, put_together, read_from

NONCE_BYTES = 32
SHIPPED = "diagnostic"
EVERYWHERE = Path("/")  # the model root binds filed claims only


@dataclass(frozen=True)
class Options:
    """As they were given; None or empty for what was not."""

    instrument: str
    model: str
    pairs: str | None
    dimensions: Sequence[str]
    params: str
    recipe: str | None
    readout: int | None
    sizes: Sequence[str]
    confidence: float
    interval: str | None
    resamples: int | None
    seed: str | None


@dataclass(frozen=True)
class Question:
    """What is to be measured, on which pairs (None for a generated dataset), with seeds from which nonce."""

    registration: Unregistered
    pairs: Pairs | None
    nonce: bytes


def question(options: Options) -> Question:
    """Raises `BadOptionsError` with the flaws of what was asked; no model is read but to hash its weights."""
    manifest = _manifest(options.instrument)
    nonce = _nonce(options.seed)
    params, pairs = _object("--params", options.params), _pairs(options, manifest)
    subject = {"model": _model(options), "dataset": _dataset(options, manifest, pairs)}
    chosen = {"interval": options.interval, "resamples": options.resamples}
    analysis = {
        "confidence": options.confidence,
        **{name: value for name, value in chosen.items() if value is not None},
    }
    sizes = _sizes(options, subject["dataset"], pairs)
    with put_together():
        return Question(unregistered(manifest, params, subject, sizes, analysis), pairs, nonce)


def _manifest(name: str) -> Manifest:
    known = catalogue()
    if name not in known:
        remedy = f"Use one of {', '.join(sorted(known))}."
        raise flawed("--instrument", f"there is no instrument {name!r}", remedy)
    return known[name].MANIFEST


def _nonce(seed: str | None) -> bytes:
    if seed is None:
        return secrets.token_bytes(NONCE_BYTES)
    if len(seed) != 2 * NONCE_BYTES or set(seed) - set("0123456789abcdef"):
        detail = f"{seed!r} is not 32 bytes in lower-case hex"
        raise flawed("--seed", detail, "Give 64 of 0-9 and a-f, such as an earlier measurement printed.")
    return bytes.fromhex(seed)


def _object(option: str, text: str) -> dict[str, Any]:
    with read_from(option):
        value = read(text.encode("utf-8", "surrogateescape"))
    if not isinstance(value, dict):
        raise flawed(option, "it is not a JSON object", 'Write one, such as {"rank_by": "signed"}.')
    return value


def _pairs(options: Options, manifest: Manifest) -> Pairs | None:
    takes = "pairs" in manifest.dataset_kinds
    if options.pairs is None and takes:
        raise flawed("--pairs", f"{manifest.name} measures preference pairs", "Name a file of them.")
    if options.pairs is None:
        return None
    if not takes:
        raise flawed("--pairs", f"{manifest.name} makes its own data", "Leave it out.")
    if options.pairs == SHIPPED:
        return diagnostic()
    try:
        body = Path(options.pairs).read_bytes()
    except OSError as error:
        detail = f"{options.pairs!r} cannot be read: {error.strerror or error}"
        raise flawed("--pairs", detail, "Name a readable file of JSON lines.") from error
    with read_from("--pairs"):
        return read_pairs(body)


def _dataset(options: Options, manifest: Manifest, pairs: Pairs | None) -> dict[str, Any]:
    if pairs is None or options.pairs is None:
        if options.dimensions:
            detail = f"{manifest.name} makes its own data, which has no dimensions"
            raise flawed("--dimension", detail, "Leave it out.")
        return {"kind": "generated", "generator": next(iter(manifest.generators), "none")}
    unknown = [name for name in options.dimensions if name not in pairs.dimensions]
    if unknown:
        remedy = f"They have: {', '.join(pairs.dimensions)}."
        raise flawed("--dimension", f"the pairs have no dimension {unknown[0]!r}", remedy)
    chosen = sorted(set(options.dimensions)) or list(pairs.dimensions)
    return {"kind": "pairs", "name": Path(options.pairs).name, "sha256": pairs.sha256, "dimensions": chosen}


def _sizes(options: Options, dataset: Mapping[str, Any], pairs: Pairs | None) -> dict[str, int]:
    """Of pairs, all that the dimensions hold; of what is generated, as many as are asked for."""
    given = [size.partition("=")[::2] for size in options.sizes]
    for name, number in given:
        if not (number.isascii() and number.isdecimal()):
            remedy = "Write a name and a whole number, such as organisms=8."
            raise flawed("--size", f"{name}={number} is no size", remedy)
    if repeated := [name for name, times in Counter(name for name, _ in given).items() if times > 1]:
        raise flawed("--size", f"{repeated[0]} stands twice", "State each size once.")
    sizes = {name: int(number) for name, number in given}
    if pairs and "pairs" in sizes:
        detail = "every pair of the dimensions chosen is measured"
        raise flawed("--size", detail, "Choose by --dimension, or name a file that holds fewer.")
    return {**sizes, "pairs": sum(pairs.dimensions[name] for name in dataset["dimensions"])} if pairs else sizes


def _model(options: Options) -> dict[str, Any]:
    kind, _, rest = options.model.partition(":")
    if options.recipe is not None and kind != "organism":
        raise flawed("--recipe", f"{options.model!r} is no organism", "Leave it out.")
    readout = {} if options.readout is None else {"readout": options.readout}
    recipe = {} if options.recipe is None else {"params": _object("--recipe", options.recipe)}
    if kind == "organism" and rest:
        return {"kind": kind, "recipe": rest, **recipe, **readout}
    if kind == "tiny" and rest:
        seed = int(rest) if rest.isascii() and rest.isdecimal() else rest
        return {"kind": kind, "seed": seed, **readout}
    if kind == "huggingface" and rest:
        repo, _, revision = rest.partition("@")
        return {"kind": kind, "repo": repo, "revision": revision, **readout}
    return {"kind": "local", **_directory(options.model), **readout}


def _directory(name: str) -> dict[str, str]:
    directory = Path(name).resolve()
    if not name or not directory.is_dir():
        remedy = "Name a directory, tiny:SEED, organism:RECIPE or huggingface:OWNER/NAME@REVISION."
        raise flawed("--model", f"{name!r} is no directory", remedy)
    try:
        free_memory.require(directory.glob("*.safetensors"), 0)
        sha256 = weights_sha256(directory)
    except (OSError, InsufficientMemoryError):  # nothing to hash, or more than can be loaded: loading it says which
        sha256 = sha256_hex(b"")
    return {"directory": directory.relative_to(EVERYWHERE).as_posix(), "weights_sha256": sha256}
