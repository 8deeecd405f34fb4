"""Why nothing could be decided: a closed list, each reason with what it touches and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

Scope = Literal["study", "metric"]


class VoidReason(StrEnum):
    """Study-level reasons void every hypothesis and decide first; metric-level ones touch their own alone."""

    INSTRUMENT_REFUSED = "instrument_refused"
    INSUFFICIENT_MEMORY = "insufficient_memory"
    CODE_DRIFT = "code_drift"
    WORKER_LOST = "worker_lost"
    CANCELLED = "cancelled"
    DATASET_DIFFERS = "dataset_differs"
    WEIGHTS_DIFFER = "weights_differ"
    BREACHED_SAMPLING = "breached_sampling"
    FAILED_CONTROL = "failed_control"
    KILL_CRITERION = "kill_criterion"
    METRIC_ABSENT = "metric_absent"
    WRONG_LEVEL = "wrong_level"
    WRONG_METHOD = "wrong_method"
    MALFORMED_INTERVAL = "malformed_interval"
    DEGENERATE_INTERVAL = "degenerate_interval"
    NONDETERMINISM = "nondeterminism"

    @property
    def scope(self) -> Scope:
        return "metric" if self in _METRIC_LEVEL else "study"

    @property
    def remedy(self) -> str:
        return _REMEDIES[self]


_METRIC_LEVEL = frozenset(
    {
        VoidReason.METRIC_ABSENT,
        VoidReason.WRONG_LEVEL,
        VoidReason.WRONG_METHOD,
        VoidReason.MALFORMED_INTERVAL,
        VoidReason.DEGENERATE_INTERVAL,
        VoidReason.NONDETERMINISM,
    }
)
_REMEDIES: Mapping[VoidReason, str] = MappingProxyType(
    {
        VoidReason.INSTRUMENT_REFUSED: "Do what the refusal says, and file a new claim.",
        VoidReason.INSUFFICIENT_MEMORY: "File again for a worker with the memory needed, or measure less at once.",
        VoidReason.CODE_DRIFT: "File a new claim against the instrument as it now is; never change it under a run.",
        VoidReason.WORKER_LOST: "See the worker's log for why it was lost, and file a new claim.",
        VoidReason.CANCELLED: "File a new claim; this attempt stays counted.",
        VoidReason.DATASET_DIFFERS: "Upload the dataset that was frozen, or file a new claim on this one.",
        VoidReason.WEIGHTS_DIFFER: "Restore the weights that were frozen, or file a new claim on these.",
        VoidReason.BREACHED_SAMPLING: "File a new claim with sizes that can be measured in full.",
        VoidReason.FAILED_CONTROL: "Find out why the control failed before measuring again under a new claim.",
        VoidReason.KILL_CRITERION: "Meet the condition that the criterion guards, and file a new claim.",
        VoidReason.METRIC_ABSENT: "See under `not_measured` why it is undefined, and predict a metric that is not.",
        VoidReason.WRONG_LEVEL: "The instrument must estimate at the registered level: report this as a defect.",
        VoidReason.WRONG_METHOD: "The instrument must use the registered interval: report this as a defect.",
        VoidReason.MALFORMED_INTERVAL: "The interval must hold its value between finite bounds: report the defect.",
        VoidReason.DEGENERATE_INTERVAL: "All units gave one value, so no error is known: choose a design that varies.",
        VoidReason.NONDETERMINISM: "Measure more units, or deterministically, so that the margin exceeds the band.",
    }
)


@dataclass(frozen=True)
class Void:
    """One reason with the figures behind it; `hypothesis` is None where the whole study is void."""

    reason: VoidReason
    figures: Mapping[str, Any]
    hypothesis: str | None = None

    @property
    def scope(self) -> Scope:
        return self.reason.scope

    @property
    def remedy(self) -> str:
        return self.reason.remedy
