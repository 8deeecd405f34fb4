"""Which simulated statistic stands for which metric: one, or several of which the most demanding counts."""

_MEAN, _SHARE = ("mean",), ("share_of_units",)
_AUROC, _GAP = ("organism_auroc",), ("organism_gap",)
_LAYER, _MEDIAN = ("layer_of_mean",), ("layer_of_median",)

# By instrument and metric, without what it is of (`.<dimension>`, `.<component>`).
SIMULATED = {
    "attribution_patching": {
        "rank_agreement": ("rho",),
        "relative_error": ("magnitude_ratio",),
        "sign_agreement": ("share_of_cells",),
    },
    "attribution_patching_agreement": {
        "rho": ("rho",),
        "mean_rho": ("mean_rho",),
        "negative_dimensions": ("negative_dimensions",),
        "top_attribution_moves": ("ratio",),
    },
    "bias_battery": {
        "mean_delta": _MEAN,
        "effect_size": ("standardised_mean",),
        "max_abs_effect_size": ("standardised_mean",),
        "length_adjusted_delta": ("mean_at_equal_length",),
        "length_slope": ("length_slope",),
        "length_effect_size": ("standardised_length_slope",),
    },
    "direct_linear_attribution": {
        "share": ("magnitude_share",),
        "late_share": ("magnitude_share",),
        "top_share": ("top_share",),
        "mean_differential": _MEAN,
    },
    "lens_crystallization": {
        "crystallization_layer": _LAYER,
        "crystallization_fraction": _LAYER,
        "crystallization_layer_median": _MEDIAN,
        "final_margin": _MEAN,
    },
    "patch_grid": {
        "mean_effect": _MEAN,
        "mean_effect_noising": _MEAN,
        "mean_effect_denoising": _MEAN,
        "moves": ("ratio",),
        "top_moves": ("top_moves",),
    },
    "planted_key_recovery": {
        "attribution_recovery_auc": _AUROC,
        "patching_recovery_auc": _AUROC,
        "recovery_gap": _GAP,
        "attribution_recovery_auc_constructed": _AUROC,
        "patching_recovery_auc_constructed": _AUROC,
        "recovery_gap_constructed": _GAP,
        "spearman": ("organism_spearman",),
    },
    "reward_scores": {
        "mean_margin": _MEAN,
        "accuracy": _SHARE,
        "macro_accuracy": ("mean_of_shares",),
        "auroc": ("auroc",),
    },
}
