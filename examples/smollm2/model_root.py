"""Where the study keeps its model."""

from __future__ import annotations

from pathlib import Path

from app.settings import read_settings

DIRECTORY = "smollm2-reward"


def model_root() -> Path:
    """ANTEDATE_MODEL_ROOT, or `models` beside the Makefile, made if need be. Raises `SettingsError`."""
    root = read_settings().model_root or Path(__file__).parents[2] / "models"
    root.mkdir(parents=True, exist_ok=True)
    return root
