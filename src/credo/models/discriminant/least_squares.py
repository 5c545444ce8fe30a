"""A classifier by least squares on classes as columns of zeros and ones."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from credo.infer.least_squares import least_squares
from credo.infer.ridge import ridge_spectrum
from credo.models.base import Deciding
from credo.numerics.certificate import Certificate

__all__ = ["LeastSquaresClassifier"]


class LeastSquaresClassifier(Deciding):
    r"""Linear regression of each class as 0 or 1, and the class of the largest.

    With $t_i$ the i-th row's class as a unit vector, $W$ and $\alpha$ minimize $\sum_i w_i\lVert t_i - \alpha -
    W^\top x_i\rVert^2 + \lambda\lVert W\rVert^2$ (Bishop 2006, eq. 4.16). With an intercept the scores of a row sum to
    one, but they leave [0, 1] and are no probabilities. For two classes the direction is Fisher's, $S_W^{-1}(m_2 -
    m_1)$ (§4.1.5).

    Squares punish rows that are right by far: a few outliers turn the border. With three classes or more one between
    others can be masked, never the largest, though planes would separate it (§4.1.3; Hastie, Tibshirani & Friedman
    2009, §4.2): [](#credo.models.GaussianDiscriminant) and [](#credo.models.SoftmaxRegression) mask none. Where
    columns are combinations of others the coefficients are the smallest, and the certificate says so. A fit costs
    O(n d²).

    Parameters
    ----------
    ridge : float
        λ, on the slopes and not on the intercepts.
    fit_intercept : bool
        Whether there is an α.

    Attributes
    ----------
    classes\_ : array
    coef\_, intercept\_ : arrays
        k × d and k, one row a class, of two classes too. ``decision_function`` of two is their difference.
    certificate\_ : Certificate

    Examples
    --------
    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "up", "up"])
    >>> model.predict([[1.5], [2.5]]).tolist()
    ['low', 'up']
    >>> model.intercept_.sum().round(12).item()
    1.0
    """

    _parameter_constraints = {  # noqa: RUF012
        "ridge": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    coef_: np.ndarray
    intercept_: np.ndarray

    def __init__(self, *, ridge: float = 0.0, fit_intercept: bool = True) -> None:
        self.ridge = ridge
        self.fit_intercept = fit_intercept

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        targets, intercept = np.eye(len(self.classes_))[y], bool(self.fit_intercept)
        if self.ridge > 0.0:
            found = ridge_spectrum(X, targets, w, intercept=intercept).posterior(float(self.ridge))
            self.coef_, self.intercept_ = found.coefficients.T, found.level - found.center @ found.coefficients
            self.certificate_ = Certificate("exact")
            return
        solution = least_squares(X, targets, w, intercept=intercept, who=type(self).__name__)
        rows = solution.value.coefficients
        self.coef_ = rows[int(intercept) :].T
        self.intercept_ = rows[0] if intercept else np.zeros(len(self.classes_))
        self.certificate_ = solution.certificate

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = X @ self.coef_.T + self.intercept_
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores
