"""Fits of one estimator to several sets of rows."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

__all__ = ["refitted"]


def refitted(estimator: Any, X: Any, y: np.ndarray, row_sets: Sequence[np.ndarray]) -> tuple[Any, ...]:
    """A clone of the estimator, fitted to each set of rows, one after the other; a copy as it is where there are none.

    >>> from sklearn.dummy import DummyRegressor
    >>> X, y = np.zeros((3, 1)), np.array([1.0, 2.0, 6.0])
    >>> [model.predict(X[:1]).item() for model in refitted(DummyRegressor(), X, y, [np.array([0, 1]), np.arange(3)])]
    [1.5, 3.0]
    """
    # safe=False: an object without get_params is copied, so that whatever has fit and predict can be wrapped.
    return tuple(
        clone(estimator, safe=False).fit(_safe_indexing(X, rows), y[rows]) if len(rows) else copy.deepcopy(estimator)
        for rows in row_sets
    )
