"""Kernel ridge regression."""

from numbers import Real
from typing import Any

import jax.numpy as jnp
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from credo.beliefs import StudentT
from credo.infer.kernel_ridge import KernelCoordinates, kernel_spectrum
from credo.infer.ridge import RidgeSpectrum
from credo.infer.typical import kernel_for
from credo.kernels import Kernel
from credo.kernels.columns import require_exact_inputs
from credo.models.linear.ridge import SpectralRidge
from credo.numerics.certificate import Certificate
from credo.numerics.padding import filled, merge_rows
from credo.represent.validation import checked_features, require_squares

__all__ = ["KernelRidge"]


class KernelRidge(SpectralRidge):
    r"""A smooth function by least squares: $\sum_i w_i(y_i - \alpha - f(x_i))^2 + \lambda\lVert f\rVert_k^2$.

    The solution is $f(x) = k(x, X)\,c$ with $c = (K + \lambda W^{-1})^{-1}(y - \alpha)$, and the leave-one-out error
    has a closed form, by which the penalty is chosen unless it is given (Saunders, Gammerman & Vovk 1998). The kernel
    is taken as it is: [](#credo.models.GPRegressor) learns its parameters.

    Read as a belief, the penalty is a prior $f \sim \mathcal{GP}(0, \frac{\sigma^2}{\lambda}k)$: a new observation is
    Student t with $\nu = \sum w - \text{degrees}$, location $\hat y$ and squared scale $s^2(1 + h(x))$, h the posterior
    variance of f in units of the noise. Where the fit follows nearly every row (targets without noise) $\nu$ falls
    below a quarter of the rows: that quarter is then taken, and $s^2$ also counts $\lambda\lVert f\rVert_k^2$, as the
    prior has it. The interval covers noise and what is unknown about f under that prior; not that the penalty was
    chosen, nor the kernel. The result depends on the units of the columns, as distances do: a change of all units
    together changes nothing, a change of one does. Standardize the columns if their units mean nothing. A fit costs
    O(n³) and n² memory.

    Parameters
    ----------
    kernel : Kernel or None
        By default an RBF whose length-scale is the median distance between rows.
    alpha : float, "loo" or "gcv"
        $\lambda$, or how to choose it: by leave-one-out or by generalized cross-validation.
    fit_intercept : bool

    Attributes
    ----------
    kernel\_ : Kernel
    alpha\_, intercept\_ : float
    effective_degrees\_ : float
        The trace of the matrix that maps targets to fitted values.
    loo_error\_ : float
        Mean squared leave-one-out error.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 6.0, 30)[:, None]
    >>> model = KernelRidge().fit(X, np.sin(X[:, 0]) + np.tile([0.1, -0.1], 15))
    >>> bool(np.all(np.abs(model.predict([[1.5], [4.5]]) - np.sin([1.5, 4.5])) < 0.1))
    True
    """

    _parameter_constraints = {  # noqa: RUF012
        "kernel": [Kernel, None],
        "alpha": [StrOptions({"loo", "gcv"}), Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
    }

    kernel_: Kernel
    rows_: np.ndarray
    coordinates_: KernelCoordinates

    def __init__(self, *, kernel: Kernel | None = None, alpha: float | str = "loo", fit_intercept: bool = True) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        require_squares(self, X)
        (X, y), w, _ = merge_rows(X, y, weights=w)
        self.kernel_ = kernel_for(X, self.kernel, type(self).__name__)
        require_exact_inputs(self.kernel_, type(self).__name__)
        self.rows_ = X
        covariance = np.asarray(self.kernel_(filled(X)))[: len(X), : len(X)]
        self.coordinates_, spectrum = kernel_spectrum(covariance, y, w, intercept=bool(self.fit_intercept))
        self._settle(spectrum, self.coordinates_.of(np.zeros((1, len(X)))))
        self.certificate_ = self._certificate(spectrum.singular)

    def _penalty(self, spectrum: RidgeSpectrum) -> float:
        return super()._penalty(spectrum) or 1.0  # where no row differs from another, any will do, but it divides

    def _certificate(self, singular: np.ndarray) -> Certificate:
        condition = (float(np.max(singular, initial=0.0)) ** 2 + self.alpha_) / self.alpha_
        return Certificate("exact", condition=condition, notes=("the kernel is taken as known", *self._chosen()))

    def _cross(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.kernel_(X, filled(self.rows_)))[:, : len(self.rows_)]

    def predict(self, X: Any) -> np.ndarray:
        """The fitted value at each row of X."""
        X = checked_features(self, X)
        return self.posterior_.location(self.coordinates_.of(self._cross(filled(X))))[: len(X), 0]

    def _belief(self, X: np.ndarray) -> StudentT:
        cross = self._cross(X)
        phi = self.coordinates_.of(cross)
        beyond = self.coordinates_.beyond(phi, cross, np.asarray(self.kernel_.diagonal(jnp.asarray(X))))
        return self._predictive(phi, beyond / self.alpha_)
