"""Where stated uncertainty fails: a shallow tree over the columns, grown on half of the rows and tested on the others.

Coverage over all rows can be right while intervals are too narrow here and too wide there. A tree finds places where
the truth is further out, or less far, than it should be. What was used to find a place cannot be used to judge it, so
the judgment is on rows that the tree has not seen, with a correction for the number of places (honest trees: Athey &
Imbens 2016).
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy import special, stats
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import _num_samples

from credo.errors import InputError
from credo.validate.columns import as_table

__all__ = [
    "Region",
    "Verdict",
    "binomial_bands",
    "clopper_pearson",
    "holm",
    "honesty_map",
    "numeric_columns",
    "share",
    "short_between",
    "verdict_of",
]

Verdict = Literal["honest", "overconfident", "timid", "light-tailed"]
Box = dict[int, tuple[float, float]]  # of some columns, between which bounds
_SIGNIFICANCE = 0.05
_DEPTH = 2
_FEWEST = 20  # rows of a place, in each half


@dataclass(frozen=True)
class Region:
    """A place, how often intervals of a level held the truth there, and what follows.

    `low` and `high` are the exact 95 % band of the coverage, `p_value` is corrected for the number of places that were
    judged; of a place that was put together it is the larger of its parts. `bounds` are those of the columns that have
    one, infinite where a side is open.
    """

    where: str
    verdict: Verdict
    promised: float
    coverage: float
    low: float
    high: float
    p_value: float
    rows: int
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return (
            f"{self.verdict} where {self.where}: promised {share(self.promised)}, held {self.coverage:.1%} of "
            f"{self.rows} rows (95 % band {self.low:.1%} to {self.high:.1%}, corrected p = {self.p_value:.2g})"
        )


class Columns(NamedTuple):
    """The columns that are numbers, by name."""

    values: Float[np.ndarray, "n d"]
    names: tuple[str, ...]

    @property
    def spans(self) -> dict[str, tuple[float, float]]:
        """The least and the largest number of each."""
        return {
            name: (float(np.min(column)), float(np.max(column)))
            for name, column in zip(self.names, self.values.T, strict=True)
        }


def honesty_map(
    columns: Columns,
    surprise: Float[np.ndarray, " n"],
    held: Bool[np.ndarray, " n"],
    promised: Float[np.ndarray, " n"],
    generator: np.random.Generator,
) -> tuple[Region, ...]:
    """The places that a tree finds, each judged on the half of the rows that it has not seen, the surest first.

    `surprise` is how far out the truth lies in each belief, on whose mean the tree splits; `held` whether it lay
    inside, and `promised` with which probability. Places side by side that fail in the same direction are told as
    one, with the larger of their p-values. Fewer than 80 rows, or no column of numbers, give no places. O(n d log n).
    """
    n = len(surprise)
    if n < 4 * _FEWEST or not columns.names:
        return ()
    order = generator.permutation(n)
    grown, judged = order[: n // 2], order[n // 2 :]
    # A tree holds numbers in few digits: by their ranks it cuts large and close ones, too.
    seen = [np.unique(column) for column in columns.values.T]
    ranks = np.column_stack([np.searchsorted(*pair) for pair in zip(seen, columns.values.T, strict=True)])
    tree = DecisionTreeRegressor(max_depth=_DEPTH, min_samples_leaf=max(_FEWEST, n // 20), random_state=0)
    tree.fit(ranks[grown], surprise[grown])
    leaves, boxes = tree.apply(ranks[judged]), _leaves(tree.tree_, seen)
    places = [(box, judged[leaves == leaf]) for leaf, box in boxes.items() if np.any(leaves == leaf)]
    found = _united(_judged(places, held, promised))
    return tuple(sorted((place.region(columns.names) for place in found), key=lambda region: region.p_value))


class _Place(NamedTuple):
    """A box of the columns, how many of its rows kept the promise of the sum of their levels, and the verdict."""

    box: Box
    kept: int
    rows: int
    level_sum: float
    p_value: float
    verdict: Verdict

    def region(self, names: tuple[str, ...]) -> Region:
        where = " and ".join(_said(names[j], low, high) for j, (low, high) in sorted(self.box.items()))
        low, high = clopper_pearson(np.asarray(self.kept), self.rows)
        promised, coverage = self.level_sum / self.rows, self.kept / self.rows
        band = float(low), float(high)
        bounds = {names[j]: ends for j, ends in sorted(self.box.items())}
        return Region(where or "anywhere", self.verdict, promised, coverage, *band, self.p_value, self.rows, bounds)


def _judged(
    places: list[tuple[Box, np.ndarray]], held: Bool[np.ndarray, " n"], promised: Float[np.ndarray, " n"]
) -> list[_Place]:
    """An exact binomial test of each place, corrected for their number."""
    kept = [int(np.sum(held[rows])) for _, rows in places]
    levels = [float(np.sum(promised[rows])) for _, rows in places]
    sizes = np.array([len(rows) for _, rows in places])
    corrected = holm(binomial_bands(kept, sizes, levels / sizes)[0])
    return [
        _Place(box, k, len(rows), level, float(p), verdict_of(k / len(rows), level / len(rows), float(p)))
        for (box, rows), k, level, p in zip(places, kept, levels, corrected, strict=True)
    ]


def _united(places: list[_Place]) -> list[_Place]:
    """Places that lie side by side and fail in the same direction, as one: that both fail was shown of each.

    So no test is made of the whole: its p-value is the larger one. Honest places stay apart, of which nothing was
    shown, least of all together.
    """
    for one, other in combinations(places, 2):
        box = _union(one.box, other.box)
        if box is None or one.verdict != other.verdict or one.verdict == "honest":
            continue
        sums = one.kept + other.kept, one.rows + other.rows, one.level_sum + other.level_sum
        both = _Place(box, *sums, max(one.p_value, other.p_value), one.verdict)
        return _united([both, *(place for place in places if place is not one and place is not other)])
    return places


def _union(one: Box, other: Box) -> Box | None:
    """Of two boxes that differ in one column only, and touch there; columns without bounds are left out."""
    everywhere = (-np.inf, np.inf)
    apart = [j for j in one.keys() | other.keys() if one.get(j, everywhere) != other.get(j, everywhere)]
    if len(apart) != 1:
        return None
    (low, middle), (beyond, high) = sorted(box.get(apart[0], everywhere) for box in (one, other))
    if middle != beyond:
        return None
    rest = {j: bounds for j, bounds in one.items() if j != apart[0]}
    return rest if (low, high) == everywhere else {**rest, apart[0]: (low, high)}


def verdict_of(coverage: float, level: float, p_value: float) -> Verdict:
    """Honest unless a corrected p-value is below 5 %; then in which direction coverage departs from its level."""
    if p_value >= _SIGNIFICANCE:
        return "honest"
    return "overconfident" if coverage < level else "timid"


def _leaves(tree: Any, seen: list[np.ndarray]) -> dict[int, Box]:
    """Each leaf, and the bounds of the rows that come to it, in the numbers that were seen of each column."""
    found: dict[int, Box] = {}

    def walk(node: int, bounds: Box) -> None:
        if tree.children_left[node] < 0:
            found[node] = bounds
            return
        column, rank = int(tree.feature[node]), int(tree.threshold[node])
        cut = short_between(*seen[column][rank : rank + 2])
        low, high = bounds.get(column, (-np.inf, np.inf))
        walk(int(tree.children_left[node]), {**bounds, column: (low, min(high, cut))})
        walk(int(tree.children_right[node]), {**bounds, column: (max(low, cut), high)})

    walk(0, {})
    return found


def short_between(low: float, high: float) -> float:
    """The number of fewest digits near the middle, from `low` and below `high`: read again it parts the two.

    >>> short_between(2015.0, 2016.0), short_between(0.123456, 0.6)
    (2015.5, 0.36)
    """
    middle = 0.5 * low + 0.5 * high
    for digits in range(2, 17):
        short = float(f"{middle:.{digits}g}")
        if low <= short < high:
            return short
    return float(low)


def share(part: float) -> str:
    """As a percentage in three digits, and in more where it would be all.

    >>> share(0.9), share(0.975), share(0.9996), share(1.0)
    ('90%', '97.5%', '99.96%', '100%')
    """
    digits = next((d for d in range(3, 8) if float(f"{100.0 * part:.{d}g}") < 100.0 or part >= 1.0), 8)
    return f"{100.0 * part:.{digits}g}%"


def _said(name: str, low: float, high: float) -> str:
    if np.isinf(low):
        return f"{name} ≤ {high:.15g}"
    return f"{name} > {low:.15g}" if np.isinf(high) else f"{low:.15g} < {name} ≤ {high:.15g}"


def binomial_bands(counts: Any, sizes: Any, levels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two-sided exact p-values of counts of successes, and 95 % bands of their share (Clopper & Pearson 1934)."""
    cases = np.broadcast(counts, sizes, levels)
    p_values = np.array([stats.binomtest(int(k), int(n), float(p)).pvalue for k, n, p in cases])
    return p_values, *clopper_pearson(np.asarray(counts), np.asarray(sizes))


def clopper_pearson(counts: np.ndarray, sizes: Any) -> tuple[np.ndarray, np.ndarray]:
    """The exact 95 % band of the share of successes, ``(low, high)``."""
    low = np.where(counts > 0, special.betaincinv(np.maximum(counts, 1), sizes - counts + 1, 0.025), 0.0)
    high = np.where(counts < sizes, special.betaincinv(counts + 1, np.maximum(sizes - counts, 1), 0.975), 1.0)
    return low, high


def holm(p: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    """Holm's step-down correction: the probability of any false alarm stays below the level.

    >>> holm(np.array([0.01, 0.5])).tolist()
    [0.02, 0.5]
    """
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def numeric_columns(X: Any) -> Columns:
    """The columns of a table or array that are numbers, all of them finite, with their names, or x0, x1, …

    What is no table, such as a list of texts, or has two columns of one name, has none.
    """
    try:
        table = as_table(X, "audit")
    except InputError:
        return Columns(np.empty((_num_samples(X), 0)), ())
    numbers = [(name, table.numbers(j)) for j, name in enumerate(table.names)]
    kept = [(name, column) for name, column in numbers if column is not None and np.all(np.isfinite(column))]
    values = np.column_stack([column for _, column in kept]) if kept else np.empty((_num_samples(X), 0))
    return Columns(values, tuple(name for name, _ in kept))
