"""Weight, mean and scatter of rows: the sufficient statistics of everything Gaussian, merged without losing digits."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

__all__ = ["Moments", "merge_moments", "moments"]


class Moments(NamedTuple):
    r"""$\sum w$, the weighted mean, and the scatter $\sum w (x - \bar x)(x - \bar x)^\top$ about that mean."""

    weight: Float[Array, "*batch"]
    mean: Float[Array, "*batch d"]
    scatter: Float[Array, "*batch d d"]

    @property
    def second(self) -> Float[Array, "*batch d d"]:
        r"""The scatter about zero, $\sum w x x^\top$."""
        outer = self.mean[..., :, None] * self.mean[..., None, :]
        return self.scatter + self.weight[..., None, None] * outer


def moments(rows: Float[Array, "n d"], weights: Float[Array, " n"]) -> Moments:
    """The moments of weighted rows, in two passes: the mean is taken out before anything is squared. O(n d²)."""
    weight = jnp.sum(weights)
    safe = jnp.where(weight > 0, weight, 1.0)
    mean = weights @ rows / safe
    centered = rows - mean
    # The second pass also removes what round-off left in the mean (Chan, Golub & LeVeque 1983, eq. 1.7).
    mean = mean + weights @ centered / safe
    centered = rows - mean
    return Moments(weight, mean, centered.T @ (weights[:, None] * centered))


def merge_moments(first: Moments, second: Moments) -> Moments:
    """The moments of two sets of rows together (Chan, Golub & LeVeque 1983, eq. 2.1): exact up to round-off."""
    weight = first.weight + second.weight
    safe = jnp.where(weight > 0, weight, 1.0)
    shift = second.mean - first.mean
    mean = first.mean + shift * (second.weight / safe)[..., None]
    between = (first.weight * second.weight / safe)[..., None, None] * shift[..., :, None] * shift[..., None, :]
    return Moments(weight, mean, first.scatter + second.scatter + between)
