"""Checkpoints of the Hugging Face hub, at one commit, in the cache of this machine."""

from __future__ import annotations

import os
from pathlib import Path

from huggingface_hub import snapshot_download

from workers.refusals import RefusalError

# Weights, configurations and the tokenizer; no pickle and no code is ever fetched.
WANTED = ("*.safetensors", "*.json", "*.jinja", "merges.txt")


def snapshot(repo: str, revision: str) -> Path:
    """The directory of the cache that holds this commit; raises `RefusalError` ("not_downloaded") where none does.

    With HF_HUB_OFFLINE=0 in the worker's environment what is missing is downloaded; otherwise nothing is asked of
    any network.
    """
    offline = os.environ["HF_HUB_OFFLINE"] != "0"  # workers.models sets what is not set
    try:
        found = snapshot_download(repo, revision=revision, local_files_only=offline, allow_patterns=list(WANTED))
    except Exception as error:  # whatever the network makes the library raise
        why = "the cache does not hold it whole" if offline else f"it cannot be downloaded ({type(error).__name__})"
        raise RefusalError(
            "not_downloaded",
            f"{repo} at {revision}: {why}.",
            f"On the worker's machine and as its user, run: {command(repo, revision)}",
        ) from error
    return Path(found)


def bounds(directory: Path) -> Path:
    """Of a snapshot, the directory in which its links end: the cache's own for the repository."""
    return directory.parents[1]


def command(repo: str, revision: str) -> str:
    """What downloads the commit into the cache, in a shell."""
    included = " ".join(f"--include '{pattern}'" for pattern in WANTED)
    return f"HF_HUB_OFFLINE=0 hf download {repo} --revision {revision} {included}"
