"""A positive number by a model of its logarithm."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy import stats
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import has_fit_parameter

from credo.beliefs import Belief, LogNormal, Normal, UncertaintyBudget
from credo.errors import InputError
from credo.models.base import Regressor, certificate_of
from credo.models.linear.bayesian import BayesianLinearRegression

__all__ = ["LARGEST_SCALE", "LogRegressor", "have_logarithms"]

#: The largest standard deviation of a logarithm that is stated: with a factor of 3000 either way nothing is known.
LARGEST_SCALE = 8.0

_LARGEST_LOG = 100.0  # either way; with the largest scale, squares of squared errors are still numbers
_AS_NORMAL = "the logarithm, which is not normal, is taken to be normal with the same mean and variance"


class LogRegressor(Regressor):
    r"""Positive numbers whose errors are factors: $\log y = f(x) + \varepsilon$, with any regressor for f.

    What the regressor believes of $\log y$, with mean m and variance v, is taken to be normal, so that y is log-normal:
    its median is $e^m$, its mean $e^{m + v/2}$, and no interval goes below zero. With the budget of the logarithm
    $v = v_n + v_p + v_c$ and $M = e^{m + v/2}$ the law of total variance gives that of y,

    $$ M^2\,(e^v - e^{v_p + v_c}), \qquad M^2\,(e^{v_p + v_c} - e^{v_c}), \qquad M^2\,(e^{v_c} - 1) $$

    for noise, parameter and computation. The interval covers what that of the regressor covers, and assumes noise of
    one relative size. Where the belief of the regressor has tails (Student t of few rows) those of y are thinner than
    they should be, and the certificate says so. Far from all rows no logarithm beyond ±100 and no standard deviation of
    it above 8 (a factor of 3000) is stated. A fit costs what one of the regressor costs.

    Johnson, Kotz & Balakrishnan (1994), *Continuous Univariate Distributions* 1, §14.

    Parameters
    ----------
    estimator : regressor with `predict_dist`, optional
        Of the logarithm; it is cloned. By default [](#credo.models.BayesianLinearRegression).

    Attributes
    ----------
    estimator\_ : regressor
    certificate\_ : Certificate

    Examples
    --------
    >>> X = np.arange(8.0)[:, None]
    >>> y = np.exp(0.5 * X[:, 0]) * [1.1, 0.9, 1.0, 1.1, 0.9, 1.0, 1.1, 0.9]
    >>> low, high = LogRegressor().fit(X, y).predict_interval([[2.0]])
    >>> f"{low.item():.1f} to {high.item():.1f}"
    '2.2 to 3.4'
    """

    _parameter_constraints = {"estimator": [HasMethods(["fit", "predict_dist"]), None]}  # noqa: RUF012
    estimator_: Any

    def __init__(self, *, estimator: Any = None) -> None:
        self.estimator = estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self._require_positive(y)
        inner = BayesianLinearRegression() if self.estimator is None else clone(self.estimator)
        weights = {"sample_weight": w} if self._passes_weights(inner, w) else {}
        self.estimator_ = inner.fit(X, np.log(y), **weights)
        own = certificate_of(self.estimator_)
        exact = isinstance(self.estimator_.predict_dist(X[:1]), Normal)
        self.certificate_ = own if exact else replace(own, kind="heuristic", error=None).noting(_AS_NORMAL)

    def _belief(self, X: np.ndarray) -> LogNormal:
        logarithm = self.estimator_.predict_dist(X)
        mean, std = _moments(logarithm)
        limited = jnp.clip(mean, -_LARGEST_LOG, _LARGEST_LOG)  # a row far away may be said to be e to the thousands
        belief = LogNormal(limited, jnp.minimum(std, LARGEST_SCALE))
        return belief.with_budget(_of_exponential(logarithm.budget, belief))

    def _require_positive(self, y: np.ndarray) -> None:
        if have_logarithms(y):
            return
        if np.all(y > 0.0):
            what = f"y is from {np.min(y):g} to {np.max(y):g}"
            raise InputError(type(self).__name__, what, "Squares of such numbers are too large or small", "Rescale y")
        raise InputError(
            type(self).__name__,
            f"y has {np.min(y):g}, and {np.sum(y <= 0.0)} values that are not positive",
            "Only positive numbers have a logarithm",
            "Leave these rows out if they mean 'not measured'; else learn y itself, or counts with PoissonRegression",
        )

    def _passes_weights(self, inner: Any, w: np.ndarray) -> bool:
        if has_fit_parameter(inner, "sample_weight"):
            return True
        if np.all(w == 1.0):
            return False
        raise InputError(
            type(self).__name__,
            f"sample_weight was given, which {type(inner).__name__} does not take",
            "Its rows have no weights",
            "Leave sample_weight out, or pass another estimator",
        )


def have_logarithms(y: np.ndarray) -> bool:
    """Whether all are positive, and so near to one that squares of what is said of them are numbers."""
    return bool(np.all(y > 0.0) and np.all(np.abs(np.log(y)) < 0.9 * _LARGEST_LOG))


def _moments(belief: Belief) -> tuple[Array, Array]:
    """Mean and standard deviation; where they do not exist (a Student t of one or two degrees of freedom), those of the
    normal with the same middle 68 %."""
    mean, std = belief.mean, belief.std
    exist = jnp.isfinite(mean) & jnp.isfinite(std)
    if bool(jnp.all(exist)):
        return mean, std
    low, middle, high = (belief.quantile(stats.norm.cdf(z)) for z in (-1.0, 0.0, 1.0))
    return jnp.where(exist, mean, middle), jnp.where(exist, std, 0.5 * (high - low))


def _of_exponential(budget: UncertaintyBudget, belief: LogNormal) -> UncertaintyBudget:
    """The parts of the variance of y, from those of the variance of log y."""
    if not budget.is_split:
        return budget
    if not bool(jnp.all(jnp.isfinite(budget.total))):
        return UncertaintyBudget.unsplit("the belief about the logarithm has no variance: the rows are too few")
    share = belief.scale**2 / jnp.maximum(budget.total, jnp.finfo(jnp.float64).tiny)  # one, but where there is a limit
    noise, parameter, computation = (share * part for part in jax.tree.leaves(budget))
    squared = belief.mean**2
    return UncertaintyBudget(
        squared * jnp.exp(parameter + computation) * jnp.expm1(noise),
        squared * jnp.exp(computation) * jnp.expm1(parameter),
        squared * jnp.expm1(computation),
    )
