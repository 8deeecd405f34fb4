"""What planted_key_recovery estimates, and the controls that say whether its estimates mean anything."""

from __future__ import annotations

from math import inf

from claims.instruments.manifest import Metric
from claims.instruments.minimums import ORGANISM_AUROC, ORGANISM_GAP, ORGANISM_SPEARMAN, Minimums

CEILING = (
    "This key reads the same last-token difference as attribution does, so attribution's AUROC under it is near 1 by "
    "construction (1.0 in first trials, about 0.95 with the default recipe), and patching can hardly come out better. "
    "Read it beside the gap under the constructed key."
)


def _auc(method: str, key: str, suffix: str) -> Metric:
    meaning = f"AUROC of {method}'s ranking by mean |effect| against the {key} key, mean over governed organisms"
    return Metric(f"{method}_recovery_auc{suffix}", meaning, low=0, high=1)


def _gap(key: str, suffix: str, ceiling: str = "", ceiling_at: float = inf) -> Metric:
    meaning = f"patching's AUROC less attribution's under the {key} key, mean over governed organisms"
    return Metric(f"recovery_gap{suffix}", meaning, low=-1, high=1, ceiling=ceiling, ceiling_at=ceiling_at)


def _control(name: str, meaning: str) -> Metric:
    return Metric(name, f"{meaning}, mean over governed organisms", low=0, high=1, diagnostic=True)


ESTIMATED = (
    _auc("attribution", "twin-activation-delta", ""),
    _auc("patching", "twin-activation-delta", ""),
    _gap("twin-activation-delta", "", CEILING, ceiling_at=0),
    _auc("attribution", "constructed", "_constructed"),
    _auc("patching", "constructed", "_constructed"),
    _gap("constructed", "_constructed"),
    Metric("spearman", "Spearman's rho between the two rankings, mean over governed organisms", low=-1, high=1),
)
# By what simulation each stands for.
STATISTICS: dict[str, Minimums] = {
    **{metric.name: ORGANISM_AUROC for metric in ESTIMATED},
    **dict.fromkeys(("recovery_gap", "recovery_gap_constructed"), ORGANISM_GAP),
    "spearman": ORGANISM_SPEARMAN,
}
DIAGNOSTIC = (
    Metric("organism_accuracy", "held-out accuracy, mean over governed organisms", low=0, high=1, diagnostic=True),
    Metric(
        "organisms_governed",
        "organisms that obey their rule on held-out pairs",
        low=0,
        limit="organisms",
        integer=True,
        diagnostic=True,
    ),
    _control(
        "twin_norm_auc_constructed",
        "positive control: AUROC of the twins' norms, by which no method ranks, against the constructed key",
    ),
    *(
        _control(
            f"{method}_shuffled_auc",
            f"negative control: AUROC of {method}'s ranking against the constructed key's labels, shuffled",
        )
        for method in ("attribution", "patching")
    ),
)
