"""Attribution patching: the effect of a patch to first order, from one backward pass (Nanda 2023; Syed et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import torch
from torch import Tensor

from workers.models.patching import Patching, Site

Estimates = list[tuple[Tensor, Tensor]]


def estimates(patching: Patching, sites: Sequence[Site]) -> Estimates:
    """For each site, in order: gradient times what the text itself had (B,), and times what the patch would put there.

    Both are sums over the patched positions, in float64; the second less the first is the change of the reward to
    first order. `patching.clean` was traced with gradients enabled.
    """
    kinds = [(layer, kind) for (layer, kind), _ in groupby(sites, key=lambda site: (site.layer, site.kind))]
    layers = patching.clean.layers
    # A text's own part was cut out of what both said together, and nothing was computed from it.
    said = [getattr(layers[layer].whole or layers[layer], kind) for layer, kind in kinds]
    # Kept, for both texts were computed together: the other direction asks the same graph.
    gradients = torch.autograd.grad(patching.clean.scores.sum(), said, retain_graph=True)
    found: Estimates = []
    with torch.no_grad():
        for (layer, kind), gradient in zip(kinds, gradients, strict=True):
            at, first = layers[layer].at, layers[layer].first
            patched = (patching.index[:, at] >= 0)[..., None, None]
            own, taken = patching.values(layer, kind, at)
            slope = gradient[:, first : first + len(at)].reshape(own.shape).double() * patched
            found += zip(_by_module(slope * own), _by_module(slope * taken), strict=True)
    return found


def _by_module(product: Tensor) -> Sequence[Tensor]:
    return product.sum((1, 3)).unbind(1)
