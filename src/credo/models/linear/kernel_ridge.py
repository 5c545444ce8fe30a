"""Kernel ridge regression."""

from numbers import Real
from typing import Any

import jax.numpy as jnp
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from credo.beliefs import StudentT
from credo.infer.kernel_ridge import SpectralSolution, kernel_spectrum
from credo.infer.kernel_system import FactoredSolution, factored_solution
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
    together changes nothing, a change of one does. Standardize the columns if their units mean nothing.

    A fit takes n² memory. With a given penalty it costs one Cholesky factor, n³/3, and the first interval,
    leave-one-out error or number of degrees as much again. A penalty that is chosen costs an eigendecomposition,
    some 20 times the factor; so does one below $10^{-10}$ of the sum of the eigenvalues, where the factor would lose
    digits.

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
    solution_: FactoredSolution | SpectralSolution

    def __init__(self, *, kernel: Kernel | None = None, alpha: float | str = "loo", fit_intercept: bool = True) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        require_squares(self, X)
        (X, y), w, _ = merge_rows(X, y, weights=w)
        self.kernel_ = kernel_for(X, self.kernel, type(self).__name__)
        require_exact_inputs(self.kernel_, type(self).__name__)
        self.rows_, self.weight_ = X, float(np.sum(w))
        self.solution_ = self._solution(np.asarray(self.kernel_(filled(X)))[: len(X), : len(X)], y, w)
        self.intercept_ = float(self.solution_.location(np.zeros((1, len(X))))[0])
        notes = ("the kernel is taken as known", *self._chosen())
        self.certificate_ = Certificate("exact", condition=self.solution_.condition, notes=notes)

    def _solution(self, covariance: np.ndarray, y: np.ndarray, w: np.ndarray) -> FactoredSolution | SpectralSolution:
        """One factor where the penalty is given and large enough for it, else all eigenvalues, 20 times the work."""
        intercept = bool(self.fit_intercept)
        if not isinstance(self.alpha, str) and self.kernel_.is_positive_semidefinite:
            self.alpha_ = float(self.alpha)
            factored = factored_solution(covariance, y, w, self.alpha_, intercept=intercept)
            if factored is not None:
                return factored
        coordinates, spectrum = kernel_spectrum(covariance, y, w, intercept=intercept)
        self.alpha_ = self._penalty(spectrum) or 1.0  # where no row differs from another, any will do, but it divides
        return SpectralSolution.of(coordinates, spectrum, self.alpha_)

    @property
    def effective_degrees_(self) -> float:
        """The trace of the matrix that maps targets to fitted values. With a given penalty O(n³) when first used."""
        return self._fitted.degrees

    @property
    def loo_error_(self) -> float:
        """Mean squared leave-one-out error. With a given penalty O(n³) when first used."""
        return self._fitted.loo_error

    @property
    def scatter_(self) -> float:
        """The weighted sum of squared residuals."""
        return self._fitted.scatter

    @property
    def _fitted(self) -> FactoredSolution | SpectralSolution:
        check_is_fitted(self)
        return self.solution_

    def _cross(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.kernel_(X, filled(self.rows_)))[:, : len(self.rows_)]

    def predict(self, X: Any) -> np.ndarray:
        """The fitted value at each row of X."""
        X = checked_features(self, X)
        return self.solution_.location(self._cross(filled(X)))[: len(X)]

    def _belief(self, X: np.ndarray) -> StudentT:
        cross, fitted = self._cross(X), self.solution_
        return self._predictive(
            fitted.location(cross),
            fitted.spread(cross, np.asarray(self.kernel_.diagonal(jnp.asarray(X)))),
            scatter=fitted.scatter,
            paid=fitted.paid,
            effective_degrees=fitted.degrees,
        )
