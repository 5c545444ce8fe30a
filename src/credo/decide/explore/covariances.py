r"""What an explorer needs of a model: the covariance of the function at points, and the noise of a measurement there.

A Gaussian process after its data has both in closed form; anything else that has them will do.
"""

from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float
from sklearn.utils.validation import check_is_fitted

from credo.beliefs import MultivariateNormal, Normal, Uniform
from credo.decide.acquisitions.surface import GPSurface
from credo.errors import InputError
from credo.infer.gaussian.posterior import GPPosterior, cross_covariance, marginal_block, padded
from credo.infer.gaussian.uncertain_inputs import variance_over_inputs
from credo.kernels import kernel_double_mean, kernel_mean
from credo.kernels.measures import Measure, as_measure, columns_of
from credo.models import GPRegressor
from credo.numerics.concrete import placed
from credo.numerics.padding import filled
from credo.represent.validation import checked_features

__all__ = ["Covariances", "ProcessCovariances", "covariances_of"]

_LENGTHS = (16, 64, 256, 1024, 4096)


@runtime_checkable
class Covariances(Protocol):
    """A belief about a function, as far as its covariances: rows are arrays of numbers, one row a point."""

    def covariance(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Of the function at the rows X (m) and Z (k), m × k, after the data."""

    def variance(self, X: np.ndarray) -> np.ndarray:
        """Of the function at each row: the diagonal of `covariance`."""

    def noise(self, X: np.ndarray) -> np.ndarray:
        """The variance of a measurement around the function, at each row."""


@final
@dataclass(frozen=True)
class ProcessCovariances:
    r"""Those of a Gaussian process after its data: $k(x, z) - k(x, X_n)(K + D)^{-1}k(X_n, z)$, in the units of y.

    Also of averages of the function under a measure, by the kernel means. O(n²) a row of the shorter side, and O(n) an
    entry. Arrays are padded, so that a further observation or candidate compiles nothing.
    """

    posterior: GPPosterior
    shift: Float[Array, " d"]
    scale: Float[Array, " d"]
    unit: float  # of the function, whose square is the unit of the covariances
    model: GPRegressor | None = None  # whose columns the rows have

    def rows(self, X: Any) -> Float[np.ndarray, "m d"]:
        """Checked rows, as the model was fitted on; frames by their columns."""
        if self.model is not None:
            return np.asarray(checked_features(self.model, X))
        return numbers("Explorer", X, len(self.shift))

    def covariance(self, X: Float[np.ndarray, "m d"], Z: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "m k"]:
        """Of the function at rows X and Z."""
        if len(X) < len(Z):
            return self.covariance(Z, X).T
        found = _covariance(self.posterior, self._inputs(X), self._inputs(Z))
        return self.unit**2 * np.asarray(found)[: len(X), : len(Z)]

    def variance(self, X: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Of the function at each row."""
        return self.unit**2 * np.asarray(_variance(self.posterior, self._inputs(X)))[: len(X)]

    def noise(self, X: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """The variance of a measurement around the function: what was learned, and the median of what is known."""
        known, inputs = 0.0 if self.model is None else self.model.typical_noise_, self._inputs(X)
        noise = self.posterior.noise(inputs)
        if self.posterior.process.kernel.has_uncertain_inputs:
            noise = noise + variance_over_inputs(self.posterior, inputs)
        return self.unit**2 * np.asarray(noise)[: len(X)] + known

    def average_covariance(self, measure: Measure, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "1 k"]:
        r"""Of $\int f\,d\mu$ with the function at each row, after the data."""
        mean = kernel_mean(self.posterior.process.kernel, self._inputs(X), self._measure(measure)).value
        found = mean - _explained(self.posterior, self._means(measure), self._inputs(X))
        return self.unit**2 * np.asarray(found)[None, : len(X)]

    def average_variance(self, measure: Measure) -> float:
        r"""Of $\int f\,d\mu$ after the data."""
        prior = kernel_double_mean(self.posterior.process.kernel, self._measure(measure)).value
        half = self.posterior.factor.half_solve(self._means(measure))
        return self.unit**2 * max(float(prior - jnp.sum(half**2)), 0.0)

    def _means(self, measure: Measure) -> Array:
        """Of the kernel at each measured point, zero at the padding."""
        data = self.posterior.data
        return jnp.where(
            data.present, kernel_mean(self.posterior.process.kernel, data.X, self._measure(measure)).value, 0.0
        )

    def _inputs(self, X: np.ndarray) -> Array:
        return placed((_lengthened(X) - np.asarray(self.shift)) / np.asarray(self.scale))

    def _measure(self, measure: Measure) -> Measure:
        """The measure in the units of the process."""
        measure = as_measure(measure, "Average")
        if columns_of(measure) != len(self.shift):
            raise InputError(
                "Average",
                f"the measure has {columns_of(measure)} columns, the model {len(self.shift)}",
                "A measure has an entry for each column of the rows",
                "Repeat its parameters for each column",
            )
        if isinstance(measure, Normal):
            return Normal((measure.loc - self.shift) / self.scale, measure.scale / self.scale)
        if isinstance(measure, Uniform):
            return Uniform((measure.low - self.shift) / self.scale, (measure.high - self.shift) / self.scale)
        covariance = measure.covariance / (self.scale[:, None] * self.scale)
        return MultivariateNormal((measure.loc - self.shift) / self.scale, covariance)


def covariances_of(model: Any, who: str = "Explorer") -> Covariances:
    """Of a fitted `GPRegressor` at its best parameters, of a surface of one process, or an object that has them."""
    if isinstance(model, GPRegressor):
        check_is_fitted(model)
        scaling = model.scaling_
        unit = float(scaling.target_scale)
        return ProcessCovariances(padded(model.posterior_), scaling.shift, scaling.scale, unit, model)
    if isinstance(model, GPSurface):
        return ProcessCovariances(model.posterior, model.shift, model.scale, 1.0)
    if isinstance(model, Covariances):
        return model
    raise InputError(
        who,
        f"{type(model).__name__} has no covariances",
        "The explorer needs `covariance(X, Z)`, `variance(X)` and `noise(X)` of a model",
        "Pass a fitted GPRegressor, or an object with these methods",
    )


def rows_of(model: Covariances, X: Any, name: str) -> Float[np.ndarray, "m d"]:
    """Rows as the model wants them, at least one, all finite."""
    if np.shape(X)[:1] == (0,):
        raise InputError("Explorer", f"{name} has no rows", "A filter left none", "Pass at least one row")
    own = getattr(model, "rows", None)
    return own(X) if own is not None else numbers("Explorer", X)


def numbers(who: str, X: Any, columns: int | None = None) -> Float[np.ndarray, "m d"]:
    """A table of finite numbers."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or not len(rows) or (columns is not None and rows.shape[1] != columns):
        wanted = "one column for each of the model's" + (f" {columns}" if columns is not None else "")
        raise InputError(who, f"rows have shape {rows.shape}", f"They are a table with {wanted}", "Pass such rows")
    if not np.all(np.isfinite(rows)):
        raise InputError(who, "rows have NaN or infinite entries", "Values are missing", "Drop or impute them first")
    return rows


def _lengthened(X: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "l d"]:
    """Rows up to one of few lengths, each the last one again: two sides of few lengths are few pairs to compile."""
    length = next((step for step in _LENGTHS if step >= len(X)), None)
    if length is None:
        return filled(np.asarray(X, dtype=np.float64))
    return np.pad(np.asarray(X, dtype=np.float64), [(0, length - len(X)), (0, 0)], mode="edge")


@eqx.filter_jit
def _covariance(posterior: GPPosterior, x: Array, z: Array) -> Array:
    cross = cross_covariance(posterior, x)
    return posterior.process.kernel.cross(x, z) - cross @ posterior.factor.solve(cross_covariance(posterior, z).T)


@eqx.filter_jit
def _variance(posterior: GPPosterior, x: Array) -> Array:
    return marginal_block(posterior, x)[1]


@eqx.filter_jit
def _explained(posterior: GPPosterior, means: Array, x: Array) -> Array:
    return cross_covariance(posterior, x) @ posterior.factor.solve(means)
