"""A reward model built from a small pretrained trunk, and a registered study of it (docs/study.md)."""

import os

# Before anything here imports torch: idle threads that spin starve every other process of a small machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
