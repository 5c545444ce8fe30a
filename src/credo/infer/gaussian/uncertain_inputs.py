r"""The variance of f over an input that is known up to noise, after the data.

With $q(x) = k(x, X)$ and $C = (K + D)^{-1}$, f(x) has mean $q(x)^\top\alpha$ and variance $k(x, x) - q(x)^\top C q(x)$.
By the law of total variance an observation at a random x varies around $E f(x)$ by

$E\,k(x, x) - E\,k(x, x') + \operatorname{tr}\bigl((\alpha\alpha^\top - C)\operatorname{Cov} q(x)\bigr)$

(Girard, Rasmussen, Quiñonero-Candela and Murray-Smith 2003, section 2, for a Gaussian x).
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from credo.infer.gaussian.averaged import AveragedPosterior, over_members
from credo.infer.gaussian.posterior import GPPosterior, padded
from credo.kernels.input_moments import covariance_over_input

__all__ = ["variance_over_inputs"]

_BLOCK = 2**22  # entries of covariances held at once: 32 MiB


def variance_over_inputs(posterior: GPPosterior | AveragedPosterior, X: Any) -> Float[Array, "n ..."]:
    """E Var f(x) over the uncertain input x of each row of X, by rows, or by rows and draws. O(n²) a row.

    The mean of the process must be constant: its own change over x is not in here.
    """
    rows = jnp.asarray(X, dtype=jnp.float64)
    if isinstance(posterior, AveragedPosterior):
        return _of_members(posterior.members, rows).T
    return _of_one(padded(posterior), rows)


@eqx.filter_jit
def _of_one(posterior: GPPosterior, X: Array) -> Float[Array, " n"]:
    return _variances(posterior, X)


@eqx.filter_jit
def _of_members(members: GPPosterior, X: Array) -> Float[Array, "s n"]:
    return over_members(lambda member: _variances(member, X), members)


def _variances(posterior: GPPosterior, X: Float[Array, "n d"]) -> Float[Array, " n"]:
    kernel, data = posterior.process.kernel, posterior.data
    both = data.present[:, None] & data.present[None, :]
    weights = jnp.where(both, jnp.outer(posterior.alpha, posterior.alpha) - posterior.factor.inverse(), 0.0)

    def of_row(row: Array) -> Array:
        return jnp.sum(weights * covariance_over_input(kernel, row, data.X))

    batch = max(1, min(X.shape[0], _BLOCK // weights.size))
    return jnp.maximum(kernel.input_noise(X) + lax.map(of_row, X, batch_size=batch), 0.0)
