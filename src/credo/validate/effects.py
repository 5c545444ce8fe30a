"""What a column does to the prediction, with a band: partial dependence and accumulated local effects."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.errors import InputError, UndefinedError
from credo.validate.columns import Table, as_table
from credo.validate.draws import function_draws, point_prediction

__all__ = ["Effect", "accumulated_effect", "partial_dependence"]

_POINTS = 25
_ROWS = 500
_AT_ONCE = 10_000  # rows of one prediction


class Effect(NamedTuple):
    """The effect of a column at points, with a band that holds it at each point with probability `level`.

    `kind` says which: "partial dependence" is a mean prediction, "accumulated effect" a difference from its mean. The
    band is of the function, not of a new observation, and `source` says where it comes from; without one it is None.
    """

    column: str
    kind: str
    points: Float[np.ndarray, " p"]
    effect: Float[np.ndarray, " p"]
    low: Float[np.ndarray, " p"] | None
    high: Float[np.ndarray, " p"] | None
    level: float
    source: str


class _Varied(NamedTuple):
    """The column in question, the rows in which it is varied, and those that the estimator may be fitted to again."""

    all_rows: Any
    table: Table
    own: np.ndarray  # the column at these rows
    every: np.ndarray  # and also at rows that are left out
    at: int

    @property
    def name(self) -> str:
        return self.table.names[self.at]

    def to(self, values: Any) -> Any:
        """All rows as they came, with the column set."""
        return self.table.replaced(self.at, np.broadcast_to(values, self.own.shape).copy())

    def means(self, of: Callable[[Any], np.ndarray], values: np.ndarray) -> Float[np.ndarray, "s p"]:
        """The mean over rows of what functions say, s × rows, with the column set to each value in turn; rows one time
        after the other for as many values as are asked about at once."""
        n, parts = len(self.own), []
        times = max(_AT_ONCE // n, 1)
        for some in np.split(values, range(times, len(values), times)):
            again = self.table.some(np.tile(np.arange(n), len(some)))
            said = np.atleast_2d(of(again.replaced(self.at, np.repeat(some, n))))
            parts.append(np.mean(said.reshape(len(said), len(some), n), axis=2))
        return np.concatenate(parts, axis=1)


def partial_dependence(
    estimator: Any,
    X: Any,
    column: Any,
    *,
    y: Any = None,
    points: int = _POINTS,
    rows: int = _ROWS,
    level: float = 0.9,
    draws: int = 100,
    random_state: Any = 0,
) -> Effect:
    r"""The mean prediction with one column set to a value: $\frac1n\sum_i f(x_i \text{ with } x_{ij} = v)$.

    Of a classifier of two classes it is the probability of the second. It averages over rows as if the column did not
    go together with others; where it does, see [](#credo.validate.accumulated_effect) (Friedman 2001, §8.2). The band
    is under the belief where the fitted estimator has `sample_paths`; else, if `y` is given, from refits to samples of
    the rows; else there is none. `column` is a name or a position; its values are numbers, those of other columns are
    left as they are, text, missing values and sparse zeros too. Costs a prediction, and one a draw, for each of
    `points` quantiles of the column and at most `rows` rows, taken evenly.

    >>> import numpy as np
    >>> from credo.models import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 2))
    >>> effect = partial_dependence(BayesianLinearRegression().fit(X, 3.0 * X[:, 0] + rng.normal(size=50)), X, 0)
    >>> bool(np.all(effect.low < effect.high)), effect.source
    (True, 'the belief')
    """
    varied = _varied(X, column, rows)
    values = _grid(varied.every, points)
    effect = varied.means(partial(point_prediction, estimator), values)[0]
    drawn = function_draws(estimator, varied.all_rows, y, draws=_checked(draws, level), random_state=random_state)
    if drawn is None:
        return Effect(varied.name, "partial dependence", values, effect, None, None, level, "no band")
    band = _band(varied.means(drawn.call, values), level)
    return Effect(varied.name, "partial dependence", values, effect, *band, level, drawn.source)


def accumulated_effect(
    estimator: Any,
    X: Any,
    column: Any,
    *,
    y: Any = None,
    points: int = _POINTS,
    rows: int = 10 * _ROWS,
    level: float = 0.9,
    draws: int = 100,
    random_state: Any = 0,
) -> Effect:
    r"""Differences of the prediction across small steps of one column, at rows that are there, added up and centered.

    $\hat f(v) = \sum_{b \le b(v)} \frac1{n_b}\sum_{i \in b} [f(x_i \text{ at the upper edge}) - f(x_i \text{ at the
    lower})] - c$. A row moves only within its bin, so that none is asked about that could not be: right also where
    columns go together (Apley & Zhu 2020, eqs. 15 and 16). The band is as in [](#credo.validate.partial_dependence).
    Costs two predictions, and two a draw, for each row.

    >>> import numpy as np
    >>> from credo.models import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> effect = accumulated_effect(LinearRegression().fit(X, 3.0 * X[:, 0] - X[:, 1]), X, 0)
    >>> round(float(np.polyfit(effect.points, effect.effect, 1)[0]), 6)
    3.0
    """
    varied = _varied(X, column, rows)
    edges = _grid(varied.own, points)
    if len(edges) < 2:
        raise UndefinedError("accumulated_effect", f"{varied.name} has one value", "Nothing changes", "Drop the column")
    bins = np.clip(np.searchsorted(edges, varied.own, side="left") - 1, 0, len(edges) - 2)
    lower, upper = (varied.to(edges[bins + side]) for side in (0, 1))
    steps = point_prediction(estimator, upper) - point_prediction(estimator, lower)
    effect = _accumulated(steps[None], bins, len(edges))[0]
    drawn = function_draws(estimator, varied.all_rows, y, draws=_checked(draws, level), random_state=random_state)
    if drawn is None:
        return Effect(varied.name, "accumulated effect", edges, effect, None, None, level, "no band")
    lines = _accumulated(drawn.call(upper) - drawn.call(lower), bins, len(edges))
    return Effect(varied.name, "accumulated effect", edges, effect, *_band(lines, level), level, drawn.source)


def _accumulated(steps: Float[np.ndarray, "s n"], bins: np.ndarray, edges: int) -> Float[np.ndarray, "s e"]:
    """The mean step of each bin, added up from the left, less their mean over the rows."""
    counts = np.bincount(bins, minlength=edges - 1)
    mean = np.stack([np.bincount(bins, weights=line, minlength=edges - 1) for line in steps]) / np.maximum(counts, 1)
    total = np.concatenate([np.zeros((len(steps), 1)), np.cumsum(mean, axis=1)], axis=1)
    center = 0.5 * (total[:, 1:] + total[:, :-1]) @ counts / np.sum(counts)
    return total - center[:, None]


def _band(lines: Float[np.ndarray, "s p"], level: float) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.quantile(lines, [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=0)
    return low, high


def _checked(draws: int, level: float) -> int:
    if draws < 2 or not 0.0 < level < 1.0:
        raise InputError("effect", f"draws={draws}, level={level}", "", "Try draws=100, level=0.9")
    return draws


def _grid(values: np.ndarray, points: int) -> np.ndarray:
    """Quantiles of the column, or its values where they are fewer."""
    if points < 2:
        raise InputError("effect", f"points={points}", "A curve has two points or more", "Try points=25")
    own = np.unique(values)
    return own if len(own) <= points else np.unique(np.quantile(values, np.linspace(0.0, 1.0, points)))


def _varied(X: Any, column: Any, rows: int) -> _Varied:
    if rows < 1:
        raise InputError("effect", f"rows={rows}", "An effect is a mean over rows", "Try rows=500")
    table = as_table(X, "effect")
    at = table.position(column, "effect")
    values = table.numbers(at)
    if values is None:
        what = f"column {table.names[at]!r} has values that are not numbers"
        raise InputError("effect", what, "An effect varies a number; other columns may be text", "Encode it first")
    if not len(values) or not np.all(np.isfinite(values)):
        what = f"column {table.names[at]!r} has {np.sum(~np.isfinite(values))} NaN or infinite of {len(values)} values"
        raise InputError("effect", what, "Values are missing in the table", "Drop those rows first")
    kept = np.linspace(0, len(values) - 1, min(rows, len(values))).astype(int)
    return _Varied(table.native, table.some(kept), values[kept], values, at)
