"""Weight, mean and scatter of rows: the sufficient statistics of everything Gaussian, merged without losing digits."""

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.numerics.scalar import safe_divide

__all__ = ["Moments", "moments", "outer"]


class Moments(eqx.Module):
    r"""$\sum w$, the weighted mean, and the scatter $\sum w (x - \bar x)(x - \bar x)^\top$ about that mean.

    Two add up to those of the rows put together, $O(d^2)$ (Chan, Golub & LeVeque 1983, eq. 2.1): nothing is squared
    before a mean is taken out, so rows far from zero lose no digits.

    >>> first, second = moments(jnp.array([[1.0], [3.0]])), moments(jnp.array([[8.0]]))
    >>> (first + second).mean.tolist(), (first + second).scatter.tolist()
    ([4.0], [[26.0]])
    """

    weight: Float[Array, "*batch"]
    mean: Float[Array, "*batch d"]
    scatter: Float[Array, "*batch d d"]

    @property
    def second(self) -> Float[Array, "*batch d d"]:
        r"""The scatter about zero, $\sum w x x^\top$."""
        return self.scatter + self.weight[..., None, None] * outer(self.mean)

    def __add__(self, other: "Moments") -> "Moments":
        """The moments of both sets of rows together: exact up to round-off, over broadcast batches."""
        weight = self.weight + other.weight
        gap = other.mean - self.mean
        mean = self.mean + safe_divide(other.weight, weight)[..., None] * gap
        between = safe_divide(self.weight * other.weight, weight)[..., None, None] * outer(gap)
        return Moments(weight, mean, self.scatter + other.scatter + between)


def moments(rows: Float[Array, "*#batch n d"], weights: Float[Array, "*#batch n"] | None = None) -> Moments:
    """The moments of weighted rows (weight one if left out), over broadcast batches. O(n d²).

    Two passes: the mean is taken out before anything is squared. No weight at all gives zeros.
    """
    if weights is None:
        weights = jnp.ones(rows.shape[:-1])
    weight = jnp.sum(weights, axis=-1)
    mean = safe_divide(_weighted_sum(weights, rows), weight[..., None])
    # The second pass also removes what round-off left in the mean (Chan, Golub & LeVeque 1983, eq. 1.7).
    mean = mean + safe_divide(_weighted_sum(weights, rows - mean[..., None, :]), weight[..., None])
    centered = rows - mean[..., None, :]
    scatter = jnp.swapaxes(centered, -1, -2) @ (weights[..., None] * centered)
    return Moments(jnp.broadcast_to(weight, mean.shape[:-1]), mean, scatter)


def _weighted_sum(weights: Array, rows: Array) -> Array:
    return jnp.einsum("...n,...nd->...d", weights, rows)


def outer(x: Float[Array, "*batch d"]) -> Float[Array, "*batch d d"]:
    """x xᵀ over leading axes."""
    return x[..., :, None] * x[..., None, :]
