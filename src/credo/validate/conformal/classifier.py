"""Sets of classes of guaranteed coverage around any classifier with probabilities."""

from numbers import Real
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from sklearn.base import ClassifierMixin
from sklearn.utils import _safe_indexing, column_or_1d
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted

from credo.errors import InputError
from credo.numerics import Certificate, as_seed
from credo.validate.conformal.base import Conformal
from credo.validate.conformal.groups import held_out_share
from credo.validate.conformal.guarantee import USUAL_LEVEL, conformal_certificate, split_coverage
from credo.validate.conformal.refits import refitted
from credo.validate.conformal.scores import aps_scores, group_quantiles, lac_scores

__all__ = ["ConformalClassifier"]

_STATEMENT = "coverage is 1 − α or more (split conformal); if no scores are equal, at most 1/(n + 1) more"
_SPLIT, _CALIBRATED, _ASKED = range(3)  # streams of random numbers of one seed, which must not depend on each other


class ConformalClassifier(ClassifierMixin, Conformal):
    r"""Sets of classes that hold the class of a new row as often as they say, whatever the estimator.

    A share of the rows is held out, and each of their classes has a score that is high where the estimator finds it
    improbable. The set at x has the classes whose score is at most the k-th smallest of those n scores, with
    $k = \lceil (n + 1)(1 - \alpha)\rceil$, and holds the true one with probability $\ge 1 - \alpha$.

    - "lac": one minus the probability of the class. The smallest sets on average, if the probabilities are right, which
      are too small at hard rows and too large at easy ones (Sadinle, Lei & Wasserman 2019).
    - "aps": the probability of all classes that are more probable. Larger sets, and coverage that is more equal over x
      (Romano, Sesia & Candès 2020). As it comes nothing is random, and no set is empty. With `randomized` a random
      share of the probability of the class itself is added, as in that paper: coverage is then no more than it has to
      be also where many scores are equal, and some sets are empty even where the estimator is sure and right.

    An empty set says that no class fits the row as well as theirs fit the others. The guarantee assumes that rows are
    exchangeable, as independent ones of one distribution are, and nothing of the estimator. It is over draws of the
    rows and the new one, not at each x and not in each class. With `groups` it holds in each of them (Mondrian). Where
    the level takes more rows than were held out every class is in the set, and a warning says how many it takes. A
    class that the estimator did not see, as all its rows were held out, has probability zero. One fit; O(k log k) a
    row.

    Parameters
    ----------
    estimator : object with fit, predict and predict_proba
        It is cloned.
    method : "aps" or "lac"
    randomized : bool
        Of "aps".
    calibration : float
        The share of rows that is held out, of each group; 1 where the estimator is fitted already, to other rows.
    random_state : int, generator or None
        For the split and for random sets, which a seed makes repeatable.

    Attributes
    ----------
    classes\_ : array
    estimator\_ : object
        Fitted to the rows that are not held out.
    scores\_, group_of\_, calibration_rows\_ : arrays
        The score of each calibration row, the number of its group and of its row.
    groups\_ : array or None
    seed\_ : int
    certificate\_ : Certificate

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(estimator=GaussianNB(), calibration=0.5, random_state=0).fit(X[::2], y[::2])
    >>> model.predict_set(X[[1, 77]], level=0.95).tolist()
    [[True, False, False], [False, True, True]]
    """

    _parameter_constraints = {  # noqa: RUF012
        "estimator": [HasMethods(["fit", "predict"])],
        "method": [StrOptions({"aps", "lac"})],
        "randomized": ["boolean"],
        "calibration": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state", np.random.Generator],
    }

    classes_: np.ndarray
    seed_: int

    def __init__(
        self,
        *,
        estimator: Any,
        method: Any = "aps",
        randomized: Any = False,
        calibration: Any = 0.25,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.randomized = randomized
        self.calibration = calibration
        self.random_state = random_state

    def predict_set(self, X: Any, level: float = 0.9, *, groups: Any = None) -> Bool[np.ndarray, "n k"]:
        """Whether each of ``classes_`` is in the set at each row of X."""
        level, codes = self._asked(X, level, groups)
        bounds = group_quantiles(self.scores_, self.group_of_, self._groups(), level)
        return self._scores(X, _ASKED) <= bounds[codes][:, None]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability that the estimator gives each of ``classes_``, n × k. Conformal sets do not change it."""
        check_is_fitted(self)
        answered = self.estimator_.predict_proba(X)
        known = self.estimator_.classes_
        answer = self._finite(answered, self.estimator_, "predict_proba", (_num_samples(X), len(known)))
        if len(known) == len(self.classes_):
            return answer
        every = np.zeros((len(answer), len(self.classes_)))
        every[:, np.searchsorted(self.classes_, known)] = answer
        return every

    def guarantee(self, level: float = 0.9) -> float:
        """The coverage that is proven at a level, of each group where there are groups."""
        check_is_fitted(self)
        return split_coverage(level)

    def _targets(self, y: Any) -> np.ndarray:
        check_classification_targets(y)
        return column_or_1d(y, warn=True)

    def _check_estimator(self) -> None:
        super()._check_estimator()
        if not hasattr(self.estimator, "predict_proba"):
            raise InputError(
                type(self).__name__,
                f"{type(self.estimator).__name__} has no predict_proba",
                "Sets are made from the probabilities of classes",
                "Try sklearn.calibration.CalibratedClassifierCV around it",
            )

    def _learn(self, X: Any, y: np.ndarray, codes: Int[np.ndarray, " n"]) -> Int[np.ndarray, " m"]:
        self.seed_ = as_seed(self.random_state)
        held = held_out_share(codes, float(self.calibration), self._generator(_SPLIT))
        kept = np.delete(np.arange(len(y)), held)
        self._check_classes(y, kept)
        self.estimator_ = refitted(self.estimator, X, y, [kept])[0]
        self.classes_ = np.union1d(y, self.estimator_.classes_)
        true = np.searchsorted(self.classes_, y[held])
        self.scores_ = self._scores(_safe_indexing(X, held), _CALIBRATED)[np.arange(len(held)), true]
        return held

    def _check_classes(self, y: np.ndarray, kept: Int[np.ndarray, " m"]) -> None:
        """Two classes to tell apart, where the estimator is still to be fitted."""
        if self.calibration == 1.0:
            return
        for part, labels in (("y", np.unique(y)), ("the part of y to learn from", np.unique(y[kept]))):
            if len(labels) < 2:
                raise InputError(
                    type(self).__name__,
                    f"{part} has {f'one class only: {labels[0]!r}' if len(labels) else 'no class'}",
                    "Rows were filtered or sorted, or too few are left when some are held out",
                    "Pass more rows of at least two classes, or try another random_state",
                )

    def _certificate(self) -> Certificate:
        return conformal_certificate(
            _STATEMENT, self.guarantee(USUAL_LEVEL), int(np.min(self._sizes())), self._groups()
        )

    def _scores(self, X: Any, stream: int) -> Float[np.ndarray, "n k"]:
        """The score of each class at each row."""
        probabilities = self.predict_proba(X)
        if self.method == "lac":
            return lac_scores(probabilities)
        shares = self._generator(stream).random(len(probabilities)) if self.randomized else None
        return aps_scores(probabilities, shares)

    def _generator(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed_, stream])
