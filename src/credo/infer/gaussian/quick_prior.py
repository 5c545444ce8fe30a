"""What is believed of the logarithms of a small process's parameters before the data: a mixture of normals."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float
from scipy import special

__all__ = ["LogPrior"]

_REACH = 8.0  # in spreads from the middle, as far as a search goes


@final
@dataclass(frozen=True)
class LogPrior:
    r"""$\sum_c w_c \prod_j \mathcal N(\theta_j \mid m_{cj}, s_{cj}^2)$: `middle` and `spread` have a row for each part.

    Log densities leave out the constant of the first part, so that those of a single part are $-\tfrac12 z^\top z$.

    >>> LogPrior.normal(np.zeros(2), np.ones(2)).log_density(np.array([[0.0, 0.0], [0.0, 2.0]])).tolist()
    [0.0, -2.0]
    """

    middle: Float[np.ndarray, "c q"]
    spread: Float[np.ndarray, "c q"]
    shares: Float[np.ndarray, " c"]

    @classmethod
    def normal(cls, middle: Float[np.ndarray, " q"], spread: Float[np.ndarray, " q"]) -> "LogPrior":
        """A single part."""
        return cls(middle[None], spread[None], np.ones(1))

    @property
    def bounds(self) -> Float[np.ndarray, "q 2"]:
        """As far as a search goes: beyond, exponentials overflow before the prior turns it back."""
        low, high = self.middle - _REACH * self.spread, self.middle + _REACH * self.spread
        return np.stack([np.min(low, axis=0), np.max(high, axis=0)], axis=-1)

    def log_density(self, points: Float[np.ndarray, "s q"]) -> Float[np.ndarray, " s"]:
        """At each row of points."""
        return special.logsumexp(self._parts(points), axis=0)

    def loss(self, logs: Float[np.ndarray, " q"]) -> tuple[float, Float[np.ndarray, " q"]]:
        """Minus the log density at one point, and its gradient."""
        away = (logs - self.middle) / self.spread
        if len(self.shares) == 1:
            return 0.5 * float(away[0] @ away[0]), away[0] / self.spread[0]
        parts = self._heights - 0.5 * (away * away).sum(axis=1)
        highest = parts.max()  # by hand: SciPy's functions would take longer than all the rest of an evaluation
        shares = np.exp(parts - highest)
        total = shares.sum()
        return -float(highest + np.log(total)), (shares / total) @ (away / self.spread)

    @cached_property
    def _heights(self) -> Float[np.ndarray, " c"]:
        """Log densities of the parts at their middle, less that of the first."""
        heights = np.log(self.shares) - np.sum(np.log(self.spread), axis=1)
        return heights - heights[0]

    def _parts(self, points: Float[np.ndarray, "s q"]) -> Float[np.ndarray, "c s"]:
        away = (points - self.middle[:, None]) / self.spread[:, None]
        return self._heights[:, None] - 0.5 * np.sum(away**2, axis=2)
