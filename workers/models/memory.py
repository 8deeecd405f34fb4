"""How much memory this process has taken."""

from __future__ import annotations

import resource
import sys


def peak_bytes() -> int:
    """The largest resident set so far; the kernel counts in KiB, on macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
