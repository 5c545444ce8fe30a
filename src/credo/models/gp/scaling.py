"""Inputs and targets in standard units, and answers back in the user's."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.kernels.roles import Roles

__all__ = ["Standardization"]


class Standardization(eqx.Module):
    """x = shift + scale · z for every column, y = target_shift + target_scale · z for every output.

    Codes keep shift 0 and scale 1. The variance of a column has shift 0 and the square of that column's scale, so that
    it is the same variance in standard units.
    """

    shift: Float[Array, " d"]
    scale: Float[Array, " d"]
    target_shift: Float[Array, "*outputs"]
    target_scale: Float[Array, "*outputs"]

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, w: np.ndarray, roles: Roles | None = None) -> "Standardization":
        """Weighted means and standard deviations; a column (or target) that never changes keeps its unit.

        `roles` are what the columns are to the kernel, its `column_roles`; None if all are numbers.
        """
        shift, scale = _moments(X, w)
        for j, role in enumerate(roles or ()):
            if role is not None and role.kind in ("code", "variance"):
                shift[j], scale[j] = 0.0, 1.0
        for j, role in enumerate(roles or ()):
            if role is not None and role.kind == "variance":
                scale[j] = scale[role.partner] ** 2
        return cls(jnp.asarray(shift), jnp.asarray(scale), *map(jnp.asarray, _moments(y, w)))

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


def _moments(values: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = np.average(values, axis=0, weights=w)
    spread = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=w))
    # Round-off makes a constant column of large numbers look as if it varied.
    varies = spread > 1e-12 * np.max(np.abs(values), axis=0)
    return np.asarray(mean), np.where(varies, spread, 1.0)
