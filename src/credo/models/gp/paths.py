"""Sampled functions in the user's units."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.infer.gaussian.paths import MixedPaths, Paths
from credo.models.gp.scaling import Standardization

__all__ = ["FunctionPaths"]


class FunctionPaths(eqx.Module):
    """Functions that can be evaluated anywhere: called on rows (m × d) they give one line of values each.

    Jit, vmap and gradients pass through. Means and covariances over the functions are those of `joint(X)` up to
    sampling error, between the data and far from them. Each function is a finite sum of waves and an exact update by
    the data, so its values are normal only approximately, with slightly heavier tails.
    """

    paths: Paths | MixedPaths
    scaling: Standardization

    def __call__(self, X: Any) -> Float[Array, "s m"]:
        X = jnp.asarray(X, dtype=jnp.float64)
        values = self.paths((X - self.scaling.shift) / self.scaling.scale)
        return self.scaling.target_shift + self.scaling.target_scale * values
