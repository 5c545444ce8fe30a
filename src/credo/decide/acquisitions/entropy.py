r"""How much a measurement tells about the least value of the function: max-value entropy search.

$I(f; f_*) \approx \frac1K\sum_k\left[\frac{\gamma_k\,\varphi(\gamma_k)}{2\Phi(\gamma_k)} - \log\Phi(\gamma_k)\right]$
with $\gamma_k = (\mu - f_*^k)/\sigma$ and draws $f_*^k$ of the least value: what is known of f at x once f is known to
be nowhere below (Wang & Jegelka 2017, eq. 6, turned to minimization).
"""

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions.improvement import Acquisition
from credo.decide.acquisitions.surface import Surface
from credo.numerics import inverse_mills, log_ndtr

__all__ = ["MaxValueEntropy", "least_values"]

_LEAST_GAP = 1e-6  # of a standard deviation below the best, where a draw says that nothing better exists


class MaxValueEntropy(Acquisition):
    """The logarithm of the information about the least value, in nats, averaged over draws of it and over beliefs."""

    surface: Surface
    least: Float[Array, "k s"]

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        mean, variance = self.surface.moments(X)
        gamma = (mean[:, None, :] - self.least) / jnp.sqrt(variance)[:, None, :]
        gain = 0.5 * gamma * inverse_mills(gamma) - log_ndtr(gamma)
        return jnp.log(jnp.mean(gain, axis=(1, 2)) + 1e-300)


def least_values(paths: Float[np.ndarray, "k c"], best: float, spread: float) -> Float[np.ndarray, " k"]:
    """The least value of each drawn function over candidate rows, and never above the best that is known.

    `paths` are the functions at the candidates, `spread` the standard deviation of the objective.
    """
    return np.minimum(np.min(paths, axis=1), best - _LEAST_GAP * spread)
