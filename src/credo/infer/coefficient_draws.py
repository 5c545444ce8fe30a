"""Draws of intercept, coefficients and noise from their joint posterior."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.infer.conjugate_linear import LinearPosterior
from credo.numerics.random import as_key

__all__ = ["CoefficientDraws", "draw_coefficients"]


class CoefficientDraws(NamedTuple):
    """One draw a row, all of the same world: intercept, coefficients and noise variance belong together."""

    intercept: Float[Array, "n *batch"]
    coefficients: Float[Array, "n *batch d"]
    noise_variance: Float[Array, "n *batch"]

    def __call__(self, X: Any) -> Float[Array, "n *batch m"]:
        """Each draw as a function: its mean at the rows of X (m × d). O(n m d)."""
        rows = jnp.asarray(X, dtype=jnp.float64)
        return self.intercept[..., None] + jnp.einsum("...d,md->...m", self.coefficients, rows)


def draw_coefficients(posterior: LinearPosterior, count: int, random_state: Any = None) -> CoefficientDraws:
    r"""$\sigma^2$ from its belief (or as it is known), then $\beta = m + \sigma R z$ and the intercept. O(n d r)."""
    noise_key, slope_key, level_key = jax.random.split(as_key(random_state), 3)
    batch = posterior.level.shape
    if posterior.known_noise is None:
        variance = posterior.noise_variance.sample((count,), noise_key)
    else:
        variance = jnp.broadcast_to(posterior.known_noise, (count, *batch))
    sigma = jnp.sqrt(variance)
    z = jax.random.normal(slope_key, (count, *batch, posterior.root.shape[-1]), dtype=jnp.float64)
    slopes = posterior.coefficients + sigma[..., None] * jnp.einsum("...dr,n...r->n...d", posterior.root, z)
    level_z = jax.random.normal(level_key, (count, *batch), dtype=jnp.float64)
    level = posterior.level + sigma * jnp.sqrt(posterior.level_variance) * level_z
    return CoefficientDraws(level - jnp.sum(posterior.center * slopes, axis=-1), slopes, variance)
