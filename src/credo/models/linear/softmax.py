"""Softmax regression of several classes."""

import warnings
from numbers import Real
from typing import Any, Self

import jax.numpy as jnp
import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _num_samples

from credo.beliefs import Belief, Categorical, UncertaintyBudget
from credo.errors import ConvergenceWarning, InputError, UndefinedError, message
from credo.infer.glm import LinearDesign
from credo.infer.glm.separation import HELD, UNKNOWN, Separation, separation_note
from credo.infer.glm.softmax import SoftmaxFit, fit_softmax
from credo.infer.glm.softmax_existence import softmax_separation
from credo.infer.softmax_latent import softmax_probability
from credo.infer.testing import Estimates, akaike, bayes_criterion
from credo.models.base import Classifier
from credo.models.linear.from_formula import FromFormula
from credo.models.linear.inference import InStandardUnits
from credo.numerics.certificate import CONVERGED, STOPPED, Certificate, Info, certify
from credo.numerics.padding import filled
from credo.numerics.random import RandomState
from credo.numerics.threads import OneBlasThread
from credo.represent.validation import checked_features, checked_weights

__all__ = ["SoftmaxRegression"]


class SoftmaxRegression(InStandardUnits, FromFormula, Classifier):
    r"""Several classes with log odds that are linear: $P(y = k \mid x) \propto e^{\alpha_k + x^\top\beta_k}$.

    Maximum likelihood, with standard errors, tests and intervals of each class against the last one. Probabilities are
    averaged over the normal approximation of the log odds by sampling, whose error is in the budget. Without a penalty
    separated classes have no maximum of the likelihood. The fit proves whether they are separated; if they are, the
    coefficients are those of a small ridge, with a warning, and `summary` refuses. A fit costs O(n d K) per iteration,
    and O(n d² K²) for the information at its end. `fit_counts` takes a table of counts, one column per class.

    Without a penalty the predictions do not depend on the units and, with an intercept, the origins of the columns.

    Parameters
    ----------
    ridge : float
        $\lambda$ in $-\log L + \tfrac12\lambda\sum_k\lVert\beta_k\rVert^2$; scikit-learn's C is one over it. It is
        on the coefficients of the columns as they come, so it depends on their units: standardize columns whose units
        mean nothing.
    fit_intercept : bool
    random_state : int, generator, key or None
        Of the draws that average probabilities.

    Attributes
    ----------
    classes\_ : array
    coef\_, intercept\_ : arrays
        K × d and K; over the classes they sum to zero.
    log_likelihood\_ : float
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.tile(np.arange(9.0), 4)[:, None]
    >>> y = np.tile(["low", "low", "mid", "low", "mid", "mid", "high", "mid", "high"], 4)
    >>> SoftmaxRegression(random_state=0).fit(X, y).predict([[0.0], [4.0], [9.0]]).tolist()
    ['low', 'mid', 'high']
    """

    _takes_sparse = True
    _parameter_constraints = {  # noqa: RUF012
        "ridge": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    log_likelihood_: float
    weight_: float
    rank_: int
    separated_: Separation

    def __init__(self, *, ridge: float = 0.0, fit_intercept: bool = True, random_state: RandomState = None) -> None:
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit_counts(self, X: Any, counts: Any, sample_weight: Any = None) -> Self:
        """Learn from how often each class was seen at each row of X: a multinomial regression.

        `counts` is n × K, one column a class, named as the columns of a frame are, else 0 to K − 1. It is the same as
        `fit` to one row for each class and row of X, with the count as its weight; ``log_likelihood_`` is that of the
        single observations.
        """
        who, names = type(self).__name__, getattr(counts, "columns", None)
        table = np.asarray(counts, dtype=np.float64)
        rows = _num_samples(X)
        wrong = table.ndim != 2 or table.shape[0] != rows or not np.all(np.isfinite(table)) or np.any(table < 0.0)
        if wrong or np.any(np.sum(table, axis=0) == 0.0):
            raise InputError(
                who,
                f"counts of shape {table.shape} for {rows} rows",
                "They are n × K, finite and not negative, and each class was seen at least once",
                "Drop columns of zeros, or pass labels to fit",
            )
        weights = checked_weights(who, sample_weight, table)
        at, codes = np.nonzero(table)
        labels = np.arange(table.shape[1]) if names is None else np.asarray(names)
        return self.fit(_safe_indexing(X, at), labels[codes], sample_weight=table[at, codes] * weights[at])

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray) -> None:
        design = LinearDesign(X, bool(self.fit_intercept), np.zeros(len(y)))
        ridge: Any = float(self.ridge)
        who, classes = type(self).__name__, len(self.classes_)
        found = fit_softmax(design, y, w, classes, ridge, who=who)
        self.center_, self.scale_, _ = found.units
        inner = LinearDesign(found.units.of(X), design.intercept, design.offset)
        with OneBlasThread():
            self.separated_ = "none" if ridge > 0.0 else softmax_separation(inner, y, w, found)
        if self.separated_ != "none":
            ridge = HELD * inner.variances(w) * self.scale_**2
            found = fit_softmax(design, y, w, classes, ridge, who=who)
        self.standard_coefficients_, self.weight_ = found.standard_coefficients, float(np.sum(w))
        self.standard_inverse_information_, self.rank_ = found.standard_inverse, found.rank
        penalties = design.penalties(found.units.ridge(ridge))
        penalty = 0.5 * penalties @ np.sum(found.standard_coefficients**2, axis=1)
        self.log_likelihood_ = float(penalty - found.value)
        self.certificate_ = self._certificate(found)

    def _certificate(self, found: SoftmaxFit) -> Certificate:
        if self.separated_ != "none":
            note = separation_note(self.separated_)
            warnings.warn(ConvergenceWarning(message(type(self).__name__, note, "", "Try ridge=1.0")), stacklevel=4)
            return Certificate("exact", status="stopped early", iterations=found.iterations, notes=(note,))
        notes = (f"rank {self.rank_} of {self._free} coefficients",) if self.rank_ < self._free else ()
        info = Info(CONVERGED if found.converged else STOPPED, found.iterations, found.decrement)
        return certify(info, "exact", type(self).__name__, notes=notes)

    @property
    def _free(self) -> int:
        """Coefficients that independent columns would determine: without a ridge, those of all classes but one."""
        coefficients = self.standard_coefficients_
        return coefficients.size - (0 if self.ridge > 0.0 else len(coefficients))

    @property
    def coef_(self) -> np.ndarray:
        """K × d."""
        return self.coefficients_[int(self.fit_intercept) :].T

    @property
    def intercept_(self) -> np.ndarray:
        """One a class."""
        return self.coefficients_[0] if self.fit_intercept else np.zeros(len(self.classes_))

    def decision_function(self, X: Any) -> np.ndarray:
        """The log probability of each class at each row of X; of two classes, the log odds of the second."""
        X = checked_features(self, X)
        if self.separated_ != "none":
            logs = self._design(X).predictors(self.standard_coefficients_)
        else:
            probabilities = np.asarray(self._belief(filled(X)).mean)[: X.shape[0]]
            logs = np.log(np.maximum(probabilities, np.finfo(float).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def _belief(self, X: Any) -> Belief:
        design = self._design(X)
        eta = design.predictors(self.standard_coefficients_)
        if self.separated_ != "none":
            plain = Categorical.from_logits(jnp.asarray(eta))
            return plain.with_budget(UncertaintyBudget.unsplit(UNKNOWN))
        averaged = softmax_probability(eta, self._spread(design), random_state=self.random_state or 0)
        mean = averaged.mean / jnp.sum(averaged.mean, axis=1, keepdims=True)
        total = mean * (1.0 - mean)
        between = jnp.clip(averaged.variance, 0.0, total)
        computation = jnp.minimum(averaged.standard_error**2, between)
        budget = UncertaintyBudget(noise=total - between, parameter=between - computation, computation=computation)
        return Categorical(mean, budget=budget)

    def _design(self, X: Any) -> LinearDesign:
        """Rows in the units of the fit."""
        return LinearDesign(self._units().of(X), bool(self.fit_intercept), np.zeros(X.shape[0]))

    def _spread(self, design: LinearDesign) -> np.ndarray:
        """The covariance of the predictors of the classes, n × K × K."""
        p, classes = self.standard_coefficients_.shape
        blocks = self.standard_inverse_information_.reshape(classes, p, classes, p)
        spreads = [np.einsum("ni,jikl,nl->njk", x, blocks, x, optimize=True) for x in design.dense_parts()]
        return np.concatenate(spreads)

    def _classical(self) -> dict[str, Estimates]:
        who = type(self).__name__
        if self.ridge > 0.0 or self.separated_ != "none" or self.rank_ < self._free:
            raise UndefinedError(
                who,
                f"ridge={self.ridge:g}, {self.separated_} separation, rank {self.rank_} of {self._free} coefficients",
                "Standard errors are of the maximum of a likelihood, which has one where nothing is penalized, classes "
                "overlap and no column is a combination of others",
                "Fit with ridge=0.0, drop columns, pass more rows",
            )
        names = self._names(self.coef_.shape[1])
        p, classes = self.standard_coefficients_.shape
        blocks = self.inverse_information_.reshape(classes, p, classes, p)
        covariances = (
            blocks[k, :, k] + blocks[-1, :, -1] - blocks[k, :, -1] - blocks[-1, :, k] for k in range(classes - 1)
        )
        coefficients = self.coefficients_
        against = (coefficients[:, :-1] - coefficients[:, -1:]).T
        labels = [f"{label} against {self.classes_[-1]}" for label in self.classes_[:-1]]
        return {
            label: Estimates(names, values, covariance)
            for label, values, covariance in zip(labels, against, covariances, strict=True)
        }

    def _bread(self) -> np.ndarray:
        raise UndefinedError(
            type(self).__name__,
            "robust standard errors of several classes",
            "They are not offered",
            "Use the classical ones, or LogisticRegression for two classes",
        )

    def _facts(self) -> dict[str, float]:
        likelihood = self.log_likelihood_
        return {
            "rows": self.weight_,
            "log likelihood": likelihood,
            "AIC": akaike(likelihood, self.rank_),
            "BIC": bayes_criterion(likelihood, self.rank_, self.weight_),
        }
