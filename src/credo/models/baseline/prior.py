"""The shares of the classes, whatever the row."""

import jax.numpy as jnp
import numpy as np
from sklearn.utils import Tags

from credo.beliefs import Categorical, Dirichlet, DirichletCategorical
from credo.models.base import Classifier
from credo.numerics.certificate import Certificate

__all__ = ["PriorClassifier"]


class PriorClassifier(Classifier):
    r"""The share of each class at every row: what is known without columns.

    With a uniform prior on the K shares, $n_c$ rows of class c among n give $P(y = c) = (n_c + 1)/(n + K)$ (Laplace's
    rule of succession; Gelman et al. 2013, §3.4). The budget is exact under that prior: the share has variance $p(1 -
    p)/(n + K + 1)$, and the rest of $p(1 - p)$ is noise. O(n).

    Attributes
    ----------
    classes\_ : array
    counts\_ : array
        $n_c$, rows counted with their weights.
    certificate\_ : Certificate

    Examples
    --------
    >>> rows = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> PriorClassifier().fit(rows, ["a", "b", "b", "b", "b", "b"]).predict_proba([[9.0]]).tolist()
    [[0.25, 0.75]]
    """

    counts_: np.ndarray

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self.counts_ = np.bincount(y, weights=w, minlength=len(self.classes_))
        self.certificate_ = Certificate("exact", notes=("no column was used",))

    def _belief(self, X: np.ndarray) -> Categorical:
        posterior = np.tile(self.counts_ + 1.0, (len(X), 1))
        return DirichletCategorical(classes=len(self.classes_)).predictive(Dirichlet(jnp.asarray(posterior)))
