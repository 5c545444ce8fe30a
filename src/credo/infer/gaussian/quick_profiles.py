r"""Correlations of a squared distance by NumPy, with their slopes: what a small process is made of where nothing is
compiled."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float

from credo.kernels import RBF, Matern52
from credo.kernels.stationary import Stationary

__all__ = ["PROFILES", "Profile"]

#: $\rho(r^2)$ and $-2\,d\rho/dr^2$, the latter finite at coincident points.
Profile = Callable[[Float[np.ndarray, "*n"]], tuple[Float[np.ndarray, "*n"], Float[np.ndarray, "*n"]]]


def _matern52(r2: Float[np.ndarray, "*n"]) -> tuple[Float[np.ndarray, "*n"], Float[np.ndarray, "*n"]]:
    a = np.sqrt(5.0 * r2)
    decayed = np.exp(-a)
    falling = (1.0 + a) * decayed
    return falling + (5.0 / 3.0) * r2 * decayed, (5.0 / 3.0) * falling


def _rbf(r2: Float[np.ndarray, "*n"]) -> tuple[Float[np.ndarray, "*n"], Float[np.ndarray, "*n"]]:
    decayed = np.exp(-0.5 * r2)
    return decayed, decayed


#: By the kernel that has this correlation.
PROFILES: Mapping[type[Stationary], Profile] = {Matern52: _matern52, RBF: _rbf}
