"""Linear and quadratic discriminant analysis."""

import warnings
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from credo.errors import ConvergenceWarning, UndefinedError, message
from credo.infer.discriminant import LogisticForm, NormalClasses, normal_classes
from credo.models.discriminant.generative import GenerativeClassifier
from credo.numerics.certificate import Certificate
from credo.numerics.padding import merge_rows

__all__ = ["GaussianDiscriminant"]


class GaussianDiscriminant(GenerativeClassifier):
    r"""Classes that are normal, $x \mid k \sim \mathcal N(\mu_k, \Sigma)$ or $\mathcal N(\mu_k, \Sigma_k)$.

    By Bayes' rule $\log P(k \mid x) = \log\pi_k - \tfrac12\log|\Sigma_k| - \tfrac12(x - \mu_k)^\top\Sigma_k^{-1}
    (x - \mu_k)$ up to a constant of x: with one covariance linear in x, with one a class quadratic (Hastie, Tibshirani
    & Friedman 2009, eqs. 4.10 and 4.12). Means and covariances are those of maximum likelihood. Shrinkage replaces
    covariances by $(1 - \lambda)\Sigma + \lambda\operatorname{diag}\Sigma$; with λ = 1 and a covariance a class this is
    naive Bayes. The units of columns do not matter.

    It assumes that rows of a class are normal, which the probabilities depend on far from the means. They are those
    of the estimated classes, so they cover noise only: with few rows a column they are too sure. Constant columns and
    combinations of others are left out. Where rows vary between classes but not inside them, as with fewer rows than
    columns, the classes are separated: a fit with a shared covariance warns, one with their own refuses. A fit costs
    O(n d² + K d³), a prediction O(d²) a row and covariance.

    Parameters
    ----------
    covariance : "shared" or "own"
        One for all classes (linear), or one for each (quadratic).
    shrinkage : float or "auto"
        λ, from 0 to 1, or by Ledoit & Wolf (2004, eq. 14), for each covariance.
    priors : array or None
        The probability of each class, in the order of ``classes_``; by frequency if None.

    Attributes
    ----------
    classes\_, priors\_ : arrays
    normals\_ : NormalClasses
    means\_ : array
        K × d.
    covariance\_ : array
        d × d, or K × d × d.
    shrinkage\_ : float or array
        λ, or one for each covariance.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [4.0, 4.0], [5.0, 3.0], [5.0, 6.0]])
    >>> model = GaussianDiscriminant().fit(X, ["near"] * 3 + ["far"] * 3)
    >>> model.predict([[1.0, 1.0], [4.0, 5.0]]).tolist()
    ['near', 'far']
    >>> model.logistic_form().coef.shape
    (2, 2)
    """

    _parameter_constraints = {  # noqa: RUF012
        "covariance": [StrOptions({"shared", "own"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
        "priors": ["array-like", None],
    }

    normals_: NormalClasses

    def __init__(
        self,
        *,
        covariance: Literal["shared", "own"] = "shared",
        shrinkage: float | Literal["auto"] = 0.0,
        priors: Any = None,
    ) -> None:
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.priors = priors

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        # Which directions are more than rounding is a matter of the last digits, which so are those of repeated rows.
        (X, y), w, _ = merge_rows(X, y, weights=w)
        self.priors_ = self._class_priors(y, w)
        self.normals_ = normal_classes(
            X,
            y,
            w,
            [str(label) for label in self.classes_],
            own=self.covariance == "own",
            shrinkage=None if isinstance(self.shrinkage, str) else float(self.shrinkage),
            who=type(self).__name__,
        )
        self.certificate_ = self._certificate(X.shape[1])

    def _certificate(self, columns: int) -> Certificate:
        notes, rank, held = [], self.normals_.rank, self.normals_.held
        if rank < columns:
            notes.append(f"rank {rank} of {columns} columns: what no row varies in is left out")
        if held:
            notes.append(
                f"rows vary between classes but not inside them in {held} of {rank} directions, which is separation: "
                "variances there are held at 1e-9 of that of all rows, and probabilities are near zero and one"
            )
            remedy = "Try shrinkage=0.1" if self.shrinkage == 0.0 else "Drop columns that are constant inside classes"
            warning = message(type(self).__name__, notes[-1], "There are few rows or many columns", remedy)
            warnings.warn(ConvergenceWarning(warning), stacklevel=4)
        return Certificate("exact", condition=self.normals_.condition, notes=tuple(notes))

    @property
    def means_(self) -> np.ndarray:
        """The mean of each class, K × d."""
        return self.normals_.means

    @property
    def covariance_(self) -> np.ndarray:
        """The covariance of all classes, d × d, or of each, K × d × d."""
        return self.normals_.covariances[0] if self.normals_.shared else self.normals_.covariances

    @property
    def shrinkage_(self) -> float | np.ndarray:
        """The share of the diagonal, of all classes or of each."""
        return float(self.normals_.shrinkages[0]) if self.normals_.shared else self.normals_.shrinkages

    def logistic_form(self) -> LogisticForm:
        """Slopes and intercepts with ``softmax(X @ coef.T + intercept)`` the probabilities; of a shared covariance."""
        check_is_fitted(self)
        if not self.normals_.shared:
            raise UndefinedError(
                type(self).__name__,
                'the logistic form of covariance="own"',
                "Its log odds are quadratic in the columns",
                'Fit with covariance="shared"',
            )
        return self.normals_.logistic_form(np.log(self.priors_))

    def decision_function(self, X: Any) -> np.ndarray:
        """The log probability of each class at each row of X; of two classes, the log odds of the second."""
        logs = self.predict_log_proba(X)
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        return self.normals_.scores(X)
