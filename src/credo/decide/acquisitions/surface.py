r"""What a surrogate believes of the objective at encoded rows: moments and covariances, open to jit and gradients.

Of several beliefs together (draws of the parameters, or fantasies of what is not known yet) the moments have an axis of
them behind the rows. Units are those in which the surrogate works, and less is better.
"""

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.infer.gaussian.posterior import GPPosterior, cross_covariance, marginal_block, padded
from credo.models import GPRegressor
from credo.numerics.batched_lapack import solve_lower
from credo.numerics.cholesky import factorize
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket

__all__ = ["AveragedSurface", "FantasySurface", "GPSurface", "Surface", "imagined", "surface_of"]


_MEMBERS = 32  # draws of the parameters that an acquisition averages over: it is evaluated thousands of times


class Surface(eqx.Module):
    """A belief about a function of rows, one or several at once."""

    @abstractmethod
    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m s"], Float[Array, "m s"]]:
        """Mean and variance of the function at each row, in each of the s beliefs."""


class GPSurface(Surface):
    r"""A Gaussian process after the data: mean and covariance in its standard units.

    `shift` and `scale` take encoded columns to those units; the arrays of the posterior are padded, so that a further
    observation compiles nothing.
    """

    posterior: GPPosterior
    shift: Float[Array, " d"]
    scale: Float[Array, " d"]

    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m 1"], Float[Array, "m 1"]]:
        mean, variance = marginal_block(self.posterior, self.inputs(X))
        return mean[:, None], variance[:, None]

    def inputs(self, X: Float[Array, "m d"]) -> Float[Array, "m d"]:
        """Encoded rows in the units of the process."""
        return (X - self.shift) / self.scale

    def covariance(self, X: Float[Array, "m d"], Z: Float[Array, "k d"]) -> Float[Array, "m k"]:
        r"""Of the function at rows X and Z: $k(x, z) - k(x, X_n)(K + D)^{-1}k(X_n, z)$."""
        x, z = self.inputs(X), self.inputs(Z)
        ours, theirs = (self.posterior.factor.half_solve(cross_covariance(self.posterior, rows).T) for rows in (x, z))
        return self.posterior.process.kernel.cross(x, z) - ours.T @ theirs

    def noise(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        """The variance of a measurement around the function."""
        return self.posterior.process.noise.variance(self.inputs(X))


class AveragedSurface(Surface):
    """Gaussian processes at draws of their parameters: in `members` every array has the axis of draws first."""

    members: GPPosterior
    shift: Float[Array, " d"]
    scale: Float[Array, " d"]

    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m s"], Float[Array, "m s"]]:
        rows = (X - self.shift) / self.scale
        drawn, functions = eqx.partition(self.members, eqx.is_array)
        mean, variance = jax.vmap(lambda arrays: marginal_block(eqx.combine(arrays, functions), rows))(drawn)
        return mean.T, variance.T


class FantasySurface(Surface):
    r"""A Gaussian process whose values at some rows are imagined, s times over: one factor, s vectors of weights.

    For measurements that are under way, whose results are drawn from what is believed of them, and for noisy ones, when
    the values of the function behind them are drawn: the best of each fantasy is then known (Letham et al. 2019).
    """

    base: GPSurface
    rows: Float[Array, "k d"]
    present: Float[Array, " k"]
    lower: Float[Array, "k k"]
    weights: Float[Array, "k s"]

    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m s"], Float[Array, "m s"]]:
        mean, variance = self.base.moments(X)
        cross = self.base.covariance(X, self.rows) * self.present
        half = solve_lower(self.lower, cross.T)
        left = jnp.maximum(variance[:, 0] - jnp.sum(half**2, axis=0), 1e-14 * variance[:, 0])
        means = mean + cross @ self.weights
        return means, jnp.broadcast_to(left[:, None], means.shape)


def surface_of(model: GPRegressor, units: tuple[Array, Array] | None = None) -> GPSurface | AveragedSurface:
    """The belief of a fitted Gaussian process; `units` are shift and scale of rows that were scaled before the fit."""
    shift, scale = (model.scaling_.shift, model.scaling_.scale) if units is None else units
    if model.average_ is not None:
        return AveragedSurface(model.average_.resampled(_MEMBERS).members, shift, scale)
    return GPSurface(padded(model.posterior_), shift, scale)


def imagined(
    surface: GPSurface, rows: Float[np.ndarray, "k d"], normals: Float[np.ndarray, "k s"], *, noisy: bool
) -> tuple[FantasySurface, Float[Array, "k s"]]:
    """The surface in s fantasies of what is at the rows, and the values in each. O(k n² + k³ + k² s).

    `noisy` imagines measurements, which leave some doubt about the function; without, the function itself. `normals`
    are standard normal draws, of which the values are made, so that they can be the same from one call to the next.
    """
    length = bucket(len(rows))
    extra = length - len(rows)
    padded_rows = np.pad(np.asarray(rows, dtype=np.float64), [(0, extra), (0, 0)])
    present = np.pad(np.ones(len(rows)), (0, extra))
    draws = np.pad(np.asarray(normals, dtype=np.float64), [(0, extra), (0, 0)])
    lower, weights, values = _imagined(surface, placed(padded_rows), placed(present), placed(draws), noisy=noisy)
    return FantasySurface(surface, placed(padded_rows), placed(present), lower, weights), values[: len(rows)]


@eqx.filter_jit
def _imagined(
    surface: GPSurface, rows: Array, present: Array, normals: Array, *, noisy: bool
) -> tuple[Array, Array, Array]:
    mean, _ = surface.moments(rows)
    both = present[:, None] * present
    covariance = surface.covariance(rows, rows) * both
    doubt = surface.noise(rows) if noisy else jnp.zeros_like(present)
    # A padded row has variance one and no covariance, so that it touches nothing.
    matrix = 0.5 * (covariance + covariance.T) + jnp.diag(jnp.where(present > 0.0, doubt, 1.0))
    lower, _, _, _ = factorize(matrix, jnp.mean(jnp.diagonal(matrix)))
    departure = lower @ normals * present[:, None]
    weights = solve_lower(lower, departure)
    weights = solve_lower(lower, weights, transposed=True)
    return lower, weights * present[:, None], mean + departure
