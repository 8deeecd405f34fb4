"""The two rankings that dose series of organisms calibrate, and the level that each must clear at full dose.

The level is halfway from chance, an AUROC of 0.5, to certainty, 1: a carrier ranks above another component three times
out of four. Why: docs/decisions/2026-11-30-scorecards.md.
"""

from __future__ import annotations

from claims.instruments.manifest import Calibration

LEVEL = 0.75
ATTRIBUTION = Calibration(
    metric="attribution_recovery_auc_constructed",
    level=LEVEL,
    params={"granularity": "component", "convention": "frozen_norm"},
)
PATCHING = Calibration(
    metric="patching_recovery_auc_constructed",
    level=LEVEL,
    params={"granularity": "component", "alignment": "end", "positions": "all", "direction": "noising"},
)
