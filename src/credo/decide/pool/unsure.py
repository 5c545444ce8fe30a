"""Samplers that ask a fitted classifier where it is least sure."""

from abc import abstractmethod
from typing import Any, ClassVar, final

import numpy as np
from jaxtyping import Float
from scipy.special import entr
from sklearn.exceptions import NotFittedError

from credo.decide.pool.sampler import Asked, PoolPicks, PoolSampler, best_first
from credo.errors import InputError
from credo.represent.validation import in_credos_words

__all__ = ["EntropySampler", "MarginSampler", "UncertaintySampler"]


class _Unsure(PoolSampler):
    """Picks the rows that a classifier scores highest; the lowest row number of equal ones."""

    _how: ClassVar[str]

    def __init__(self, classifier: Any) -> None:
        if not hasattr(classifier, "predict_proba"):
            who, what = type(self).__name__, f"a {type(classifier).__name__} has no predict_proba"
            raise InputError(who, what, "It gives labels alone", "Try LogisticRegression, or a calibrated classifier")
        self.classifier = classifier

    def ask(self, pool: Any, n: int, labelled: Any = None) -> PoolPicks:
        """The `n` rows of `pool` to label next, none of them among `labelled` (row numbers, or a mask of rows)."""
        who = type(self).__name__
        asked = Asked(who, pool, n, labelled)
        scores = self._scores(_probabilities(who, self.classifier, pool, asked.size))
        rows = best_first(scores, asked)
        return PoolPicks(rows, scores[rows], f"{self._how} of {type(self.classifier).__name__}")

    @abstractmethod
    def _scores(self, probabilities: Float[np.ndarray, "n k"]) -> Float[np.ndarray, " n"]:
        """How unsure the classifier is of each row."""


@final
class UncertaintySampler(_Unsure):
    r"""Picks the rows with the least probable best class: $1 - \max_k p_k$ (Lewis & Gale 1994).

    The classifier is fitted, with `predict_proba`, and gets the pool as it came. What it is surely wrong about is not
    seen, and rows of one batch may be alike.

    >>> from sklearn.linear_model import LogisticRegression
    >>> classifier = LogisticRegression().fit([[0.0], [4.0]], [0, 1])
    >>> UncertaintySampler(classifier).ask([[0.0], [2.1], [4.0]], 1).indices.tolist()
    [1]
    """

    _how = "least sure"

    def _scores(self, probabilities: Float[np.ndarray, "n k"]) -> Float[np.ndarray, " n"]:
        return 1.0 - np.max(probabilities, axis=1)


@final
class MarginSampler(_Unsure):
    r"""Picks the rows whose two most probable classes are closest: minus their difference (Scheffer et al. 2001).

    With two classes the order is that of [](#credo.decide.UncertaintySampler).
    """

    _how = "smallest margin"

    def _scores(self, probabilities: Float[np.ndarray, "n k"]) -> Float[np.ndarray, " n"]:
        two = np.sort(probabilities, axis=1)[:, -2:]
        return two[:, 0] - two[:, 1]


@final
class EntropySampler(_Unsure):
    r"""Picks the rows with the largest entropy of the class, $-\sum_k p_k \log p_k$, in nats.

    With two classes the order is that of [](#credo.decide.UncertaintySampler).
    """

    _how = "largest entropy"

    def _scores(self, probabilities: Float[np.ndarray, "n k"]) -> Float[np.ndarray, " n"]:
        return np.sum(entr(probabilities), axis=1)


def _probabilities(who: str, classifier: Any, pool: Any, size: int) -> Float[np.ndarray, "n k"]:
    try:
        with in_credos_words(who):
            found = np.asarray(classifier.predict_proba(pool), dtype=np.float64)
    except (InputError, NotFittedError) as error:
        if isinstance(error, NotFittedError) or isinstance(error.__cause__, NotFittedError):
            what = f"the {type(classifier).__name__} is not fitted"
            raise InputError(who, what, "It learns from labelled rows first", "Call fit before ask") from error
        raise
    if found.ndim != 2 or len(found) != size or found.shape[1] < 2 or not np.all(np.isfinite(found)):
        what = f"predict_proba gave shape {found.shape} for {size} rows" + (
            ", with values that are not finite" if not np.all(np.isfinite(found)) else ""
        )
        raise InputError(who, what, "It gives each row a probability of each of two or more classes", "Check it")
    return found
