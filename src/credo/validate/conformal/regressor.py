"""Intervals of guaranteed coverage around any regressor."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import RegressorMixin
from sklearn.utils import _safe_indexing, column_or_1d, gen_batches
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted

from credo.errors import InputError
from credo.infer.resample import dealt
from credo.numerics import Certificate, as_seed
from credo.validate.conformal.base import Conformal
from credo.validate.conformal.groups import held_out_share
from credo.validate.conformal.guarantee import (
    USUAL_LEVEL,
    conformal_certificate,
    cv_plus_coverage,
    jackknife_plus_coverage,
    split_coverage,
)
from credo.validate.conformal.refits import refitted
from credo.validate.conformal.scores import Ends, group_quantiles, plus_ends

__all__ = ["ConformalRegressor"]

_BLOCK = 2**22  # predictions of all models that are kept at a time: 32 MB
_STATEMENTS = {
    "split": "coverage is 1 − α or more (split conformal); if no scores are equal, at most 1/(n + 1) more",
    "cv+": "coverage is 1 − 2α − 2(1 − α)(K − 1)/(n + K) or more with K folds (CV+); guarantee(level) has it",
    "jackknife+": "coverage is 1 − 2α or more, for an algorithm that treats rows alike (jackknife+)",
}


class ConformalRegressor(RegressorMixin, Conformal):
    r"""Intervals that hold a new observation as often as they say, whatever the estimator.

    How far off the estimator is on rows it was not fitted to, $R_i = |y_i - \mu(x_i)|$, bounds how far off it is on a
    new one, which is as good as any of them. With $k = \lceil (n + 1)(1 - \alpha)\rceil$:

    - "split" holds out a share of the rows and gives $\mu(x) \pm R_{(k)}$. One fit, coverage $\ge 1 - \alpha$ (Lei et
      al. 2018, theorem 2.2).
    - "cv+" holds out each fold once, and the ends are order statistics of $\mu_{-i}(x) \pm R_i$ over all rows i, with
      $\mu_{-i}$ the fit without the fold of i. `folds` + 1 fits, coverage $\ge 1 - 2\alpha$ less a little for the
      folds, with K equal ones at most $2(1 - \alpha)(K - 1)/(n + K)$ (Vovk et al. 2018, as in Barber, Candès, Ramdas &
      Tibshirani 2021, §3.2; see also theorem 4 there); `guarantee` has the number.
    - "jackknife+" has each row as a fold: n + 1 fits, coverage $\ge 1 - 2\alpha$ (theorem 1 of Barber et al.).

    In practice the last two cover about 1 − α, with shorter intervals than the first since they learn from more rows.

    With `normalized`, $R_i$ and the interval are in units of the standard deviation that the estimator itself states
    at x, so that intervals are wide where it is unsure; guarantees stay. They assume that rows are exchangeable, as
    independent ones of one distribution are, and nothing of the estimator, which may be wrong: it makes intervals
    wide, not false. Coverage is over draws of the rows and the new one, not at each x. With `groups` it holds in each
    of them (Mondrian): a row is held against the calibration rows of its own group.

    A level above $n/(n + 1)$ has no finite interval: it is infinite, and a warning says how many rows it takes. There
    is no belief: n errors leave a chance of 1/(n + 1) beyond the largest, where nothing says how far. Predictions
    cost those of all models, and with "cv+" and "jackknife+" O(n) a row.

    Parameters
    ----------
    estimator : object with fit and predict
        It is cloned.
    method : "cv+", "split" or "jackknife+"
    normalized : bool
        Whether errors are in units of ``estimator.predict_dist(X).std``.
    folds : int
        Of "cv+".
    calibration : float
        The share of rows that "split" holds out, of each group; 1 where the estimator is fitted already, to others.
    random_state : int, generator or None
        For the split and the folds.

    Attributes
    ----------
    estimator\_ : object
        What predicts: fitted to all rows, with "split" to those that are not held out.
    estimators\_ : tuple
        What intervals are from: one a fold.
    scores\_, fold_of\_, group_of\_, calibration_rows\_ : arrays
        The error of each calibration row, its fold, the number of its group and of its row.
    groups\_ : array or None
    certificate\_ : Certificate

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(2000, 1)), rng.exponential(size=2000)
    >>> model = ConformalRegressor(estimator=DummyRegressor(), method="split", random_state=0).fit(X[:1000], y[:1000])
    >>> low, high = model.predict_interval(X[1000:], level=0.9)
    >>> float(np.mean((low <= y[1000:]) & (y[1000:] <= high))), model.guarantee(0.9)
    (0.9, 0.9)
    """

    _parameter_constraints = {  # noqa: RUF012
        "estimator": [HasMethods(["fit", "predict"])],
        "method": [StrOptions({"cv+", "split", "jackknife+"})],
        "normalized": ["boolean"],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "calibration": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state", np.random.Generator],
    }

    estimators_: tuple[Any, ...]
    fold_of_: np.ndarray

    def __init__(
        self,
        *,
        estimator: Any,
        method: Any = "cv+",
        normalized: Any = False,
        folds: Any = 5,
        calibration: Any = 0.25,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.normalized = normalized
        self.folds = folds
        self.calibration = calibration
        self.random_state = random_state

    def predict_interval(self, X: Any, level: float = 0.9, *, groups: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)``: where a new observation lies, at each row of X, as often as `guarantee` says."""
        level, codes = self._asked(X, level, groups)
        if self.method != "split":
            ends = self._plus_interval(X, level, codes)
            return ends.low, ends.high
        center, scale = self._predicted(self.estimator_, X)
        reach = group_quantiles(self.scores_, self.group_of_, self._groups(), level)[codes] * scale
        return center - reach, center + reach

    def guarantee(self, level: float = 0.9) -> float:
        """The coverage that is proven at a level, of each group where there are groups."""
        check_is_fitted(self)
        if self.method == "split":
            return split_coverage(level)
        if self.method == "jackknife+":
            return jackknife_plus_coverage(level)
        groups = self._groups()
        sizes = [np.bincount(self.fold_of_[self.group_of_ == group]) for group in range(groups)]
        return min(cv_plus_coverage(level, size, alone=groups == 1) for size in sizes)

    def _targets(self, y: Any) -> np.ndarray:
        targets = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
        if not np.all(np.isfinite(targets)):
            raise InputError(
                type(self).__name__, "y has NaN or infinity", "Results are missing", "Drop those rows first"
            )
        return targets

    def _check_estimator(self) -> None:
        super()._check_estimator()
        if self.normalized and not hasattr(self.estimator, "predict_dist"):
            raise InputError(
                type(self).__name__,
                f"normalized=True, but {type(self.estimator).__name__} has no predict_dist",
                "It states no standard deviation to measure errors by",
                "Try an estimator of credo.models, or normalized=False",
            )

    def _learn(self, X: Any, y: np.ndarray, codes: Int[np.ndarray, " n"]) -> Int[np.ndarray, " m"]:
        every = np.arange(len(y))
        fold_of = self._fold_of(codes)
        folds = [np.flatnonzero(fold_of == fold) for fold in range(int(np.max(fold_of)) + 1)]
        self.estimators_ = refitted(self.estimator, X, y, [np.delete(every, fold) for fold in folds])
        self.estimator_ = self.estimators_[0] if self.method == "split" else refitted(self.estimator, X, y, [every])[0]
        scores = np.empty(len(y))
        for model, fold in zip(self.estimators_, folds, strict=True):
            center, scale = self._predicted(model, _safe_indexing(X, fold))
            scores[fold] = np.abs(y[fold] - center) / scale
        held = np.flatnonzero(fold_of >= 0)
        self.scores_, self.fold_of_ = scores[held], fold_of[held]
        return held

    def _fold_of(self, codes: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The fold that holds out each row: 0 or none (−1) in a split."""
        generator, n = np.random.default_rng(as_seed(self.random_state)), len(codes)
        if self.method == "jackknife+":
            return np.arange(n)
        if self.method == "cv+":
            self._check_left(self.folds <= n, f"folds={self.folds} with n_samples = {n}", f"Try folds={min(n, 5)}")
            return dealt(codes, int(self.folds), generator)
        fold_of = np.full(n, -1)
        fold_of[held_out_share(codes, float(self.calibration), generator)] = 0
        wanted = f"calibration={self.calibration} leaves none of n_samples = {n} to learn from"
        self._check_left(self.calibration == 1.0 or bool(np.any(fold_of < 0)), wanted, "Try fewer groups, or 0.25")
        return fold_of

    def _check_left(self, enough: bool, what: str, remedy: str) -> None:
        if not enough:
            raise InputError(type(self).__name__, what, "There are too few rows to hold some out", remedy)

    def _certificate(self) -> Certificate:
        smallest = int(np.min(self._sizes()))
        return conformal_certificate(_STATEMENTS[self.method], self.guarantee(USUAL_LEVEL), smallest, self._groups())

    def _predicted(self, model: Any, X: Any) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """The center at each row, and the unit of errors there."""
        shape = (_num_samples(X),)
        center = self._finite(model.predict(X), model, "predict", shape)
        if not self.normalized:
            return center, np.ones(shape)
        scale = self._finite(model.predict_dist(X).std, model, "predict_dist(X).std", shape)
        if not np.all(scale > 0.0):
            raise InputError(
                type(self).__name__,
                f"{type(model).__name__} states a standard deviation of zero",
                "It claims to know some rows without error, which no error can be measured by",
                "Try normalized=False",
            )
        return center, scale

    def _plus_interval(self, X: Any, level: float, codes: Int[np.ndarray, " n"]) -> Ends:
        """The ends from all models, for a bounded number of rows at a time."""
        low, high = np.empty(len(codes)), np.empty(len(codes))
        for rows in gen_batches(len(codes), max(1, _BLOCK // len(self.estimators_))):
            block = X if rows.stop - rows.start == len(codes) else _safe_indexing(X, rows)
            predicted = [self._predicted(model, block) for model in self.estimators_]
            centers, scales = (np.stack(parts, axis=1) for parts in zip(*predicted, strict=True))
            for group in np.unique(codes[rows]):
                new, seen = codes[rows] == group, self.group_of_ == group
                ends = plus_ends(centers[new], scales[new], self.fold_of_[seen], self.scores_[seen], level)
                low[rows][new], high[rows][new] = ends
        return Ends(low, high)
