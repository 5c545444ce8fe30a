"""Boosted trees of a class, with probabilities that rows they have not seen agree with."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from scipy.special import softmax

from credo.beliefs import Categorical, UncertaintyBudget
from credo.infer.boosting import CrossFit, cross_fit, dilution, jackknife_variance, trees_at
from credo.infer.calibration import calibration_slopes
from credo.models.base import Classifier
from credo.models.ensemble.boosting import Boosted

__all__ = ["GradientBoostingClassifier"]


class GradientBoostingClassifier(Classifier, Boosted):
    r"""The log odds of classes as sums of small trees.

    K models are boosted by their log loss, each without one fold (LightGBM's trees: Ke et al. 2017), for as many rounds
    as are best at the rows that each has not seen. The probabilities are $p \propto e^{a\,\bar\eta(x)}$ of the mean log
    odds $\bar\eta$ of the models. The slope a is the one that is most likely for single models at rows they have not
    seen (temperature scaling: Guo, Pleiss, Sun & Weinberger 2017), times what their mean is less diluted by errors
    ([](#credo.infer.dilution)), so that probabilities are as sure as they are right.

    The budget calls the jackknife variance of p, which deletes a fold each time, the parameter's share, as far as it
    fits into $p(1 - p)$, and the rest noise. Outside of the rows that were seen a tree is constant, and nothing
    becomes less sure there. A fit costs K times O(rounds × n × d × classes), a prediction O(K × rounds × depth ×
    classes).

    Parameters
    ----------
    learning_rate : float
        The share of each tree that is added.
    max_leaves : int
        Of a tree.
    min_rows : float
        In a leaf, counted with their weights: its curvature $\sum_i w_i p_i(1 - p_i)$ is at least a tenth of it.
    max_rounds : int
        At the most; a warning says where the loss still fell.
    folds : int
        K, which share out the classes.
    random_state : int, generator or None
        Of the folds.

    Attributes
    ----------
    classes\_ : array
    trees\_ : tuple of Trees
        One for each fold: the log odds of the second of two classes, else one number a class.
    rounds\_ : int
    held_losses\_ : array
        The log loss at held rows by the number of rounds.
    slope\_ : float
        a.
    certificate\_ : Certificate

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GradientBoostingClassifier(random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    slope_: float

    def _strata(self, y: np.ndarray) -> Int[np.ndarray, " n"]:
        return y

    def _boost(
        self, X: Float[np.ndarray, "n d"], y: np.ndarray, w: Float[np.ndarray, " n"], folds: Int[np.ndarray, " n"]
    ) -> CrossFit:
        classes = len(self.classes_)
        outputs = classes if classes > 2 else 1
        found = cross_fit("classes", X, y, w, folds, self._growth(), outputs=outputs, max_rounds=int(self.max_rounds))
        members = _of_each(np.stack([trees_at(trees, X) for trees in found.trees]))
        self.slope_ = float(calibration_slopes(_of_each(found.held), y, w)[0]) * dilution(members)
        return found

    def _belief(self, X: np.ndarray) -> Categorical:
        members = self.slope_ * _of_each(self._members(X))
        p = softmax(np.mean(members, axis=0), axis=-1)
        total = p * (1.0 - p)
        parameter = np.minimum(jackknife_variance(softmax(members, axis=-1)), total)
        budget = UncertaintyBudget(noise=jnp.asarray(total - parameter), parameter=jnp.asarray(parameter))
        return Categorical(jnp.asarray(p), budget=budget)


def _of_each(scores: Float[np.ndarray, "*n k"]) -> Float[np.ndarray, "*n c"]:
    """A score for each class; of two the first has none."""
    if scores.shape[-1] > 1:
        return scores
    return np.concatenate([np.zeros_like(scores), scores], axis=-1)
