"""Pairs of rankings whose true rho is known, and noisy sums over clusters that estimate them.

What C components are ranked by are the normal quantiles of their ranks, to the standard deviation 1: evenly spread on
the scale on which noise is even. In one of 50 orders, drawn for each replicate, the second ranking has the stated rho
with the first, to the nearest that C components allow. Noise is that of `units`, independent from component to
component and, but for a share that pairs put into both rankings at once, from ranking to ranking. It is scaled so that
the mean over all clusters has the stated reliability, as Pearson's correlation with such a mean of other clusters; the
split-half reliability by ranks is about 0.01 lower.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import norm

from claims.instruments.agreement_halves import Rankings
from tests.bench.coverage.populations import SHARE, units

ORDERS = 50


@dataclass(frozen=True)
class Population:
    """`shared` is the correlation of what a pair's noise does to both rankings at once."""

    distribution: str
    reliability: float
    components: int = 64
    shared: float = 0.0

    @property
    def name(self):
        parts = f"{self.distribution} at {self.reliability:g}"
        parts += f" of {self.components}" if self.components != 64 else ""
        return parts + (f" sharing {self.shared:g}" if self.shared else "")

    def draw(self, rho, clusters, size, rng, replicates):
        """`Rankings` of R samples."""
        quantiles = norm.ppf((np.arange(self.components) + 0.5) / self.components)
        quantiles /= quantiles.std()
        orders = ordered(self.components, rho)[rng.integers(ORDERS, size=replicates)]
        noise = [self._noise((replicates, clusters, self.components, size), rng) for _ in range(2)]
        noise[1] = self.shared * noise[0] + np.sqrt(1 - self.shared**2) * noise[1]
        ratio = (1 - self.reliability) / self.reliability
        deviation = np.sqrt(clusters * ratio / (SHARE + (1 - SHARE) / size))
        sums = []
        for value, own in zip((quantiles[None, :], quantiles[orders]), noise, strict=True):
            y = value[:, None, :, None] + deviation * own
            sums.append((np.round(y / deviation) if self.distribution == "discrete" else y).sum(axis=-1))
        return Rankings(np.stack([np.full(sums[0].shape, float(size)), *sums]).transpose(0, 3, 1, 2))

    def _noise(self, shape, rng):
        """(R, G, C, size): each component of a cluster has units of its own."""
        drawn = "normal" if self.distribution == "discrete" else self.distribution
        flat = units(drawn, (shape[0], shape[1] * shape[2], shape[3]), 0.0, rng)
        return flat.reshape(shape)


@lru_cache
def ordered(components, rho):
    """(50, C), ranks that have this rho with 0, 1, 2 and so on, to the nearest.

    Of normals first, then by exchanges that bring it nearer.
    """
    rng = np.random.default_rng(components)
    first, whole = np.arange(components) - (components - 1) / 2, components * (components**2 - 1) / 12
    found = []
    for _ in range(ORDERS):
        moved = 2 * np.sin(np.pi * rho / 6) * norm.ppf((np.arange(components) + 0.5) / components)
        second = np.argsort(np.argsort(moved + np.sqrt(1 - rho**2) * rng.normal(size=components)))
        off = rho * whole - first @ second
        for i, j in rng.integers(components, size=(5000, 2)):
            gain = (first[j] - first[i]) * (second[i] - second[j])
            if abs(off - gain) < abs(off):
                second[[i, j]], off = second[[j, i]], off - gain
        found.append(second)
    return np.array(found)
