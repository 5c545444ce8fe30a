"""Estimators of the registry as the contract suites ask them: each kind, quick settings, targets, answers."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.utils.validation import has_fit_parameter

from credo.models import ESTIMATORS

# They share all but a few lines with an estimator that is asked here, so that the slow suite asks them.
KIN = {"Bridge", "ElasticNet", "GammaRegression", "LogRegressor", "MultiOutputGPRegressor", "PoissonRegression"}


def every(kind, *, weighted=False):
    """Each estimator of a kind; `weighted`: of those that take weights."""
    chosen = [cls for cls in ESTIMATORS if issubclass(cls, kind)]
    chosen = [cls for cls in chosen if has_fit_parameter(cls, "sample_weight") or not weighted]
    marks = [[pytest.mark.slow] if cls.__name__ in KIN else [] for cls in chosen]
    return pytest.mark.parametrize(
        "cls", [pytest.param(cls, marks=mark, id=cls.__name__) for cls, mark in zip(chosen, marks, strict=True)]
    )


def quick(cls):
    """As it comes, but for random restarts and cross-validation, which the slow suite adds."""
    accepted = inspect.signature(cls).parameters.keys()
    if "n_restarts" in accepted:
        return cls(n_restarts=0)
    return cls(alpha="bic") if {"alpha", "folds"} <= accepted else cls()


def made(cls, **given):
    """An instance that repeats itself: with a seed, where it takes one, and from one start."""
    settings = quick(cls).get_params(deep=False)
    return cls(**settings | ({"random_state": 0} if "random_state" in settings else {}) | given)


def labels(cls, y):
    """Targets that the estimator can have: classes, counts, positive numbers, or any."""
    if not is_regressor(cls()):
        return np.where(y > 0, "up", "down")
    if not cls().__sklearn_tags__().target_tags.positive_only:
        return y
    amounts = np.exp(0.3 * y)
    return np.ceil(3.0 * amounts) if cls.__name__ == "PoissonRegression" else amounts


def answers(learned, X):
    """What a fitted estimator says, in numbers: mean and variance of its belief, or scores, or predictions."""
    if hasattr(learned, "predict_dist"):
        belief = learned.predict_dist(X)
        return np.stack([belief.mean, belief.variance])
    return learned.decision_function(X) if hasattr(learned, "decision_function") else learned.predict(X)
