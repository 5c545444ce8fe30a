r"""What one may want to know of a function: its values, weighted sums of them, its average under a measure.

All are linear in the function, so that a Gaussian belief about it is one about them.
"""

from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.decide.explore.covariances import Covariances, rows_of
from credo.errors import InputError
from credo.kernels.measures import Measure

__all__ = ["Average", "LinearFunctional", "Values", "WeightedSums"]


class LinearFunctional(ABC):
    """One or several linear functionals of a function, known by their covariances."""

    @abstractmethod
    def __len__(self) -> int:
        """How many."""

    @abstractmethod
    def cross(self, model: Covariances, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "m k"]:
        """Their covariance with the function at rows X."""

    @abstractmethod
    def gram(self, model: Covariances) -> Float[np.ndarray, "m m"]:
        """Their covariance with each other."""

    def variance(self, model: Covariances) -> Float[np.ndarray, " m"]:
        """The variance of each."""
        return np.diagonal(self.gram(model)).copy()


@final
class Values(LinearFunctional):
    """The values of the function at checked rows."""

    def __init__(self, points: Float[np.ndarray, "m d"]) -> None:
        self.points = points

    def __len__(self) -> int:
        return len(self.points)

    def cross(self, model: Covariances, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "m k"]:
        return model.covariance(self.points, X)

    def gram(self, model: Covariances) -> Float[np.ndarray, "m m"]:
        return model.covariance(self.points, self.points)

    def variance(self, model: Covariances) -> Float[np.ndarray, " m"]:
        return model.variance(self.points)


@final
class WeightedSums(LinearFunctional):
    r"""$\sum_j w_{ij} f(x_j)$: a difference, a mean over some rows, an integral by a quadrature rule.

    `weights` has one column a point; a vector is one sum.

    >>> len(WeightedSums([[0.0], [1.0]], [1.0, -1.0]))
    1
    """

    def __init__(self, points: Any, weights: Any) -> None:
        self.points = points
        self.weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        count = len(points)
        if self.weights.ndim != 2 or self.weights.shape[1] != count or not np.all(np.isfinite(self.weights)):
            raise InputError(
                "WeightedSums",
                f"weights of shape {self.weights.shape} for {count} points, or not all finite",
                "Each sum has one weight a point",
                f"Pass {count} numbers",
            )

    def __len__(self) -> int:
        return len(self.weights)

    def cross(self, model: Covariances, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "m k"]:
        return self.weights @ model.covariance(rows_of(model, self.points, "targets"), X)

    def gram(self, model: Covariances) -> Float[np.ndarray, "m m"]:
        rows = rows_of(model, self.points, "targets")
        return self.weights @ model.covariance(rows, rows) @ self.weights.T


@final
class Average(LinearFunctional):
    r"""$\int f\,d\mu$ under a `Normal` or `Uniform` with an entry a column, or a `MultivariateNormal`.

    Exploring it is Bayesian quadrature (O'Hagan 1991): measure where most is learnt about the integral. Kernel means in
    closed form or by quadrature, as in [](#credo.kernels.kernel_mean); the measure is in the units of the rows.
    """

    def __init__(self, measure: Measure) -> None:
        self.measure = measure

    def __len__(self) -> int:
        return 1

    def cross(self, model: Covariances, X: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "m k"]:
        return self._of(model, "average_covariance")(self.measure, X)

    def gram(self, model: Covariances) -> Float[np.ndarray, "m m"]:
        return np.array([[self._of(model, "average_variance")(self.measure)]])

    def _of(self, model: Covariances, name: str) -> Any:
        method = getattr(model, name, None)
        if method is None:
            raise InputError(
                "Average",
                f"{type(model).__name__} has no {name}",
                "Averages in closed form are those of Gaussian processes",
                "Pass WeightedSums(points, weights) with the nodes of a quadrature rule",
            )
        return method
