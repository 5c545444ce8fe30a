"""Inputs and targets in standard units, and answers back in the user's."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

__all__ = ["Standardization"]


class Standardization(eqx.Module):
    """x = shift + scale · z for every column, y = target_shift + target_scale · z for every output."""

    shift: Float[Array, " d"]
    scale: Float[Array, " d"]
    target_shift: Float[Array, "*outputs"]
    target_scale: Float[Array, "*outputs"]

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> "Standardization":
        """Weighted means and standard deviations; a column (or target) that never changes keeps its unit."""
        return cls(*_moments(X, w), *_moments(y, w))

    @classmethod
    def identity(cls, d: int, *outputs: int) -> "Standardization":
        """The user's units as they are."""
        return cls(jnp.zeros(d), jnp.ones(d), jnp.zeros(outputs), jnp.ones(outputs))

    def inputs(self, X: np.ndarray) -> np.ndarray:
        """Rows in standard units."""
        return (X - np.asarray(self.shift)) / np.asarray(self.scale)

    def targets(self, y: np.ndarray) -> np.ndarray:
        """Targets in standard units."""
        return (y - np.asarray(self.target_shift)) / np.asarray(self.target_scale)

    def variances(self, v: np.ndarray) -> np.ndarray:
        """Variances of targets in standard units."""
        return v / np.asarray(self.target_scale) ** 2


def _moments(values: np.ndarray, w: np.ndarray) -> tuple[Array, Array]:
    mean = np.average(values, axis=0, weights=w)
    spread = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=w))
    # Round-off makes a constant column of large numbers look as if it varied.
    varies = spread > 1e-12 * np.max(np.abs(values), axis=0)
    return jnp.asarray(mean), jnp.asarray(np.where(varies, spread, 1.0))
