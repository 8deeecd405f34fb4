"""Text of an error as it may stand on the public log: in characters that it can hold, without this machine's paths."""

from __future__ import annotations

from pathlib import Path

ROOT = "$ANTEDATE_MODEL_ROOT"


def public_text(text: str, model_root: Path | None) -> str:
    """`text` with NUL and halves of surrogate pairs escaped, and the model root's path named instead of shown."""
    if model_root is not None:
        # The root as it was given may be a link, and errors name either.
        for path in (model_root.resolve(), model_root.absolute()):
            if path.name:
                text = text.replace(str(path), ROOT)
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
