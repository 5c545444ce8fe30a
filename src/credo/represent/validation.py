"""What goes into an estimator: arrays and frames checked once, by scikit-learn's rules, in credo's words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from credo.errors import CredoError, InputError
from credo.represent.formula import FormulaDesign

__all__ = [
    "AS_DENSE",
    "ParameterError",
    "checked_features",
    "checked_parameters",
    "checked_training",
    "checked_weightings",
    "checked_weights",
    "in_credos_words",
    "refuse_sparse",
    "require_squares",
    "unchanged",
]

AS_DENSE = "as dense"  # how an estimator takes sparse rows whose method has no use for zeros
_SQUARABLE = 1e140  # whose square, times another, is a number; below its reciprocal squares lose their digits
_DENSE = 2**27  # entries of a sparse table that may become dense: 1 GiB

_CAUSES = {
    "NaN": (
        "Missing values are in the table",
        "Drop or impute them first, for example with sklearn.impute.SimpleImputer",
    ),
    "infinity": ("A value overflowed or a division by zero is in the table", "Look for it with numpy.isfinite"),
    "inconsistent numbers of samples": ("X and y come from different tables", "Pass one y for each row of X"),
    "y should be a 1d array": ("y has several columns", "Try MultiOutputGPRegressor for several outputs"),
    "features, but": ("The columns differ from those of fit", "Pass the same columns in the same order"),
    "could not convert": ("A column holds text or dates", "Encode it as numbers first"),
}


class ParameterError(InputError, InvalidParameterError):
    """A constructor argument of an estimator is not allowed; also scikit-learn's error of this name."""


@contextmanager
def in_credos_words(who: str) -> Iterator[None]:
    """Turn scikit-learn's ValueError into an InputError: its words, then the likely cause and what to try."""
    try:
        yield
    except CredoError:
        raise
    except ValueError as error:
        what = str(error)
        cause, remedy = next((hint for sign, hint in _CAUSES.items() if sign in what), ("", ""))
        raise InputError(who, what, cause, remedy) from error


def checked_training(
    estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, *, numeric_y: bool, reset: bool = True
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Float64 features, targets and frequency weights, in fit's order; remembers the columns when `reset`.

    Sparse features of an estimator whose tags say that it takes them are a `csr_array`, or dense where its
    `_takes_sparse` is `AS_DENSE`; all others are refused.
    """
    who = type(estimator).__name__
    with in_credos_words(who):
        several = estimator.__sklearn_tags__().target_tags.multi_output
        X, y = validate_data(
            estimator, X, y, reset=reset, y_numeric=numeric_y, multi_output=several, **_layout(estimator, X)
        )
        w = checked_weights(who, sample_weight, X)
    return _plain(estimator, X), np.asarray(y, dtype=np.float64) if numeric_y else y, w


def checked_weights(who: str, sample_weight: Any, X: Any) -> np.ndarray:
    """Frequency weights, one a row: non-negative, finite, not all zero."""
    with in_credos_words(who):
        w = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not np.any(w > 0):
        raise InputError(
            who, "every sample_weight is zero", "A weight is how often a row was seen", "Pass a positive one"
        )
    return w


def checked_weightings(who: str, W: Any, X: np.ndarray) -> np.ndarray:
    """Frequency weights of many replicates, one a row and each as `checked_weights` wants it."""
    W = np.atleast_2d(np.asarray(W, dtype=np.float64))
    if W.ndim != 2 or W.shape[1] != X.shape[0]:
        raise InputError(
            who,
            f"W has shape {W.shape}, but X has {X.shape[0]} rows",
            "W has one row a replicate and one column a row of X",
            f"Pass W of shape (B, {X.shape[0]})",
        )
    with np.errstate(invalid="ignore"):
        right = np.isfinite(np.sum(W, axis=1)) & (np.min(W, axis=1) >= 0.0) & (np.max(W, axis=1) > 0.0)
    for row in W[~right]:
        checked_weights(who, row, X)
    return W


def checked_features(estimator: BaseEstimator, X: Any) -> Any:
    """Float64 features for a fitted estimator, with the columns of fit, made by its formula if it
    has one; sparse ones as in training."""
    check_is_fitted(estimator)
    design = getattr(estimator, "design_", None)
    if isinstance(design, FormulaDesign):
        X = design.table(X, type(estimator).__name__)
    with in_credos_words(type(estimator).__name__):
        return _plain(estimator, validate_data(estimator, X, reset=False, **_layout(estimator, X)))


def _layout(estimator: BaseEstimator, X: Any) -> dict[str, Any]:
    """How features are to lie. In C order whatever came in: sums in another order have other last digits."""
    takes = bool(estimator.__sklearn_tags__().input_tags.sparse)
    if not takes:
        refuse_sparse(type(estimator).__name__, X)
    return {"dtype": np.float64, "order": "C", "accept_sparse": "csr" if takes else False}


def refuse_sparse(who: str, X: Any) -> None:
    """Say that rows have to be dense, where they are not."""
    if sparse.issparse(X):
        raise InputError(
            who,
            f"Sparse data was passed for X, of shape {X.shape}, but dense data is required",
            "It would become dense inside, which may be more than memory holds",
            "Try X.toarray() if it fits",
        )


def require_squares(estimator: BaseEstimator, X: Any) -> None:
    """Refuse columns whose squares overflow or vanish: a method that adds up squares would learn nothing from them."""
    high, low = (np.asarray(end.toarray() if sparse.issparse(end) else end).ravel() for end in (X.max(0), X.min(0)))
    with np.errstate(over="ignore"):
        spread = high - low
    outside = (np.maximum(np.abs(high), np.abs(low)) > _SQUARABLE) | ((spread > 0.0) & (spread < 1.0 / _SQUARABLE))
    if np.any(outside):
        j = int(np.argmax(outside))
        names = getattr(estimator, "feature_names_in_", None)
        raise InputError(
            type(estimator).__name__,
            f"column {j if names is None else names[j]} ranges from {low[j]:.3g} to {high[j]:.3g}",
            "Squares of such numbers overflow or vanish: the unit of the column is far from its values",
            "Use another unit, for example with sklearn.preprocessing.StandardScaler",
        )


def _plain(estimator: BaseEstimator, X: Any) -> Any:
    """A sparse matrix as a sparse array, whose products are those of arrays, in one canonical order; or a dense one,
    for an estimator that says so."""
    if not sparse.issparse(X):
        return X
    if getattr(estimator, "_takes_sparse", True) == AS_DENSE:
        return _made_dense(type(estimator).__name__, X)
    rows = sparse.csr_array(X, copy=True)
    rows.sum_duplicates()
    return rows


def _made_dense(who: str, X: Any) -> np.ndarray:
    entries = X.shape[0] * X.shape[1]
    if entries > _DENSE:
        raise InputError(
            who,
            f"sparse X of shape {X.shape} takes {entries / 2**27:.2g} GiB as the dense array that the method needs",
            "It is made dense up to 1 GiB",
            "Try fewer columns (TruncatedSVD), or a model that keeps sparse rows, such as GLM, Lasso or Perceptron",
        )
    return X.toarray(order="C")


def checked_parameters(estimator: BaseEstimator) -> None:
    """Hold every constructor argument against the class's `_parameter_constraints`."""
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise ParameterError(
            type(estimator).__name__, str(error), "The argument is misspelt or of another kind"
        ) from error


@contextmanager
def unchanged(estimator: Any, *, only_on_failure: bool = False) -> Iterator[None]:
    """Leave the object as it was: always, or when the block fails, as a failed fit must."""
    before = dict(vars(estimator))
    done = False
    try:
        yield
        done = True
    finally:
        if not (done and only_on_failure):
            vars(estimator).clear()
            vars(estimator).update(before)
