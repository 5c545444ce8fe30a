"""Functions that the prediction might as well be: draws of a belief, or refits to samples of the rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import _num_samples

from credo.errors import InputError, UndefinedError
from credo.numerics.random import as_seed
from credo.validate.conformal.refits import refitted
from credo.validate.plans import Bootstrap
from credo.validate.predictions import is_for_classes

__all__ = ["FunctionDraws", "function_draws", "point_prediction"]


class FunctionDraws(NamedTuple):
    """Called on rows (m × d) it has one line of values a draw, s × m; `source` says in words what the draws are of."""

    call: Callable[[Any], np.ndarray]
    source: str


def function_draws(
    estimator: Any, X: Any, y: Any = None, *, draws: int = 100, random_state: Any = 0
) -> FunctionDraws | None:
    """Draws of the function, or None where there are none.

    Of a fitted estimator with `sample_paths` they are of its belief: what is unknown about the function, given the
    model. Of any other, if `y` is given, they are refits to `draws` samples of the rows with replacement: how much the
    function would change with other rows.
    """
    seed = as_seed(random_state)
    if hasattr(estimator, "sample_paths"):
        try:
            paths = estimator.sample_paths(draws, random_state=seed)
        except UndefinedError:  # a belief that is averaged over parameters has no functions of its own
            paths = None
        if paths is not None:
            return FunctionDraws(lambda rows: np.asarray(paths(np.asarray(rows, dtype=np.float64))), "the belief")
    if y is None:
        return None
    splits = Bootstrap(draws, seed).split(np.empty((_num_samples(X), 1)))
    refits = refitted(estimator, X, np.asarray(y), [train for train, _ in splits])
    source = f"{draws} refits to samples of the rows"
    return FunctionDraws(lambda rows: np.stack([point_prediction(each, rows) for each in refits]), source)


def point_prediction(estimator: Any, X: Any) -> Float[np.ndarray, " m"]:
    """The prediction at each row; of a classifier of two classes the probability of the second."""
    if not is_for_classes(estimator):
        return np.asarray(estimator.predict(X), dtype=np.float64).reshape(-1)
    if len(estimator.classes_) != 2 or not hasattr(estimator, "predict_proba"):
        raise InputError(
            "effect",
            f"{type(estimator).__name__} of {len(estimator.classes_)} classes",
            "An effect is of one number: a prediction, or the probability of the second of two classes",
            "Pass a regressor, or a classifier of two classes with predict_proba",
        )
    return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, 1]
