"""What classifiers share that model the rows of each class."""

from abc import abstractmethod
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.special import log_softmax

from credo.beliefs import Belief, Categorical, UncertaintyBudget
from credo.errors import InputError
from credo.models.base import Classifier
from credo.represent.validation import checked_features

__all__ = ["GenerativeClassifier"]

_PLUG_IN = "the classes are taken as they were estimated, so what more rows would change is not known"
_ROUNDING = 1e-8


class GenerativeClassifier(Classifier):
    r"""A classifier by Bayes' rule, $P(k \mid x) \propto \pi_k\,p(x \mid k)$, with priors by frequency or given.

    The parameters of the classes are plugged in, so the variance of the class is not split.
    """

    priors: Any
    priors_: np.ndarray

    @abstractmethod
    def _log_densities(self, X: Any) -> np.ndarray:
        """The log density of each row under each class, n × k, up to a constant of the row."""

    def _class_priors(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The share of each class in the rows, or what was given."""
        classes = len(self.classes_)
        if self.priors is None:
            counts = np.bincount(y, w, classes)
            return counts / np.sum(counts)
        who, expected = (
            type(self).__name__,
            f"Pass {classes} positive numbers that sum to one, in the order of classes_",
        )
        try:
            given = np.asarray(self.priors, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(who, f"priors={self.priors!r} are not numbers", "", expected) from error
        if given.shape != (classes,):
            raise InputError(who, f"priors have shape {given.shape}, but y has {classes} classes", "", expected)
        if not np.all(given > 0.0) or abs(np.sum(given) - 1.0) > _ROUNDING:
            raise InputError(who, f"priors={given.tolist()} are no probabilities", "Counts were given", expected)
        return given / np.sum(given)

    def _scores(self, X: Any) -> np.ndarray:
        """The log probability of each class, up to a constant of the row."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._log_densities(X) + np.log(self.priors_)
        if not np.all(np.isfinite(scores)):
            row = int(np.argmin(np.all(np.isfinite(scores), axis=1)))
            raise InputError(
                type(self).__name__,
                f"row {row} of X is too far from every class: its densities are zero",
                "A value is in other units than those of fit",
                "Look at the row",
            )
        return scores

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The log probability of each class, n × k: finite also where the probability rounds to zero."""
        return log_softmax(self._scores(checked_features(self, X)), axis=1)

    def _belief(self, X: Any) -> Belief:
        plain = Categorical.from_logits(jnp.asarray(self._scores(X)))
        return plain.with_budget(UncertaintyBudget.unsplit(_PLUG_IN))
