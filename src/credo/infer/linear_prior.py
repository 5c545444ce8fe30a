"""What is believed about the coefficients and the noise of a linear model before any row is seen."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.errors import InputError

__all__ = ["LinearPrior", "covariance_root", "prior_center"]


def _as_float(x: ArrayLike) -> Array:
    return jnp.asarray(x, dtype=jnp.float64)


class LinearPrior(eqx.Module):
    r"""$a_0$, $b_0$ and $s$; whether there is an intercept, and whether $s$ is chosen by maximal evidence instead.

    With a `root` L the prior is $\beta \mid \sigma^2 \sim \mathcal N(\text{mean}, \sigma^2 s^2 L L^\top)$ in place of
    the columns' own units. With a `noise_variance` that is $\sigma^2$, and $a_0$, $b_0$ are not looked at. A `flat`
    one is the limit of an infinite s: least squares, which has no evidence.
    """

    noise_shape: Float[Array, ""] = eqx.field(converter=_as_float, default=0.0)
    noise_scale: Float[Array, ""] = eqx.field(converter=_as_float, default=0.0)
    prior_scale: Float[Array, ""] = eqx.field(converter=_as_float, default=1.0)
    fit_intercept: bool = eqx.field(default=True, static=True)
    choose_scale: bool = eqx.field(default=False, static=True)
    flat: bool = eqx.field(default=False, static=True)
    mean: Float[Array, " d"] | None = None
    root: Float[Array, "d d"] | None = None
    noise_variance: Float[Array, ""] | None = None


def prior_center(mean: Any, columns: int, *, who: str = "prior_center") -> Float[np.ndarray, " d"]:
    """A prior mean of the coefficients, checked: one number a column."""
    center = np.asarray(mean, dtype=np.float64)
    if center.shape != (columns,) or not np.all(np.isfinite(center)):
        raise InputError(
            who,
            f"prior_mean has shape {center.shape} or entries that are not finite, and X has {columns} columns",
            "It has one number for each column; the intercept has none, its prior is flat",
            f"Pass shape ({columns},)",
        )
    return center


def covariance_root(covariance: Any, columns: int, *, who: str = "covariance_root") -> Float[np.ndarray, "d d"]:
    """The Cholesky root of a prior covariance of the coefficients: a matrix, or the variances on its diagonal.

    >>> covariance_root([4.0, 9.0], 2).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    matrix = np.asarray(covariance, dtype=np.float64)
    matrix = np.diag(matrix) if matrix.shape == (columns,) else matrix
    fits = matrix.shape == (columns, columns) and bool(np.all(np.isfinite(matrix)))
    if fits and np.allclose(matrix, matrix.T, rtol=1e-10, atol=0.0):
        try:
            return np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            pass  # said below
    raise InputError(
        who,
        f"prior_covariance of shape {np.shape(covariance)} is no covariance of {columns} coefficients",
        "It is a vector of positive variances, or a symmetric positive definite matrix",
        f"Pass shape ({columns},) or ({columns}, {columns})",
    )
