"""Linear regression by least squares."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from sklearn.utils import Tags

from credo.beliefs import MultivariateStudentT, StudentT, UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.infer import LinearPosterior, LinearPrior, linear_posteriors
from credo.infer.glm import LinearDesign
from credo.infer.least_squares import LeastSquares, least_squares
from credo.infer.linear_predictive import linear_predictive
from credo.infer.testing import (
    Estimates,
    HypothesisTest,
    akaike,
    bayes_criterion,
    likelihood_ratio,
    normal_log_likelihood,
)
from credo.models.base import Regressor, Replicated
from credo.models.linear.from_formula import FromFormula
from credo.models.linear.inference import Rows, SpeaksOfCoefficients
from credo.numerics.padding import pad
from credo.numerics.semidefinite import row_forms
from credo.represent.validation import AS_DENSE, checked_features, require_squares

__all__ = ["LinearRegression"]


class LinearRegression(SpeaksOfCoefficients, FromFormula, Regressor, Replicated):
    r"""Linear regression by least squares, with standard errors, tests and intervals.

    $y = \alpha + x^\top\beta + \varepsilon$ with independent errors of one variance $\sigma^2$; the estimates minimize
    $\sum_i w_i (y_i - \alpha - x_i^\top\beta)^2$. Coefficients and standard errors are right in nearly every digit
    as long as the design's condition is below $10^{15}$, and to ten digits or more in tables of more than some hundred
    thousand entries (see [](#credo.infer.least_squares)). With fewer independent
    rows than columns, or columns that are combinations of others, the coefficients are the smallest of those that fit
    best, the certificate says so, and `summary` refuses.

    With normal errors a new observation is Student t with $\nu = \sum w - \text{rank}$ degrees of freedom, location
    $x^\top\hat\beta$ and squared scale $s^2(1 + x^\top (X^\top W X)^{-1} x)$ (Seber & Lee 2003, §5.3.1), several
    outputs together multivariate t. The interval covers noise and what is unknown about $\alpha$, $\beta$ and
    $\sigma^2$; it assumes a linear mean and constant normal noise. A fit costs O(n d²).

    Parameters
    ----------
    fit_intercept : bool
        Whether there is an $\alpha$.

    Attributes
    ----------
    coef\_, intercept\_ : arrays
        $\hat\beta$ of shape (d,), or (m, d) for m outputs, and $\hat\alpha$.
    noise_variance\_ : float or array
        $s^2$, the residual sum of squares over its degrees of freedom; not there where none are left.
    rank\_ : int
        Of the design, intercept included.
    degrees\_ : float
        $\sum w - \text{rank}$.
    log_likelihood\_ : float or array
        At the maximum over $\sigma^2$ too, as information criteria want it. AIC and BIC of `summary` count the
        coefficients and not $\sigma^2$, as statsmodels does.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(12.0)[:, None]
    >>> y = 3.0 + 2.0 * X[:, 0] + np.tile([0.5, -0.5], 6)
    >>> print(LinearRegression().fit(X, y).summary())
    LinearRegression: standard errors of the model
    <BLANKLINE>
    name       estimate  std error      t   p-value   2.5 %  97.5 %
    intercept    3.1154      0.294  10.59  9.41e-07  2.4597  3.7711
    x0            1.979     0.0453  43.67  9.53e-13   1.878    2.08
    <BLANKLINE>
    rows                            12
    degrees of freedom              10
    R²                        0.994783
    adjusted R²               0.994262
    noise standard deviation  0.541947
    log likelihood            -8.58228
    AIC                        21.1646
    BIC                        22.1344
    """

    _takes_sparse = AS_DENSE
    _parameter_constraints = {"fit_intercept": ["boolean"]}  # noqa: RUF012

    coef_: np.ndarray
    intercept_: Any
    rank_: int
    degrees_: float
    weight_: float
    center_: np.ndarray
    inverse_gram_: np.ndarray
    scatter_: np.ndarray
    r_squared_: Any
    log_likelihood_: Any

    def __init__(self, *, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        require_squares(self, X)
        outputs = y.reshape(len(y), -1)
        solution = least_squares(X, outputs, w, intercept=self.fit_intercept, who=type(self).__name__)
        self.certificate_ = solution.certificate
        self._keep(solution.value, X, outputs, w)
        design = LinearDesign(X, self.fit_intercept, np.zeros(len(X)))
        self._rows = Rows(design, solution.value.residuals, np.ones(len(X)), w)
        if y.ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
            self.r_squared_, self.log_likelihood_ = float(self.r_squared_[0]), float(self.log_likelihood_[0])

    def _keep(self, found: LeastSquares, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        """One row an output."""
        first = int(self.fit_intercept)
        self.coef_ = found.coefficients[first:].T
        self.intercept_ = found.coefficients[0] if self.fit_intercept else np.zeros(y.shape[1])
        self.rank_, self.weight_ = found.rank, float(np.sum(w))
        self.degrees_ = self.weight_ - found.rank
        self.center_ = first * (w @ X) / self.weight_
        self.inverse_gram_ = found.inverse_gram
        self.scatter_ = found.residuals.T @ (w[:, None] * found.residuals)
        left = np.diagonal(self.scatter_)
        total = w @ np.square(y - first * np.average(y, axis=0, weights=w))
        # A constant target is fitted exactly, as scikit-learn's R² counts it.
        self.r_squared_ = np.where(total > 0, 1.0 - left / np.where(total > 0, total, 1.0), 1.0)
        with np.errstate(divide="ignore"):
            self.log_likelihood_ = normal_log_likelihood(left / self.weight_, self.weight_)

    @property
    def noise_variance_(self) -> Any:
        """The estimate of σ², one an output."""
        self._require_noise("noise_variance_")
        variances = np.diagonal(self.scatter_) / self.degrees_
        return float(variances[0]) if self.coef_.ndim == 1 else variances

    def predict(self, X: Any) -> np.ndarray:
        """The fitted value at each row of X, one column an output."""
        return checked_features(self, X) @ self.coef_.T + self.intercept_

    def _belief(self, X: np.ndarray) -> StudentT | MultivariateStudentT:
        self._require_noise("predict_dist")
        location = self.intercept_ + X @ self.coef_.T
        if self.coef_.ndim == 1:
            return linear_predictive(location, self._spread(X), self.degrees_, self.scatter_[0, 0])
        return self._joint(location, self._spread(X))

    def _spread(self, X: np.ndarray) -> np.ndarray:
        """The variance of the fitted value in units of the noise, about the center, where it loses no digits."""
        first = int(self.fit_intercept)
        of_slopes = row_forms(X, self.inverse_gram_[first:, first:], self.center_)
        return np.maximum(of_slopes, 0.0) + self.fit_intercept / self.weight_

    def _joint(self, location: np.ndarray, spread: np.ndarray) -> MultivariateStudentT:
        """With S the scatter of the residuals of m outputs, t of ν − m + 1 degrees and shape S(1 + h)/(ν − m + 1)."""
        degrees = self.degrees_ - len(self.scatter_) + 1.0
        shape = self.scatter_ / degrees
        belief = MultivariateStudentT(
            jnp.asarray(degrees), jnp.asarray(location), jnp.asarray((1.0 + spread)[:, None, None] * shape)
        )
        if degrees <= 2.0:
            return belief.with_budget(UncertaintyBudget.unsplit("a Student t of so few degrees has no variance"))
        noise = jnp.broadcast_to(jnp.diagonal(jnp.asarray(shape)) * degrees / (degrees - 2.0), location.shape)
        return belief.with_budget(UncertaintyBudget(noise=noise, parameter=jnp.asarray(spread)[:, None] * noise))

    def _require_noise(self, what: str) -> None:
        outputs = len(self.scatter_)
        if self.degrees_ >= outputs:
            return
        raise UndefinedError(
            type(self).__name__,
            f"{what} needs the noise, and {self.weight_:g} rows less rank {self.rank_} leave {self.degrees_:g} degrees "
            f"of freedom for {outputs} output{'s' if outputs > 1 else ''}",
            "There are as many columns as rows, or nearly",
            "Try BayesianLinearRegression or Ridge, or pass more rows",
        )

    def _learn_many(self, X: np.ndarray, y: np.ndarray, W: np.ndarray) -> LinearPosterior:
        if y.ndim > 1:
            raise InputError(
                type(self).__name__,
                f"fit_many of {y.shape[1]} outputs",
                "Replicates are of one",
                "Call it for each column of y",
            )
        require_squares(self, X)
        self._require_rows_left(X, W)
        rows, weights, _ = pad(np.column_stack([X, y]), W.T)
        prior = LinearPrior(fit_intercept=bool(self.fit_intercept), flat=True)
        return linear_posteriors(jnp.asarray(rows), jnp.asarray(weights.T), prior)[1]

    def _require_rows_left(self, X: np.ndarray, W: np.ndarray) -> None:
        least = float(np.min(np.sum(W, axis=1)))
        if least <= X.shape[1] + self.fit_intercept:
            raise InputError(
                type(self).__name__,
                f"a replicate has {least:g} rows for {X.shape[1] + self.fit_intercept} coefficients",
                "Nothing is left to estimate the noise from",
                "Try fewer columns, larger replicates, or BayesianLinearRegression",
            )

    def _classical(self) -> dict[str, Estimates]:
        who = type(self).__name__
        if self.rank_ < len(self.inverse_gram_):
            raise UndefinedError(
                who,
                f"{len(self.inverse_gram_)} coefficients, but the design has rank {self.rank_}",
                "Columns are combinations of others, or there are more of them than rows: many coefficients fit alike, "
                "and none of them has a standard error",
                "Drop columns, or try BayesianLinearRegression",
            )
        self._require_noise("summary")
        names = self._names(len(self.center_))
        vectors = np.atleast_2d(self.coef_)
        if self.fit_intercept:
            vectors = np.column_stack([np.atleast_1d(self.intercept_), vectors])
        variances = np.atleast_1d(self.noise_variance_)
        return {
            f"y{i}": Estimates(names, vector, variance * self.inverse_gram_, self.degrees_)
            for i, (vector, variance) in enumerate(zip(vectors, variances, strict=True))
        }

    def _bread(self) -> np.ndarray:
        return self.inverse_gram_

    def _facts(self) -> dict[str, float]:
        facts = {"rows": self.weight_, "degrees of freedom": self.degrees_}
        if self.coef_.ndim > 1:
            return facts | {f"R² of y{i}": float(r) for i, r in enumerate(self.r_squared_)}
        likelihood, parameters = self.log_likelihood_, self.rank_
        above = 1.0 - (1.0 - self.r_squared_) * (self.weight_ - self.fit_intercept) / self.degrees_
        return facts | {
            "R²": self.r_squared_,
            "adjusted R²": above,
            "noise standard deviation": float(np.sqrt(self.noise_variance_)),
            "log likelihood": likelihood,
            "AIC": akaike(likelihood, parameters),
            "BIC": bayes_criterion(likelihood, parameters, self.weight_),
        }

    def likelihood_ratio_test(self, smaller: "LinearRegression") -> HypothesisTest:
        """Whether the columns that a `smaller` model fitted to the same rows leaves out can be left out."""
        return likelihood_ratio(self.log_likelihood_, smaller.log_likelihood_, self.rank_ - smaller.rank_)
