"""Locally weighted regression."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from credo.beliefs import StudentT
from credo.errors import UndefinedError
from credo.infer.linear_predictive import linear_predictive
from credo.infer.local_regression import LocalRows, local_bandwidth, local_fit, local_inference, local_loo
from credo.models.base import Regressor
from credo.numerics.certificate import Certificate
from credo.numerics.padding import merge_rows
from credo.represent.validation import checked_features

__all__ = ["LocallyWeightedRegression"]


class LocallyWeightedRegression(Regressor):
    r"""At each query a line by least squares, rows weighted by $e^{-\lVert x - x_i\rVert^2/2h^2}$ on standardized
    columns.

    The fitted value is $\hat y(x) = \sum_i w_i k_i(x)\,y_i$, and $L_{ij} = k_j(x_i)$. With $\delta_1 =
    \operatorname{tr}(I - L)^\top(I - L)$ and $\delta_2 = \operatorname{tr}\,((I - L)^\top(I - L))^2$, a new observation
    is Student t with $\nu = \delta_1^2/\delta_2$, location $\hat y(x)$ and squared scale $s^2(1 + \sum_i w_i k_i^2)$,
    $s^2 = \sum_i w_i e_i^2/\delta_1$ (Cleveland & Devlin 1988). By default the bandwidth has the least leave-one-out
    error, $e_i/(1 - L_{ii})$ at each row.

    The interval covers normal noise of constant variance and what is unknown about the line; not the bias of a line
    where the function bends inside a bandwidth, nor that the bandwidth was chosen. Far from all rows weights are
    relative to the nearest one's: the line of the nearest rows is extended, further out, where one row alone keeps a
    weight, its value. The interval widens in proportion to the distance on either side of that step, at which it may
    narrow. Slopes that the rows near a query do not determine count as zero, give or take s a bandwidth (a standard
    deviation of the column, where the bandwidth is larger). A fit costs O(n² p²) a bandwidth, p the terms of the
    polynomial, and O(n³) once; a query O(n p²).

    Parameters
    ----------
    bandwidth : float or "loo"
        h, in standard deviations of the columns, or chosen by leave-one-out.
    degree : int
        0 for a weighted mean, 1 for a line, 2 for all squares and products too. The interval of degree 0 does not
        widen far from the rows.

    Attributes
    ----------
    bandwidth\_ : float
    effective_degrees\_ : float
        Coefficients in effect, tr L.
    degrees\_ : float
        $\nu$.
    noise_variance\_ : float
    loo_error\_ : float
        Mean squared leave-one-out error.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 6.0, 40)[:, None]
    >>> y = np.sin(X[:, 0]) + np.tile([0.1, -0.1], 20)
    >>> model = LocallyWeightedRegression(bandwidth=0.3).fit(X, y)
    >>> low, high = model.predict_interval([[1.5], [8.0]])
    >>> (high - low).round(1).tolist()
    [0.5, 4.3]
    """

    _parameter_constraints = {  # noqa: RUF012
        "bandwidth": [StrOptions({"loo"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 0, 2, closed="both")],
    }

    center_: np.ndarray
    scale_: np.ndarray
    data_: LocalRows
    bandwidth_: float
    effective_degrees_: float
    degrees_: float
    noise_variance_: float
    loo_error_: float

    def __init__(self, *, bandwidth: float | str = "loo", degree: int = 1) -> None:
        self.bandwidth = bandwidth
        self.degree = degree

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        (X, y), w, _ = merge_rows(X, y, weights=w)
        constant = np.ptp(X, axis=0) == 0.0
        self.center_ = np.where(constant, X[0], np.average(X, axis=0, weights=w))
        largest = np.where(
            constant, 1.0, np.max(np.abs(X - self.center_), axis=0)
        )  # squares in its units do not vanish
        deviation = largest * np.sqrt(np.average(((X - self.center_) / largest) ** 2, axis=0, weights=w))
        self.scale_ = np.where(constant, 1.0, deviation)
        self.data_ = LocalRows((X - self.center_) / self.scale_, y, w, int(self.degree))
        self.bandwidth_ = local_bandwidth(self.data_) if isinstance(self.bandwidth, str) else float(self.bandwidth)
        self.loo_error_ = local_loo(self.data_, self.bandwidth_)
        found = local_inference(self.data_, self.bandwidth_)
        self.effective_degrees_, self.degrees_ = found.effective_degrees, found.degrees
        self.noise_variance_ = found.noise_variance
        self.certificate_ = self._certificate(constant, found.second_moment)

    def _certificate(self, constant: np.ndarray, second_moment: bool) -> Certificate:
        notes = ["the bias of a local polynomial is not in the interval"]
        if isinstance(self.bandwidth, str):
            notes.append("the bandwidth has the least leave-one-out error; that it was chosen is not in the interval")
        if np.any(constant):
            notes.append(f"constant columns say nothing: {np.flatnonzero(constant).tolist()}")
        if not second_moment:
            notes.append("the degrees of freedom are δ₁: for so many rows δ₂ was not computed")
        return Certificate("exact", notes=tuple(notes))

    def predict(self, X: Any) -> np.ndarray:
        """The fitted value at each row of X."""
        X = checked_features(self, X)
        return local_fit(self.data_, self._scaled(X), self.bandwidth_).location

    def _belief(self, X: np.ndarray) -> StudentT:
        if self.degrees_ <= 0.0:
            raise UndefinedError(
                type(self).__name__,
                f"with bandwidth {self.bandwidth_:.3g} the fit has {self.effective_degrees_:.3g} coefficients in "
                f"effect for {np.sum(self.data_.weights):g} rows",
                "Nothing is left to estimate the noise from",
                "Try a larger bandwidth, a lower degree or more rows",
            )
        fit = local_fit(self.data_, self._scaled(X), self.bandwidth_)
        return linear_predictive(fit.location, fit.spread, self.degrees_, self.noise_variance_ * self.degrees_)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        return (X - self.center_) / self.scale_
