"""Ridge regression."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from credo.beliefs import StudentT
from credo.errors import UndefinedError
from credo.infer import LinearPosterior
from credo.infer.linear_predictive import linear_predictive, penalized_noise
from credo.infer.ridge import RidgePath, RidgePosterior, RidgeSpectrum, ridge_path, ridge_spectrum
from credo.infer.ridge_replicates import chosen_ridge_replicates, ridge_replicates
from credo.models.base import Regressor, Replicated
from credo.numerics.certificate import Certificate
from credo.represent.validation import AS_DENSE, checked_features, require_squares, unchanged

__all__ = ["Ridge", "SpectralRidge"]


class SpectralRidge(Regressor):
    """Least squares with a quadratic penalty that is given or chosen. A subclass says on which columns.

    The belief reads the penalty as a prior: Student t, with what the residuals leave of degrees of freedom, or with
    a quarter of those of the prior where the fit follows nearly every row.
    """

    _takes_sparse = AS_DENSE
    alpha: float | str
    fit_intercept: bool
    alpha_: float
    intercept_: float
    weight_: float

    def _penalty(self, spectrum: RidgeSpectrum) -> float:
        if not isinstance(self.alpha, str):
            return float(self.alpha)
        return spectrum.best(spectrum.loo_errors if self.alpha == "loo" else spectrum.gcv_errors)

    def _chosen(self) -> tuple[str, ...]:
        """A note for the certificate, where the penalty was chosen."""
        if not isinstance(self.alpha, str):
            return ()
        return ("the penalty has the least error of those tried; that it was chosen is not in the interval",)

    def _predictive(
        self, location: np.ndarray, spread: np.ndarray, *, scatter: float, paid: float, effective_degrees: float
    ) -> StudentT:
        """The belief of this location and spread; `paid` is what the penalty costs, λ times the squared norm."""
        whole = self.weight_ - bool(self.fit_intercept)
        left, total = map(float, penalized_noise(scatter, paid, self.weight_ - effective_degrees, whole))
        self._require_noise(left)
        return linear_predictive(location, spread, left, total)

    def _require_noise(self, degrees: float) -> None:
        if degrees > 0.0:
            return
        raise UndefinedError(
            type(self).__name__,
            f"the rows less the coefficients in effect leave {degrees:.3g} degrees of freedom",
            "Nothing is left to estimate the noise from",
            "Try a larger alpha",
        )


class Ridge(SpectralRidge, Replicated):
    r"""Least squares with a penalty on the coefficients: $\sum_i w_i(y_i - \alpha - x_i^\top\beta)^2 + \lambda
    \lVert\beta\rVert^2$, in closed form.

    Each direction of the columns is shrunk by $s^2/(s^2 + \lambda)$, s its singular value; their sum is the number of
    coefficients in effect. By default the penalty has the least leave-one-out error, which is closed form too.

    Read as a belief, the penalty is a prior $\beta \sim \mathcal N(0, \sigma^2/\lambda)$: a new observation is Student
    t with $\nu = \sum w - \text{degrees}$, location $\hat y$ and squared scale $s^2(1 + 1/\sum w + x^\top (X^\top W X +
    \lambda)^{-1} x)$. Where a fit follows nearly every row (wide tables, targets without noise) $\nu$ falls below a
    quarter of the rows: that quarter is then taken, and $s^2$ also counts what the penalty costs, as the prior has it.
    The interval covers noise and what is unknown about the coefficients under that prior; not that
    the penalty was chosen. The result depends on the units of the columns: a penalty that is chosen follows a change
    of all of them together, not of one, so standardize the columns if their units mean nothing. A fit costs
    O(n d min(n, d)), for all penalties together (Hastie, Tibshirani & Friedman 2009, §3.4.1). `fit_many` with a
    given penalty is one matrix product for all replicates; a penalty that is chosen is chosen for each of them.

    Parameters
    ----------
    alpha : float, "loo" or "gcv"
        $\lambda$, or how to choose it: by leave-one-out or by generalized cross-validation.
    fit_intercept : bool

    Attributes
    ----------
    coef\_, intercept\_, alpha\_
    effective_degrees\_ : float
        Coefficients in effect, the intercept included.
    loo_error\_ : float
        Mean squared leave-one-out error.
    posterior\_ : RidgePosterior
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vander(np.linspace(-1.0, 1.0, 20), 8, increasing=True)[:, 1:]
    >>> y = np.sin(3.0 * X[:, 0]) + np.tile([0.1, -0.1], 10)
    >>> model = Ridge(alpha=0.1).fit(X, y)
    >>> print(f"{model.effective_degrees_:.1f} of 8 coefficients")
    4.9 of 8 coefficients
    """

    _parameter_constraints = {  # noqa: RUF012
        "alpha": [StrOptions({"loo", "gcv"}), Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    coef_: np.ndarray
    effective_degrees_: float
    loo_error_: float
    scatter_: float
    posterior_: RidgePosterior

    def __init__(self, *, alpha: float | str = "loo", fit_intercept: bool = True) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        require_squares(self, X)
        spectrum = ridge_spectrum(X, y[:, None], w, intercept=bool(self.fit_intercept))
        self.alpha_ = self._penalty(spectrum)
        self.posterior_ = spectrum.posterior(self.alpha_)
        self.intercept_ = float(self.posterior_.location(np.zeros((1, X.shape[1])))[0, 0])
        self.coef_ = self.posterior_.coefficients[:, 0]
        self.effective_degrees_ = spectrum.degrees(self.alpha_)
        self.loo_error_ = float(spectrum.loo_errors(np.array([self.alpha_]))[0])
        self.weight_ = spectrum.weight
        self.scatter_ = float(np.sum(spectrum.residuals(self.alpha_) ** 2))
        self.certificate_ = self._certificate(spectrum, X.shape[1])

    def _learn_many(self, X: np.ndarray, y: np.ndarray, W: np.ndarray) -> LinearPosterior:
        require_squares(self, X)
        intercept = bool(self.fit_intercept)
        if isinstance(self.alpha, str):
            found = chosen_ridge_replicates(X, y, W, self._penalty, intercept=intercept)
        else:
            found = ridge_replicates(X, y, W, float(self.alpha), intercept=intercept)
        self._require_noise(2.0 * float(np.min(found.noise_shape)))
        return found

    def path(self, X: Any, y: Any, sample_weight: Any = None, *, alphas: Any = None, n_alphas: int = 100) -> RidgePath:
        """The slopes along the penalty, with leave-one-out and generalized cross-validation errors, AIC and BIC.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. This object stays as it was.
        alphas : array, optional
            The penalties.
        n_alphas : int
            Without `alphas`: how many, from one that shrinks nothing to one that leaves nothing.
        """
        with unchanged(self):
            X, y, w = self._checked(X, y, sample_weight, reset=True)
            require_squares(self, X)
            spectrum = ridge_spectrum(X[w > 0], y[w > 0][:, None], w[w > 0], intercept=bool(self.fit_intercept))
            penalties = spectrum.grid(n_alphas) if alphas is None else np.atleast_1d(np.asarray(alphas, dtype=float))
            return ridge_path(spectrum, penalties)

    def _certificate(self, spectrum: RidgeSpectrum, columns: int) -> Certificate:
        square = spectrum.singular**2 + self.alpha_
        unspanned = len(square) < columns
        least = self.alpha_ if unspanned else float(np.min(square, initial=np.inf))
        condition = float(np.max(square, initial=0.0)) / least if least > 0.0 else np.inf
        notes = [*self._chosen()]
        if unspanned and self.alpha_ == 0.0:
            notes.append(
                f"rank {len(square)} of {columns} columns: of all coefficients that fit these are the smallest"
            )
        return Certificate("exact", condition=condition if np.isfinite(condition) else None, notes=tuple(notes))

    def predict(self, X: Any) -> np.ndarray:
        """The fitted value at each row of X."""
        X = checked_features(self, X)
        return self.posterior_.location(X)[:, 0]

    def _belief(self, X: np.ndarray) -> StudentT:
        return self._predictive(
            self.posterior_.location(X)[:, 0],
            self.posterior_.spread(X),
            scatter=self.scatter_,
            paid=self.alpha_ * float(np.sum(self.coef_**2)),
            effective_degrees=self.effective_degrees_,
        )
