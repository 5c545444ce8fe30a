"""What lasso, elastic net and bridge share: a path along the penalty, the choice on it, and an honest interval."""

from abc import abstractmethod
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from credo.beliefs import StudentT
from credo.errors import UndefinedError
from credo.infer.linear_predictive import SMALLEST, linear_predictive
from credo.infer.proximal import JudgedPath, PenaltyPath, Quadratic, centered_quadratic, judged_path
from credo.models.base import Regressor
from credo.numerics.certificate import Solution
from credo.numerics.padding import merge_rows
from credo.numerics.semidefinite import scaled_inverse
from credo.represent.validation import checked_features, require_squares, unchanged

__all__ = ["Penalized"]

_GIVEN = "which slopes are not zero is taken for granted in the interval"
_COUNT = 100  # penalties of a path
_FRACTION = 1e-3  # of the largest penalty: the smallest one of a path, unless another is asked for


class Penalized(Regressor):
    """A linear model whose slopes pay for their size. A subclass says what they pay."""

    _takes_sparse = True

    alpha: float | str
    fit_intercept: bool
    folds: int
    random_state: Any
    coef_: np.ndarray
    intercept_: float
    alpha_: float
    effective_degrees_: float
    noise_variance_: float
    residual_degrees_: float
    path_: JudgedPath | None
    weight_: float
    active_center_: np.ndarray
    active_inverse_: np.ndarray

    @abstractmethod
    def _solve(self, quadratic: Quadratic, penalties: np.ndarray) -> Solution[PenaltyPath]:
        """The slopes at each of the penalties."""

    def _bend(self, slopes: np.ndarray) -> np.ndarray:
        """The second derivative of what each slope pays, which is not zero; none where the penalty is not convex."""
        return np.zeros(len(slopes))

    @abstractmethod
    def _grid(self, quadratic: Quadratic, count: int, smallest: float) -> np.ndarray:
        """Penalties from one that leaves little or nothing of the slopes to a small one."""

    def path(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        alphas: Any = None,
        n_alphas: int = _COUNT,
        smallest: float = _FRACTION,
        folds: int | None = 5,
    ) -> JudgedPath:
        """The slopes along the penalty, with cross-validated error, AIC and BIC of each point.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. This object stays as it was.
        alphas : array, optional
            The penalties.
        n_alphas, smallest : int, float
            Without `alphas`: how many, from the largest that matters to `smallest` times that.
        folds : int or None
            Into how many parts rows are split to be held out; None leaves the held-out error out.
        """
        with unchanged(self):
            X, y, w = self._checked(X, y, sample_weight, reset=True)
            require_squares(self, X)
            (X, y), w, _ = merge_rows(X, y, weights=w)
            quadratic = centered_quadratic(X, y, w, intercept=bool(self.fit_intercept))
            if alphas is None:
                alphas = self._grid(quadratic, n_alphas, smallest)
            penalties = np.sort(np.atleast_1d(np.asarray(alphas, dtype=np.float64)))[::-1]
            return self._judged(quadratic, X, y, w, penalties, folds).value

    def _judged(
        self,
        quadratic: Quadratic,
        X: Any,
        y: np.ndarray,
        w: np.ndarray,
        penalties: np.ndarray,
        folds: int | None,
    ) -> Solution[JudgedPath]:
        intercept, seed = bool(self.fit_intercept), self.random_state
        return judged_path(
            quadratic, X, y, w, self._solve, penalties, intercept=intercept, folds=folds, random_state=seed
        )

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray) -> None:
        require_squares(self, X)
        (X, y), w, _ = merge_rows(X, y, weights=w)
        quadratic = centered_quadratic(X, y, w, intercept=bool(self.fit_intercept))
        if isinstance(self.alpha, str):
            held_out = self.alpha in ("cv", "1se") and len(y) > 1
            penalties = self._grid(quadratic, _COUNT, _FRACTION)
            judged = self._judged(quadratic, X, y, w, penalties, self.folds if held_out else None)
            self.path_, certificate = judged.value, judged.certificate
            path, at = self.path_.path, self.path_.best(self.alpha if len(y) > 1 else "bic")
            certificate = certificate.noting("that the penalty was chosen is not in the interval")
        else:
            solution = self._solve(quadratic, np.array([float(self.alpha)]))
            self.path_, path, at, certificate = None, solution.value, 0, solution.certificate
        self._quadratic = quadratic
        self.alpha_ = float(path.penalties[at])
        self.coef_, self.intercept_ = path.coefficients[at], float(path.intercepts[at])
        self.effective_degrees_ = float(path.degrees[at]) + bool(self.fit_intercept)
        self.residual_degrees_ = quadratic.weight - self.effective_degrees_
        scatter = max(2.0 * float(path.losses[at]) * quadratic.weight, SMALLEST)
        self.noise_variance_ = scatter / self.residual_degrees_ if self.residual_degrees_ > 0.0 else np.nan
        active = np.flatnonzero(self.coef_)
        bent = quadratic.block(active) + np.diag(self._bend(self.coef_[active]))
        self.weight_, self.active_center_ = quadratic.weight, quadratic.center[active]
        self.active_inverse_ = scaled_inverse(bent)[0]
        self.certificate_ = certificate.noting(_GIVEN)

    #: Left behind by a file: only inference needs the rows.
    _not_saved = ("_quadratic", "path_")

    def predict(self, X: Any) -> np.ndarray:
        """The fitted value at each row of X."""
        X = checked_features(self, X)
        return X @ self.coef_ + self.intercept_

    def _belief(self, X: Any) -> StudentT:
        self._require_noise()
        away = X[:, np.flatnonzero(self.coef_)]
        away = (away.toarray() if sparse.issparse(away) else away) - self.active_center_
        form = np.einsum("ij,jk,ik->i", away, self.active_inverse_, away, optimize=True)
        spread = (bool(self.fit_intercept) + form) / self.weight_
        scatter = self.noise_variance_ * self.residual_degrees_
        return linear_predictive(X @ self.coef_ + self.intercept_, spread, self.residual_degrees_, scatter)

    def _require_noise(self) -> None:
        if not self.residual_degrees_ > 0.0:
            raise UndefinedError(
                type(self).__name__,
                f"{self.effective_degrees_:.3g} coefficients in effect leave {self.residual_degrees_:.3g} rows",
                "Nothing is left to estimate the noise from",
                "Try a larger alpha",
            )

    def summary(self) -> NoReturn:
        """Refuses: a penalty biases the slopes, so that their standard errors say nothing about the true ones."""
        raise UndefinedError(
            type(self).__name__,
            "penalized slopes have no standard errors that mean something",
            "The penalty draws them to zero by an amount that no standard error knows",
            "Try LinearRegression where rows are many, or the debiased summary of Lasso",
        )
