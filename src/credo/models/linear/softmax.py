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
from credo.infer.softmax_latent import softmax_probability
from credo.infer.testing import Estimates, akaike, bayes_criterion
from credo.models.base import Classifier
from credo.models.linear.from_formula import FromFormula
from credo.models.linear.inference import SpeaksOfCoefficients
from credo.numerics.certificate import CONVERGED, STOPPED, Certificate, Info, certify
from credo.numerics.padding import filled
from credo.numerics.random import RandomState
from credo.represent.validation import checked_features, checked_weights

__all__ = ["SoftmaxRegression"]

_FAR = 40.0  # of log odds: classes this far apart are separated in part


class SoftmaxRegression(SpeaksOfCoefficients, FromFormula, Classifier):
    r"""Several classes with log odds that are linear: $P(y = k \mid x) \propto e^{\alpha_k + x^\top\beta_k}$.

    Maximum likelihood, with standard errors, tests and intervals of each class against the last one. Probabilities are
    averaged over the normal approximation of the log odds by sampling, whose error is in the budget. Without a penalty
    separated classes have no maximum of the likelihood: predictors that grow far out end the fit with a warning, and
    `summary` refuses. A fit costs O(n d K) an iteration, and O(n d² K²) for the information at its end. `fit_counts`
    takes a table of counts, one column a class.

    Parameters
    ----------
    ridge : float
        $\lambda$ in $-\log L + \tfrac12\lambda\sum_k\lVert\beta_k\rVert^2$; scikit-learn's C is one over it.
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

    coefficients_: np.ndarray
    inverse_information_: np.ndarray
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
        found = fit_softmax(design, y, w, len(self.classes_), ridge)
        self.separated_ = "none" if ridge > 0.0 else _separation(design.predictors(found.coefficients), y)
        if self.separated_ != "none":
            ridge = HELD * design.variances(w)
            found = fit_softmax(design, y, w, len(self.classes_), ridge)
        self.coefficients_, self.weight_ = found.coefficients, float(np.sum(w))
        self.inverse_information_, self.rank_ = found.inverse_information, found.rank
        penalty = 0.5 * design.penalties(ridge) @ np.sum(found.coefficients**2, axis=1)
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
        return self.coefficients_.size - (0 if self.ridge > 0.0 else len(self.coefficients_))

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
            logs = X @ self.coef_.T + self.intercept_
        else:
            probabilities = np.asarray(self._belief(filled(X)).mean)[: X.shape[0]]
            logs = np.log(np.maximum(probabilities, np.finfo(float).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def _belief(self, X: Any) -> Belief:
        design = LinearDesign(X, bool(self.fit_intercept), np.zeros(X.shape[0]))
        eta = design.predictors(self.coefficients_)
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

    def _blocks(self) -> np.ndarray:
        """The covariance of the coefficients of two classes, K × p × K × p."""
        p, classes = self.coefficients_.shape
        return self.inverse_information_.reshape(classes, p, classes, p)

    def _spread(self, design: LinearDesign) -> np.ndarray:
        """The covariance of the predictors of the classes, n × K × K."""
        blocks = self._blocks()
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
        blocks = self._blocks()
        covariances = (
            blocks[k, :, k] + blocks[-1, :, -1] - blocks[k, :, -1] - blocks[-1, :, k]
            for k in range(len(self.classes_) - 1)
        )
        against = (self.coefficients_[:, :-1] - self.coefficients_[:, -1:]).T
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


def _separation(eta: np.ndarray, codes: np.ndarray) -> Separation:
    """Complete where every row's own class has the highest predictor; partial where some are so far ahead as that."""
    own = np.take_along_axis(eta, codes[:, None], axis=1)[:, 0]
    others = eta.copy()
    np.put_along_axis(others, codes[:, None], -np.inf, axis=1)
    ahead = own - np.max(others, axis=1)
    if np.all(ahead > 0.0):
        return "complete"
    return "partial" if np.max(eta) - np.min(eta) > _FAR else "none"
