r"""Statistics that are functions of averages, $T = g(\bar f_1, \dots, \bar f_k)$: resampled as one product.

A mean, a variance, a correlation, a slope and a ratio are of this kind (Hall 1992, ch. 2). On n rows with counts w the
averages are $w^\top F/n$, so that all resamples are one product of a matrix of counts with the n × k features, and
leaving out a row is $(n\bar f - f_i)/(n - 1)$.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from credo.errors import InputError

__all__ = ["STATISTICS", "OfMeans"]

_ROUNDING = 1e-13  # of a second moment: a variance below this share of it is what rounding left of zero


@dataclass(frozen=True)
class OfMeans:
    r"""A function `value` of the averages of `features`.

    ``features(*columns)`` stacks k numbers for each entry of the columns along a new last axis; ``value(averages)``
    takes arrays ``(..., k)`` to ``(...)``. Where shifting a column does not change the statistic, ``centered=True``
    has the means taken out first, so that no digits are lost in $\overline{x^2} - \bar x^2$. It can be called as any
    vectorized statistic can.

    >>> geometric = OfMeans(lambda x: np.log(x)[..., None], lambda a: np.exp(a[..., 0]))
    >>> float(geometric([1.0, 2.0, 4.0]).round(6))
    2.0
    """

    features: Callable[..., np.ndarray]
    value: Callable[[np.ndarray], Any]
    columns: int = 1
    centered: bool = False

    def of(self, *columns: np.ndarray) -> np.ndarray:
        """The n × k features of columns of n rows."""
        if len(columns) != self.columns:
            raise InputError(
                "OfMeans",
                f"{len(columns)} columns were given to a statistic of {self.columns}",
                "A correlation takes two columns, a mean one",
                "Pass the columns as a tuple, as (x, y)",
            )
        shifted = [column - np.mean(column) for column in columns] if self.centered else columns
        return np.ascontiguousarray(self.features(*shifted), dtype=np.float64)

    def at(self, averages: np.ndarray) -> np.ndarray:
        """The statistic for averages of shape (..., k); NaN where it has no value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.value(averages), dtype=np.float64)

    def __call__(self, *columns: Any, axis: int = -1) -> np.ndarray:
        """The statistic along an axis of its columns."""
        arrays = [np.asarray(column, dtype=np.float64) for column in columns]
        if self.centered:
            arrays = [array - np.mean(array, axis=axis, keepdims=True) for array in arrays]
        features = self.features(*(np.moveaxis(array, axis, -1) for array in arrays))
        return self.at(np.mean(features, axis=-2))


def _spread(first: Any, second: Any) -> Any:
    """The variance from two moments, exactly zero where all values were equal."""
    variance = second - first**2
    return np.where(variance > _ROUNDING * second, variance, 0.0)


def _two_moments(x: np.ndarray) -> np.ndarray:
    return np.stack([x, x * x], axis=-1)


def _cross_moments(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack([x, y, x * y], axis=-1)


def _slope_moments(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack([x, y, x * y, x * x], axis=-1)


def _all_moments(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack([x, y, x * y, x * x, y * y], axis=-1)


def _variance(a: np.ndarray) -> Any:
    return _spread(a[..., 0], a[..., 1])


def _deviation(a: np.ndarray) -> Any:
    return np.sqrt(_variance(a))


def _covariance(a: np.ndarray) -> Any:
    return a[..., 2] - a[..., 0] * a[..., 1]


def _slope(a: np.ndarray) -> Any:
    return _covariance(a) / _spread(a[..., 0], a[..., 3])


def _correlation(a: np.ndarray) -> Any:
    scale = np.sqrt(_spread(a[..., 0], a[..., 3]) * _spread(a[..., 1], a[..., 4]))
    # A column that is constant has no correlation: its numerator is rounding, which must not pass as infinity.
    return np.clip(np.where(scale > 0.0, _covariance(a), np.nan) / scale, -1.0, 1.0)


#: Statistics by name. Variances and covariances have divisor n; "slope" is of the second column on the first, "ratio"
#: the mean of the first over that of the second.
STATISTICS: dict[str, OfMeans] = {
    "mean": OfMeans(lambda x: x[..., None], lambda a: a[..., 0]),
    "variance": OfMeans(_two_moments, _variance, centered=True),
    "std": OfMeans(_two_moments, _deviation, centered=True),
    "covariance": OfMeans(_cross_moments, _covariance, 2, centered=True),
    "correlation": OfMeans(_all_moments, _correlation, 2, centered=True),
    "slope": OfMeans(_slope_moments, _slope, 2, centered=True),
    "ratio": OfMeans(lambda x, y: np.stack([x, y], axis=-1), lambda a: a[..., 0] / a[..., 1], 2),
}
