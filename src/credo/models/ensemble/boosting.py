"""What boosted trees of numbers and of classes share: their settings, their folds, their certificate."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.utils._param_validation import Interval

from credo.errors import InputError
from credo.infer.boosting import CrossFit, Growth, Trees, trees_at
from credo.infer.resample import dealt
from credo.models.base import Probabilistic
from credo.numerics.certificate import CONVERGED, STOPPED, Certificate, Info, certify, warned
from credo.numerics.padding import merge_rows
from credo.numerics.random import as_seed

__all__ = ["Boosted"]


class Boosted(Probabilistic):
    """Trees that each correct the sum of those before, in models that have not seen a fold each.

    A subclass writes `_boost`, which learns from distinct rows and the fold of each.
    """

    _parameter_constraints = {  # noqa: RUF012
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "max_leaves": [Interval(Integral, 2, None, closed="left")],
        "min_rows": [Interval(Real, 0, None, closed="neither")],
        "max_rounds": [Interval(Integral, 1, None, closed="left")],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    trees_: tuple[Trees, ...]
    rounds_: int
    held_losses_: np.ndarray

    def __init__(
        self,
        *,
        learning_rate: float = 0.05,
        max_leaves: int = 15,
        min_rows: float = 5,
        max_rounds: int = 2000,
        folds: int = 5,
        random_state: Any = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.min_rows = min_rows
        self.max_rounds = max_rounds
        self.folds = folds
        self.random_state = random_state

    @abstractmethod
    def _boost(
        self, X: Float[np.ndarray, "n d"], y: np.ndarray, w: Float[np.ndarray, " n"], folds: Int[np.ndarray, " n"]
    ) -> CrossFit:
        """Learn from distinct rows, how often each was seen, and the fold of each."""

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        (X, y), w, _ = merge_rows(X, y, weights=w)
        if len(w) < 2:
            raise InputError(
                type(self).__name__,
                f"n_samples = {len(w)} of different rows",
                "Each model is judged on rows it has not seen, so that there are two at least",
                "Pass more rows",
            )
        generator = np.random.default_rng(as_seed(self.random_state))
        folds = dealt(self._strata(y), min(int(self.folds), len(w)), generator)
        found = self._boost(X, y, w, folds)
        self.trees_, self.rounds_, self.held_losses_ = found.trees, found.rounds, found.losses
        self.certificate_ = self._certificate(found)

    def _strata(self, y: np.ndarray) -> Int[np.ndarray, " n"]:
        """Kinds of rows that the folds share out."""
        return np.zeros(len(y), dtype=int)

    def _growth(self) -> Growth:
        return Growth(float(self.learning_rate), int(self.max_leaves), float(self.min_rows))

    def _members(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "m n k"]:
        """What each of the models says at each row."""
        return np.stack([trees_at(trees, X) for trees in self.trees_])

    def _certificate(self, found: CrossFit) -> Certificate:
        info = Info(STOPPED if found.stopped else CONVERGED, found.rounds)
        notes = (
            f"{found.rounds} rounds were best for {len(found.trees)} models at the fold that each had not seen",
            "greedy: another sum of as many trees may fit better",
        )
        who = type(self).__name__
        certificate = certify(info, "heuristic", who, notes=notes, warn=False)
        return warned(certificate, who, "The loss at held rows still fell: try a larger max_rounds or learning_rate")
