"""Nearest neighbors: the belief about a new observation from the rows around it."""

from numbers import Integral, Real
from typing import Any
from weakref import WeakKeyDictionary

import jax.numpy as jnp
import numpy as np
from sklearn.neighbors import KDTree
from sklearn.utils._param_validation import Interval, StrOptions

from credo.beliefs import Categorical, Dirichlet, DirichletCategorical, StudentT, UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.infer.linear_predictive import SMALLEST, TOO_FEW
from credo.infer.neighbors import Neighborhoods, neighborhoods
from credo.models.base import Classifier, Regressor
from credo.numerics.certificate import Certificate
from credo.numerics.padding import merge_rows
from credo.represent.validation import checked_features

__all__ = ["NearestNeighborsClassifier", "NearestNeighborsRegressor"]

_METRICS = {"euclidean", "manhattan", "chebyshev"}
_SEARCHED = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "metric": [StrOptions(_METRICS)],
}
_BIAS = "the neighbors are those, to rounding; how y changes between them and the query is not in the belief"
_CONSTANT = "y is the same at every row"

# Search trees of models in use, with the rows and the metric they are of: a model itself holds plain arrays.
_TREES: WeakKeyDictionary[Any, tuple[np.ndarray, str, KDTree]] = WeakKeyDictionary()


class NearestNeighborsRegressor(Regressor):
    r"""The mean of the nearest rows.

    Of the nearest k rows with mean $\bar y$ and variance $s^2 = \sum_i (y_i - \bar y)^2/(k - 1)$, a new observation is
    Student t with $\nu = k - 1$, location $\bar y$ and squared scale $s^2(1 + 1/k)$: noise, and what is unknown about
    the mean. A row of weight w counts as w neighbors, and rows at the distance of the k-th one are all taken, so that k
    may be a few more than asked for.

    This assumes normal noise and a mean that is constant over the neighborhood. Where it changes, the slope inside the
    neighborhood is part of $s^2$ and widens the interval; that the mean lies to one side, as at the edge of the rows,
    is not covered, and the interval far from all rows is that at the edge. Neighbors that agree to the last digit leave
    an interval of no width. The result depends on the units of the columns, as distances do: standardize them if
    these mean nothing. A fit costs O(n log n), a query about O(k log n) in few columns and O(n d) in many (Hastie,
    Tibshirani & Friedman 2009, §13.3).

    Parameters
    ----------
    n_neighbors : int
        k. A belief needs two, one with a variance four.
    metric : "euclidean", "manhattan" or "chebyshev"

    Attributes
    ----------
    rows\_, targets\_, counts\_ : arrays
        The distinct rows and how often each was seen.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0)[:, None]
    >>> model = NearestNeighborsRegressor(n_neighbors=5).fit(X, np.tile([1.0, 3.0], 5))
    >>> low, high = model.predict_interval([[4.0]])
    >>> print(f"{model.predict([[4.0]])[0]:.1f}, between {low[0]:.1f} and {high[0]:.1f}")
    1.8, between -0.8 and 4.4
    """

    _parameter_constraints = _SEARCHED

    rows_: np.ndarray
    targets_: np.ndarray
    counts_: np.ndarray

    def __init__(self, *, n_neighbors: int = 5, metric: str = "euclidean") -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        _check_enough(self, w)
        (self.rows_, self.targets_), self.counts_, _ = merge_rows(X, y, weights=w)
        notes = (_BIAS, _CONSTANT) if np.ptp(self.targets_) == 0.0 else (_BIAS,)
        self.certificate_ = Certificate("exact", notes=notes)

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the neighbors of each row of X."""
        return self._means(_neighbors_of(self, checked_features(self, X)))[1]

    def _means(self, near: Neighborhoods) -> tuple[np.ndarray, np.ndarray]:
        """How many neighbors, and the mean of their targets."""
        weights = self.counts_[near.members]
        count = near.total(weights)
        return count, near.total(weights * self.targets_[near.members]) / count

    def _belief(self, X: np.ndarray) -> StudentT:
        near = _neighbors_of(self, X)
        count, mean = self._means(near)
        fewest = float(np.min(count))
        if fewest <= 1.0:
            raise UndefinedError(
                type(self).__name__,
                f"n_neighbors={self.n_neighbors} leaves {fewest:g} of them",
                "One neighbor says nothing about the noise",
                "Try n_neighbors=5",
            )
        scatter = near.total(self.counts_[near.members] * np.square(self.targets_[near.members] - mean[near.query]))
        left = jnp.maximum(jnp.asarray(scatter), SMALLEST)  # a scale is positive
        degrees, spread = jnp.asarray(count - 1.0), jnp.asarray(1.0 / count)
        belief = StudentT(degrees, jnp.asarray(mean), jnp.sqrt(left / degrees * (1.0 + spread)))
        if fewest <= 3.0:
            return belief.with_budget(UncertaintyBudget.unsplit(TOO_FEW))
        noise = left / (degrees - 2.0)
        return belief.with_budget(UncertaintyBudget(noise=noise, parameter=noise * spread))


class NearestNeighborsClassifier(Classifier):
    r"""The classes of the nearest rows.

    With a prior Dirichlet(a, …, a) on the probabilities of K classes near the query, of k neighbors $n_c$ of class c
    give $P(y = c) = (n_c + a)/(k + aK)$, and never zero or one. The budget is exact under that prior: the probability
    has variance $p(1 - p)/(k + aK + 1)$, which is the parameter's share, and the rest of $p(1 - p)$ is noise. A row of
    weight w counts as w neighbors, and rows at the distance of the k-th one are all taken.

    This assumes probabilities that are constant over the neighborhood; that they change inside it is not covered.
    The result depends on the units of the columns, as distances do: standardize them if these mean nothing. Costs are
    those of    [](#credo.models.NearestNeighborsRegressor) (Cover & Hart 1967; Gelman et al. 2013, §3.4).

    Parameters
    ----------
    n_neighbors : int
        k.
    concentration : float
        a: 1 takes all probabilities for equally likely at first, 1/2 is Jeffreys' prior.
    metric : "euclidean", "manhattan" or "chebyshev"

    Attributes
    ----------
    classes\_ : array
    rows\_, codes\_, counts\_ : arrays
        The distinct rows, the number of the class of each, and how often it was seen.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0)[:, None]
    >>> model = NearestNeighborsClassifier(n_neighbors=3).fit(X, np.repeat(["low", "high"], 5))
    >>> model.predict([[0.0]]).tolist(), model.predict_proba([[0.0]]).tolist()
    (['low'], [[0.2, 0.8]])
    """

    _parameter_constraints = {**_SEARCHED, "concentration": [Interval(Real, 0, None, closed="neither")]}  # noqa: RUF012

    rows_: np.ndarray
    codes_: np.ndarray
    counts_: np.ndarray

    def __init__(self, *, n_neighbors: int = 5, concentration: float = 1.0, metric: str = "euclidean") -> None:
        self.n_neighbors = n_neighbors
        self.concentration = concentration
        self.metric = metric

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        _check_enough(self, w)
        (self.rows_, self.codes_), self.counts_, _ = merge_rows(X, y, weights=w)
        self.certificate_ = Certificate("exact", notes=(_BIAS,))

    def _belief(self, X: np.ndarray) -> Categorical:
        near, classes = _neighbors_of(self, X), len(self.classes_)
        cells = near.query * classes + self.codes_[near.members]
        votes = np.bincount(cells, weights=self.counts_[near.members], minlength=len(X) * classes)
        posterior = votes.reshape(len(X), classes) + self.concentration
        return DirichletCategorical(classes=classes).predictive(Dirichlet(jnp.asarray(posterior)))


def _check_enough(model: Any, w: np.ndarray) -> None:
    rows = float(np.sum(w))
    if model.n_neighbors > rows * (1.0 + 1e-10):
        raise InputError(
            type(model).__name__,
            f"n_neighbors={model.n_neighbors}, but n_samples = {rows:g}",
            "More neighbors are asked for than there are rows, counted with their weights",
            f"Try n_neighbors={max(int(rows) // 2, 1)}, or pass more rows",
        )


def _neighbors_of(model: Any, X: np.ndarray) -> Neighborhoods:
    """The neighbors of each row of X. The tree is built at the first question, also after a file was loaded."""
    rows, metric, tree = _TREES.get(model, (None, None, None))
    if rows is not model.rows_ or metric != model.metric:
        tree = KDTree(model.rows_, metric=model.metric)
        _TREES[model] = (model.rows_, model.metric, tree)
    return neighborhoods(tree, model.counts_, X, int(model.n_neighbors))
