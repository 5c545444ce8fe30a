r"""Basis functions: columns from which a linear model makes a curve, $f(x) = \sum_j \beta_j \phi_j(x)$.

References: Bishop (2006) §3.1; Hastie, Tibshirani & Friedman (2009) §5.1.
"""

from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from credo.errors import InputError
from credo.numerics.certificate import Certificate
from credo.represent.validation import checked_features, checked_parameters, in_credos_words, unchanged

__all__ = ["Basis", "GaussianBasis", "PolynomialBasis", "SigmoidalBasis"]


class Basis(TransformerMixin, BaseEstimator, ABC):
    """A scikit-learn transformer from columns to functions of them.

    A subclass has a keyword-only constructor that only stores, `_parameter_constraints`, and three methods: `_learn`,
    which sets what fit learns and returns notes for the certificate, `_columns` and `_names`.
    """

    _parameter_constraints: dict = {}  # noqa: RUF012
    certificate_: Certificate

    @abstractmethod
    def _learn(self, X: np.ndarray) -> tuple[str, ...]:
        """Set the learned attributes from checked rows; notes in words."""

    @abstractmethod
    def _columns(self, X: np.ndarray) -> np.ndarray:
        """The functions at checked rows."""

    @abstractmethod
    def _names(self, names: np.ndarray) -> list[str]:
        """A name for each function, from those of the columns."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn where the functions lie from rows X (n × d). A failed fit leaves the object as it was."""
        with unchanged(self, only_on_failure=True):
            checked_parameters(self)
            with in_credos_words(type(self).__name__):
                X = validate_data(self, X, dtype=np.float64, order="C")
            self.certificate_ = Certificate("exact", notes=self._learn(X))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The value of each function at each row of X."""
        X = checked_features(self, X)
        with np.errstate(over="ignore"):
            columns = self._columns(X)
        if not np.all(np.isfinite(columns)):
            raise InputError(
                type(self).__name__,
                f"a function of X overflows: entries reach {np.max(np.abs(X)):.3g}",
                "A column is in very small units",
                "Standardize it first, for example with sklearn.preprocessing.StandardScaler",
            )
        return columns

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """A name for each function."""
        check_is_fitted(self)
        with in_credos_words(type(self).__name__):
            names = _check_feature_names_in(self, input_features)
        return np.asarray(self._names(names), dtype=object)


class PolynomialBasis(Basis):
    r"""Products of powers $\prod_j x_j^{p_j}$ of the columns, with $1 \le \sum_j p_j \le$ `degree`.

    With `interactions` every product, $\binom{d + \text{degree}}{d} - 1$ columns, else only powers of single columns,
    d · degree of them. Powers of a column far from zero are nearly collinear: standardize first.

    Parameters
    ----------
    degree : int
    interactions : bool
    bias : bool
        A column of ones first. Models of credo have their own intercept.

    Attributes
    ----------
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> basis = PolynomialBasis().fit([[2.0, 3.0]])
    >>> dict(zip(basis.get_feature_names_out().tolist(), basis.transform([[2.0, 3.0]])[0].tolist()))
    {'x0': 2.0, 'x1': 3.0, 'x0^2': 4.0, 'x0 x1': 6.0, 'x1^2': 9.0}
    """

    _parameter_constraints = {  # noqa: RUF012
        "degree": [Interval(Integral, 1, None, closed="left")],
        "interactions": ["boolean"],
        "bias": ["boolean"],
    }

    def __init__(self, *, degree: int = 2, interactions: bool = True, bias: bool = False) -> None:
        self.degree = degree
        self.interactions = interactions
        self.bias = bias

    def _learn(self, X: np.ndarray) -> tuple[str, ...]:
        return ()

    def _columns(self, X: np.ndarray) -> np.ndarray:
        if self.interactions:
            return self._products().fit_transform(X)
        ones = [np.ones((len(X), 1))] if self.bias else []
        return np.concatenate([*ones, *(X**power for power in range(1, self.degree + 1))], axis=1)

    def _names(self, names: np.ndarray) -> list[str]:
        if self.interactions:
            return list(self._products().fit(np.zeros((1, len(names)))).get_feature_names_out(names))
        powers = [name if k == 1 else f"{name}^{k}" for k in range(1, self.degree + 1) for name in names]
        return ["1", *powers] if self.bias else powers

    def _products(self) -> PolynomialFeatures:
        """Scikit-learn's, which learns nothing from rows but the number of columns."""
        return PolynomialFeatures(degree=self.degree, include_bias=bool(self.bias))


class GaussianBasis(Basis):
    r"""Bumps over each column: $\phi_j(x) = \exp(-(x - c_j)^2 / 2\ell^2)$.

    Centers are quantiles of the column's distinct values, the smallest and the largest among them, so that bumps are
    dense where values are and repeated rows move nothing. Far from all centers every function is zero: a linear model
    falls back to its intercept there. Each column has its own bumps; there are no interactions.

    Parameters
    ----------
    n_centers : int
        Of each column.
    width : float or None
        $\ell$, in the column's own units; by default the mean spacing of its centers.

    Attributes
    ----------
    centers\_ : array, d × n_centers
    width\_ : array, d
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> basis = GaussianBasis(n_centers=3).fit(np.linspace(0.0, 1.0, 11)[:, None])
    >>> basis.centers_.tolist(), basis.transform([[0.5]]).round(3).tolist()
    ([[0.0, 0.5, 1.0]], [[0.607, 1.0, 0.607]])
    """

    _parameter_constraints = {  # noqa: RUF012
        "n_centers": [Interval(Integral, 1, None, closed="left")],
        "width": [Interval(Real, 0, None, closed="neither"), None],
    }

    centers_: np.ndarray
    width_: np.ndarray

    def __init__(self, *, n_centers: int = 10, width: float | None = None) -> None:
        self.n_centers = n_centers
        self.width = width

    def _learn(self, X: np.ndarray) -> tuple[str, ...]:
        self.centers_, self.width_ = _centers(X, self.n_centers), _spacing(X, self.n_centers, self.width)
        return _notes(X)

    def _columns(self, X: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * _distances(X, self.centers_, self.width_) ** 2)

    def _names(self, names: np.ndarray) -> list[str]:
        return [f"{name}_gaussian{j}" for name in names for j in range(self.centers_.shape[1])]


class SigmoidalBasis(Basis):
    r"""Smooth steps over each column: $\phi_j(x) = 1/(1 + e^{-(x - c_j)/s})$.

    Centers are those of [](#credo.represent.GaussianBasis). Far from all centers every function is constant: a linear
    model stays at its last level there. Each column has its own steps; there are no interactions.

    Parameters
    ----------
    n_centers : int
        Of each column.
    scale : float or None
        $s$, in the column's own units; by default the mean spacing of its centers.

    Attributes
    ----------
    centers\_ : array, d × n_centers
    scale\_ : array, d
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> basis = SigmoidalBasis(n_centers=3).fit(np.linspace(0.0, 1.0, 11)[:, None])
    >>> basis.transform([[0.5]]).round(3).tolist()
    [[0.731, 0.5, 0.269]]
    """

    _parameter_constraints = {  # noqa: RUF012
        "n_centers": [Interval(Integral, 1, None, closed="left")],
        "scale": [Interval(Real, 0, None, closed="neither"), None],
    }

    centers_: np.ndarray
    scale_: np.ndarray

    def __init__(self, *, n_centers: int = 10, scale: float | None = None) -> None:
        self.n_centers = n_centers
        self.scale = scale

    def _learn(self, X: np.ndarray) -> tuple[str, ...]:
        self.centers_, self.scale_ = _centers(X, self.n_centers), _spacing(X, self.n_centers, self.scale)
        return _notes(X)

    def _columns(self, X: np.ndarray) -> np.ndarray:
        return expit(_distances(X, self.centers_, self.scale_))

    def _names(self, names: np.ndarray) -> list[str]:
        return [f"{name}_sigmoid{j}" for name in names for j in range(self.centers_.shape[1])]


def _centers(X: np.ndarray, count: int) -> np.ndarray:
    """Quantiles of the distinct values of each column, d × count; the median where one is asked for."""
    levels = np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.5])
    return np.stack([np.quantile(np.unique(column), levels) for column in X.T])


def _spacing(X: np.ndarray, count: int, given: float | None) -> np.ndarray:
    """What was given, or the mean spacing of the centers; one for a constant column, which has none."""
    if given is not None:
        return np.full(X.shape[1], float(given))
    spacing = np.ptp(X, axis=0) / max(count - 1, 1)
    return np.where(spacing > 0.0, spacing, 1.0)


def _notes(X: np.ndarray) -> tuple[str, ...]:
    constant = np.flatnonzero(np.ptp(X, axis=0) == 0.0)
    return (f"constant columns, whose functions are all the same: {constant.tolist()}",) if len(constant) else ()


def _distances(X: np.ndarray, centers: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(x − c)/scale for every center of every column, n × (d · count)."""
    scaled = (X[:, :, None] - centers) / scale[:, None]
    return scaled.reshape(len(X), -1)
