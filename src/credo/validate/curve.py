"""How the risk falls with the number of rows, and how many would bring it to a target."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.utils.validation import _num_samples

from credo.errors import InputError, UndefinedError
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed
from credo.represent.validation import in_credos_words
from credo.validate.plans import Plan
from credo.validate.predictions import is_for_classes, targets_of
from credo.validate.refit import refit
from credo.validate.risk import ratios
from credo.validate.scores import as_scores

__all__ = ["LearningCurve", "RowsNeeded", "learning_curve"]

_SIZES = 6
_POWERS = np.linspace(0.05, 2.0, 40)  # of the law by which a risk falls: parametric fits have 1, slower ones less


class RowsNeeded(NamedTuple):
    """How many rows to learn from bring a score to a target: the middle guess, and an interval of probability `level`.

    Infinite means that no number does; `reached` is the probability that some number does.
    """

    target: float
    rows: float
    low: float
    high: float
    level: float
    reached: float

    def __str__(self) -> str:
        rows, low, high = ("never" if np.isinf(n) else f"{n:.3g}" for n in (self.rows, self.low, self.high))
        rows += "" if np.isinf(self.rows) else " rows"
        return f"{self.target:.4g}: {rows} ({self.level:.0%} interval {low} to {high}; reached: {self.reached:.0%})"


class LearningCurve(NamedTuple):
    """The score of fits to so many rows, and its covariance over repeated splits that share rows (corrected).

    `lower` says whether less of the score is better.
    """

    score: str
    rows: Int[np.ndarray, " k"]
    risk: Float[np.ndarray, " k"]
    covariance: Float[np.ndarray, "k k"]
    repeats: int
    lower: bool

    @property
    def standard_error(self) -> Float[np.ndarray, " k"]:
        """The roots of the diagonal of the covariance."""
        return np.sqrt(np.diagonal(self.covariance))

    def __str__(self) -> str:
        lines = [
            f"{n:6d}  {r:.4g} ± {e:.2g}" for n, r, e in zip(self.rows, self.risk, self.standard_error, strict=True)
        ]
        return "\n".join([f"rows to learn from, and {self.score} score", *lines])

    def rows_for(self, target: float, *, level: float = 0.9, draws: int = 2000, random_state: Any = 0) -> RowsNeeded:
        r"""How many rows to learn from would bring the score to a target, if the curve goes on as an inverse power.

        $r(m) = a + b\,m^{-c}$ with $b \ge 0$ and $0 < c \le 2$ (Figueroa et al. 2012; Viering & Loog 2023) is fitted by
        least squares, weighted by the variances, to `draws` curves: the one that was seen plus errors of its
        covariance, Student t with `repeats` − 1 degrees of freedom. Each answers with the m at which it has the target.
        The interval covers the error of the curve, which is mostly that of its height and common to all sizes, so that
        a target near the asymptote has "never" in its interval. It does not cover a curve that is no such power: do
        not trust it far beyond the rows that there are. A target that the smallest fits meet is answered with their
        size. O(draws · k) for k sizes.

        Measured with least squares on 120 to 400 rows of 4 to 20 normal columns, 200 tables each, at targets that are
        true at half to twenty times the rows: 86 % to 96 % of the 90 % intervals held that number.

        >>> rows = np.array([20, 40, 80, 160])
        >>> curve = LearningCurve("squared", rows, 1.0 + 10.0 / rows, 1e-8 * np.eye(4), 20, True)
        >>> print(curve.rows_for(1.025))
        1.025: 400 rows (90% interval 398 to 402; reached: 100%)
        """
        _require_law(self, target, level, draws)
        sign = 1.0 if self.lower else -1.0
        law = _drawn_laws(self, sign, draws, np.random.default_rng(as_seed(random_state)))
        needed = np.maximum(law.rows_at(sign * target), self.rows[0])
        tails = [0.5 - 0.5 * level, 0.5, 0.5 + 0.5 * level]
        low, middle, high = np.quantile(needed, tails, method="inverted_cdf")  # which does not average infinities
        return RowsNeeded(
            float(target), float(middle), float(low), float(high), level, float(np.mean(np.isfinite(needed)))
        )


class _Laws(NamedTuple):
    """Inverse power laws, each by its value after the largest fit, its fall from the smallest to it, and its power."""

    end: Float[np.ndarray, " s"]
    fall: Float[np.ndarray, " s"]
    power: Float[np.ndarray, " s"]
    first: float
    last: float

    def rows_at(self, target: float) -> Float[np.ndarray, " s"]:
        """Where each has the value; infinite where it stays above."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            span = (self.last / self.first) ** self.power - 1.0
            inverse = 1.0 + (target - self.end) / self.fall * span  # (m / last)^−power; ±∞ of a flat one
            return np.where(inverse > 0.0, self.last * inverse ** (-1.0 / self.power), np.inf)


def _drawn_laws(curve: LearningCurve, sign: float, draws: int, generator: np.random.Generator) -> _Laws:
    """The law that fits best to each of many curves which might as well have been seen."""
    k, degrees = len(curve.rows), curve.repeats - 1
    off = generator.multivariate_normal(np.zeros(k), curve.covariance, size=draws, method="eigh")
    seen = sign * curve.risk + off / np.sqrt(generator.chisquare(degrees, size=(draws, 1)) / degrees)
    variance = np.diagonal(curve.covariance)
    # Sizes that happen to have no variance are not to be fitted exactly.
    weights = 1.0 / np.maximum(variance, 1e-3 * np.max(variance)) if np.any(variance > 0.0) else np.ones(k)
    weights /= np.sum(weights)
    shrunk = (curve.rows / curve.rows[-1]) ** -_POWERS[:, None]
    shape = (shrunk - 1.0) / (shrunk[:, :1] - 1.0)  # of each power, one at the smallest size and zero at the largest
    centered = shape - (shape @ weights)[:, None]
    spread = centered**2 @ weights
    fall = np.maximum((seen * weights) @ centered.T / spread, 0.0)
    best = np.argmax(fall**2 * spread, axis=1)  # what a law explains of the weighted sum of squares
    fall = fall[np.arange(draws), best]
    return _Laws(seen @ weights - fall * (shape @ weights)[best], fall, _POWERS[best], *map(float, curve.rows[[0, -1]]))


def _require_law(curve: LearningCurve, target: float, level: float, draws: int) -> None:
    who = "rows_for"
    if not (np.isfinite(target) and 0.0 < level < 1.0 and draws >= 100):
        what = f"target={target}, level={level}, draws={draws}"
        raise InputError(who, what, "A level is a probability", "Try level=0.9, draws=2000")
    if len(curve.rows) < 3:
        what = f"a curve of {len(curve.rows)} sizes"
        raise InputError(who, what, "An inverse power has three numbers", "Pass three sizes or more to learning_curve")
    if not (np.all(np.isfinite(curve.risk)) and np.all(np.isfinite(curve.covariance))):
        what = f"the {curve.score} score is infinite at some sizes"
        raise UndefinedError(who, what, "A probability of zero was given to what happened", "Try another score")


class _Growing:
    """A splitter: some rows are held out, and more and more of the others are learned from, again and again.

    Rows are held out at random, whatever their class, because an error is to tell how much the classes of other rows
    would differ; but one row of each class never is. Those that are learned from are shared out over the classes.
    """

    def __init__(self, sizes: Sequence[int], held: int, repeats: int, seed: int) -> None:
        self.sizes, self.held, self.repeats, self.seed = sizes, held, repeats, seed

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.repeats * len(self.sizes)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        generator = np.random.default_rng(self.seed)
        classes = y is not None and np.asarray(y).dtype.kind != "f"
        codes = np.unique(y, return_inverse=True)[1] if classes else np.zeros(len(X), dtype=int)
        for _ in range(self.repeats):
            order = _one_of_each_first(generator.permutation(len(X)), codes)
            others, held = order[: len(X) - self.held], order[len(X) - self.held :]
            others = _shared_out(others, codes, generator)
            for size in self.sizes:
                yield generator.permutation(others[:size]), held


def _one_of_each_first(order: Int[np.ndarray, " m"], codes: Int[np.ndarray, " n"]) -> Int[np.ndarray, " m"]:
    """The first row of each class in front of all others."""
    first = np.unique(codes[order], return_index=True)[1]
    return np.concatenate([order[first], np.delete(order, first)])


def _shared_out(
    rows: Int[np.ndarray, " m"], codes: Int[np.ndarray, " n"], generator: np.random.Generator
) -> Int[np.ndarray, " m"]:
    """An order of the rows, random before, of which any beginning has its share of each class, and one row at least.

    The rows of a class of size c stand at (i + u)/c with one uniform u, which is a systematic sample, fair to each row.
    """
    rows = rows[np.argsort(codes[rows], kind="stable")]
    sizes = np.unique(codes[rows], return_counts=True)[1]
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = (rank + np.repeat(generator.random(len(sizes)), sizes)) / np.repeat(sizes, sizes)
    return _one_of_each_first(rows[np.argsort(place, kind="stable")], codes)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[int] | None = None,
    score: str | None = None,
    repeats: int = 20,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: bool | None = None,
) -> LearningCurve:
    r"""The risk of fits to more and more of the rows, judged on a quarter of them that is held out, `repeats` times.

    By default at six sizes from a tenth to three quarters of the rows, evenly on a logarithmic scale; the smallest is
    raised to the number of classes, and to three rows more than columns if that is at most half of the largest. Classes
    are shared out: each fit has a row of every class at least, and as many as its share if that is more. Within a
    repeat larger fits contain the smaller ones and all are judged on the same rows, so that the curve is smoother than
    its standard errors, which are those of Nadeau & Bengio (2003). Costs `repeats` fits of each size, as weights where
    the estimator takes them.

    >>> import numpy as np
    >>> from credo.models import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> curve = learning_curve(LinearRegression(), X, X.sum(axis=1) + rng.normal(size=200))
    >>> bool(curve.risk[0] > 1.2 * curve.risk[-1])
    True
    """
    who = "learning_curve"
    with in_credos_words(who):
        n = _num_samples(X)
    targets = targets_of(y, classes=is_for_classes(estimator), rows=n, who=who)
    held = max(n // 4, 1)
    classes = 1 if targets.classes is None else len(targets.classes)
    chosen = _sizes(sizes, n - held, classes, _columns(X))
    if repeats < 2:
        raise InputError(who, f"repeats={repeats}", "A standard error needs two", "Try repeats=20")
    plan = Plan("learning curve", "splits", _Growing(chosen, held, repeats, as_seed(random_state)))
    (asked,) = as_scores(score, estimator, targets.classes)[:1]
    with tracker(who, repeats * len(chosen), progress) as track:
        refits = refit(estimator, X, targets, plan, (asked,), n_jobs=n_jobs, track=track)
    values = ratios(refits.tallies[asked.name].refits).reshape(repeats, len(chosen))
    share = held / (n - held)  # of the pool that fits of all sizes are drawn from: it is what repeats share
    with np.errstate(invalid="ignore"):  # of an infinite score
        covariance = (1.0 / repeats + share) * np.atleast_2d(np.cov(values.T))
    return LearningCurve(asked.name, np.array(chosen), np.mean(values, axis=0), covariance, repeats, asked.lower)


def _columns(X: Any) -> int:
    return X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0


def _sizes(sizes: Sequence[int] | None, most: int, classes: int, columns: int) -> list[int]:
    """Those that are asked for, if they can be had; or six of them."""
    who = "learning_curve"
    if most < 1:
        raise InputError(who, f"{most} rows to learn from", "A quarter is held out", "Pass two rows or more")
    if most < classes:
        raise InputError(
            who,
            f"{classes} classes, and {most} rows to learn from",
            "A quarter of the rows is held out, and each fit needs a row of every class",
            "Merge rare classes, pass more rows, or a regressor if y is a number",
        )
    if sizes is None:
        fewest = max(most * 2 / 15, min(5, most), classes, columns + 3 if 2 * (columns + 3) <= most else 1)
        return sorted({round(float(size)) for size in np.geomspace(fewest, most, _SIZES)})
    chosen = sorted({int(size) for size in sizes})
    if not chosen or chosen[0] < classes or chosen[-1] > most:
        cause = f"A quarter of the rows is held out, which leaves {most}"
        every = f", and each fit needs a row of each of {classes} classes" if classes > 1 else ""
        raise InputError(who, f"sizes={list(sizes)}", cause + every, f"Pass sizes from {classes} to {most}")
    return chosen
