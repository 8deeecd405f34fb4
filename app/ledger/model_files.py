"""Whether a claim's `local` model lies under the model root and holds the weights that the claim froze."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from claims.flaws import Flaw, pointer
from claims.registration.model import LocalModel
from claims.weights import weights_sha256

DIRECTORY = pointer("subject", "model", "directory")
WEIGHTS = pointer("subject", "model", "weights_sha256")
Identity = tuple[tuple[str, int, int, int, int], ...]

_hashes: dict[Identity, str] = {}


def flaws_in(model: LocalModel, root: Path | None) -> list[Flaw]:
    """What is wrong with the directory or its weights; empty when they are as frozen. Reads every weight once."""
    if root is None:
        remedy = "Ask the operator to set ANTEDATE_MODEL_ROOT to the directory that holds the models."
        return [Flaw(DIRECTORY, "no_model_root", "this service has no model root", remedy)]
    try:
        directory = resolve(model.directory, root)
        files = _weight_files(directory, root)
        found = _weights_sha256(directory, files)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error  # where the root lies is nobody's business
        remedy = "Name a directory by its path below the model root, without '..', that holds *.safetensors files."
        return [Flaw(DIRECTORY, "unusable_model", f"{model.directory!r} cannot be used: {why}", remedy)]
    if found != model.weights_sha256:
        detail = f"the weights in {model.directory!r} have the SHA-256 {found}, not the frozen one"
        remedy = "Freeze the hash of the weights that are there, or restore the frozen ones."
        return [Flaw(WEIGHTS, "other_weights", detail, remedy)]
    return []


def resolve(directory: str, root: Path) -> Path:
    """The directory under the model root, symbolic links followed; raises ValueError for one that is not under it."""
    parts = PurePosixPath(directory).parts
    if "\0" in directory or directory.startswith("/") or ".." in parts:
        raise ValueError("it is not a plain path below the model root")
    path = (root / directory).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ValueError("it leads out of the model root")
    if not path.is_dir():
        raise ValueError("there is no such directory under the model root")
    return path


def _weight_files(directory: Path, root: Path) -> list[Path]:
    files = sorted(directory.glob("*.safetensors"))
    if not files:
        raise ValueError("it holds no *.safetensors file")
    if not all(file.resolve().is_relative_to(root.resolve()) for file in files):
        raise ValueError("its weights lead out of the model root")
    if not all(file.is_file() for file in files):  # a pipe would never end
        raise ValueError("its weights are not plain files")
    return files


def _weights_sha256(directory: Path, files: list[Path]) -> str:
    """The hash, taken anew only when a file is another one or has changed since."""
    stats = [(file, file.stat()) for file in files]
    identity = tuple((str(file), stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size) for file, stat in stats)
    if identity not in _hashes:
        _hashes[identity] = weights_sha256(directory)
    return _hashes[identity]
