"""Where stated uncertainty fails: a shallow tree over the columns, grown on half of the rows and tested on the others.

Coverage over all rows can be right while intervals are too narrow here and too wide there. A tree finds places where
the truth is further out, or less far, than it should be. What was used to find a place cannot be used to judge it, so
the judgment is on rows that the tree has not seen, with a correction for the number of places (honest trees: Athey &
Imbens 2016).
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy import special, stats
from sklearn.tree import DecisionTreeRegressor

__all__ = [
    "Region",
    "Verdict",
    "binomial_bands",
    "clopper_pearson",
    "holm",
    "honesty_map",
    "numeric_columns",
    "verdict_of",
]

Verdict = Literal["honest", "overconfident", "timid"]
_SIGNIFICANCE = 0.05
_DEPTH = 2
_FEWEST = 20  # rows of a place, in each half


@dataclass(frozen=True)
class Region:
    """A place, how often intervals of a level held the truth there, and what follows.

    `low` and `high` are the exact 95 % band of the coverage, `p_value` is corrected for the number of places.
    """

    where: str
    verdict: Verdict
    promised: float
    coverage: float
    low: float
    high: float
    p_value: float
    rows: int

    def __str__(self) -> str:
        return (
            f"{self.verdict} where {self.where}: promised {self.promised:.0%}, held {self.coverage:.1%} of "
            f"{self.rows} rows (95 % band {self.low:.1%} to {self.high:.1%}, corrected p = {self.p_value:.2g})"
        )


class Columns(NamedTuple):
    """The columns that are numbers, by name."""

    values: Float[np.ndarray, "n d"]
    names: tuple[str, ...]


def honesty_map(
    columns: Columns,
    surprise: Float[np.ndarray, " n"],
    held: Bool[np.ndarray, " n"],
    promised: Float[np.ndarray, " n"],
    generator: np.random.Generator,
) -> tuple[Region, ...]:
    """The places that a tree finds, each judged on the half of the rows that it has not seen, the surest first.

    `surprise` is how far out the truth lies in each belief, on whose mean the tree splits; `held` whether it lay
    inside, and `promised` with which probability. Fewer than 80 rows, or no column of numbers, give no places. O(n d
    log n).
    """
    n = len(surprise)
    if n < 4 * _FEWEST or not columns.names:
        return ()
    order = generator.permutation(n)
    grown, judged = order[: n // 2], order[n // 2 :]
    tree = DecisionTreeRegressor(max_depth=_DEPTH, min_samples_leaf=max(_FEWEST, n // 20), random_state=0)
    tree.fit(columns.values[grown], surprise[grown])
    leaves = tree.apply(columns.values[judged])
    found = []
    for leaf, where in _leaves(tree.tree_, columns.names).items():
        rows = judged[leaves == leaf]
        if len(rows):
            found.append((where, rows))
    counts = np.array([np.sum(held[rows]) for _, rows in found])
    sizes = np.array([len(rows) for _, rows in found])
    levels = np.array([np.mean(promised[rows]) for _, rows in found])
    p_values, low, high = binomial_bands(counts, sizes, levels)
    corrected = holm(p_values)
    regions = [
        Region(
            where or "anywhere",
            verdict_of(float(counts[i] / sizes[i]), float(levels[i]), float(corrected[i])),
            float(levels[i]),
            float(counts[i] / sizes[i]),
            float(low[i]),
            float(high[i]),
            float(corrected[i]),
            int(sizes[i]),
        )
        for i, (where, _) in enumerate(found)
    ]
    return tuple(sorted(regions, key=lambda region: region.p_value))


def verdict_of(coverage: float, level: float, p_value: float) -> Verdict:
    """Honest unless a corrected p-value is below 5 %; then in which direction coverage departs from its level."""
    if p_value >= _SIGNIFICANCE:
        return "honest"
    return "overconfident" if coverage < level else "timid"


def _leaves(tree: Any, names: tuple[str, ...]) -> dict[int, str]:
    """Each leaf, and in words which rows come to it."""
    found: dict[int, str] = {}

    def walk(node: int, bounds: dict[int, tuple[float, float]]) -> None:
        if tree.children_left[node] < 0:
            found[node] = " and ".join(_said(names[j], low, high) for j, (low, high) in sorted(bounds.items()))
            return
        column, cut = int(tree.feature[node]), float(tree.threshold[node])
        low, high = bounds.get(column, (-np.inf, np.inf))
        walk(int(tree.children_left[node]), {**bounds, column: (low, min(high, cut))})
        walk(int(tree.children_right[node]), {**bounds, column: (max(low, cut), high)})

    walk(0, {})
    return found


def _said(name: str, low: float, high: float) -> str:
    if np.isinf(low):
        return f"{name} ≤ {high:.4g}"
    return f"{name} > {low:.4g}" if np.isinf(high) else f"{low:.4g} < {name} ≤ {high:.4g}"


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
    """The columns of a table or array that are numbers, with their names, or x0, x1, …"""
    if hasattr(X, "toarray"):
        X = X.toarray()
    names = [str(name) for name in getattr(X, "columns", [])]
    table = np.asarray(X)
    if table.ndim != 2:
        return Columns(np.empty((len(table), 0)), ())
    names = names or [f"x{j}" for j in range(table.shape[1])]
    kept, values = [], []
    for j, name in enumerate(names):
        try:
            column = np.asarray(table[:, j], dtype=np.float64)
        except (TypeError, ValueError):
            continue
        if np.all(np.isfinite(column)):
            kept.append(name)
            values.append(column)
    return Columns(np.column_stack(values) if values else np.empty((len(table), 0)), tuple(kept))
