r"""Correlations of a squared distance by NumPy, with their slopes: what a small process is made of where nothing is
compiled."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np
from jaxtyping import Float

from credo.kernels import RBF, Matern52
from credo.kernels.stationary import Stationary

__all__ = ["PROFILES", "Profile", "added"]

#: $\rho(r^2)$ and $-2\,d\rho/dr^2$, the latter finite at coincident points.
Profile = Callable[[Float[np.ndarray, "*n"]], tuple[Float[np.ndarray, "*n"], Float[np.ndarray, "*n"]]]


def _matern52(r2: Float[np.ndarray, "*n"]) -> tuple[Float[np.ndarray, "*n"], Float[np.ndarray, "*n"]]:
    falling = np.sqrt(5.0 * r2)  # as a, and in place from here: these arrays are most of the work
    near = np.exp(-falling)
    falling += 1.0
    falling *= near
    near *= r2
    near *= 5.0 / 3.0
    near += falling
    falling *= 5.0 / 3.0
    return near, falling


def _rbf(r2: Float[np.ndarray, "*n"]) -> tuple[Float[np.ndarray, "*n"], Float[np.ndarray, "*n"]]:
    decayed = np.exp(-0.5 * r2)
    return decayed, decayed


#: By the kernel that has this correlation.
PROFILES: Mapping[type[Stationary], Profile] = {Matern52: _matern52, RBF: _rbf}


def added(parts: Sequence[Float[np.ndarray, "*n"]]) -> Float[np.ndarray, "*n"]:
    """The sum of arrays; a single one as it is."""
    return reduce(np.add, parts)
