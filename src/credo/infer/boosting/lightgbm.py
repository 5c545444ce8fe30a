"""LightGBM as an engine: rounds of boosting on one thread, and its trees as arrays."""

from typing import Any, Literal, NamedTuple

import equinox as eqx
import numpy as np
from jaxtyping import Float, Int

from credo.infer.boosting.trees import Trees

__all__ = ["Growth", "Loss", "Run"]

#: What is minimized: squares, the deviance of a positive mean (of squares: of a variance), or log loss of classes.
Loss = Literal["squares", "gamma", "classes"]

_NODES = ("num_leaves", "split_feature", "threshold", "left_child", "right_child", "leaf_value")
_METRICS = {"squares": "l2", "gamma": "gamma", "binary": "binary_logloss", "multiclass": "multi_logloss"}
_OBJECTIVES = {**{name: name for name in ("gamma", "binary", "multiclass")}, "squares": "regression"}


class Growth(NamedTuple):
    """How trees grow: the share of each that is added, the most leaves, the fewest rows in one, the share of columns
    and of rows that a tree looks at, and the seed of these draws."""

    learning_rate: float = 0.05
    max_leaves: int = 15
    min_rows: float = 5.0
    columns: float = 1.0
    rows: float = 1.0
    seed: int = 0


class Run:
    """Boosting on some rows, judged after each round on others. It holds LightGBM's objects and is thrown away."""

    def __init__(
        self,
        loss: Loss,
        growth: Growth,
        X: Float[np.ndarray, "n d"],
        y: np.ndarray,
        w: Float[np.ndarray, " n"],
        held: Int[np.ndarray, " m"],
        outputs: int,
    ) -> None:
        import lightgbm

        kept = np.setdiff1d(np.arange(len(y)), held)
        self.base = _base(loss, y[kept], w[kept], outputs)
        self._cuts = [_cuts(column) for column in X[kept].T]
        # LightGBM counts numbers below 1e-35 as zero. Ranks have no unit, and trees ask for the order of values alone.
        X = np.column_stack([1.0 + np.searchsorted(cut, x) for cut, x in zip(self._cuts, X.T, strict=True)])
        settings = _settings(loss, growth, outputs)
        learned, judged = (
            lightgbm.Dataset(X[rows], y[rows], weight=w[rows], init_score=np.repeat(self.base, len(rows)),
                             params=settings, free_raw_data=True)
            for rows in (kept, held)
        )  # fmt: skip
        self._booster: Any = lightgbm.Booster(settings, learned)
        self._booster.add_valid(judged.set_reference(learned), "held")
        self.losses: list[float] = [self._judged()]
        self.weight = float(np.sum(w[held]))

    def advance(self, rounds: int) -> None:
        """Some more rounds; `losses` has one for each number of rounds so far, none among them."""
        self._booster.reset_parameter({"verbosity": -1})  # LightGBM keeps it by thread, and this may be another one
        for _ in range(rounds):
            self._booster.update()
            self.losses.append(self._judged())

    def _judged(self) -> float:
        return float(self._booster.eval_valid()[0][2])

    def trees(self, rounds: int) -> Trees:
        """Those of the first rounds."""
        ranked = _parsed(self._booster.model_to_string(num_iteration=max(rounds, 1)), self.base, rounds)
        threshold = ranked.threshold.copy()
        for i in np.flatnonzero(ranked.left != np.arange(len(ranked.left))):  # a leaf leads to itself
            threshold[i] = self._cuts[ranked.column[i]][int(threshold[i]) - 1]
        return eqx.tree_at(lambda trees: trees.threshold, ranked, threshold)


def _cuts(column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " c"]:
    """Between each two neighboring values their middle, or the lower one where no number lies between them."""
    values = np.unique(column)
    low, high = values[:-1], values[1:]
    middle = 0.5 * low + 0.5 * high
    return np.where((low <= middle) & (middle < high), middle, low)


def _base(loss: Loss, y: np.ndarray, w: Float[np.ndarray, " n"], outputs: int) -> Float[np.ndarray, " k"]:
    """What is believed without a tree: the mean, its logarithm, or log odds of the classes, with a row more of each."""
    if loss == "classes":
        counts = np.bincount(y.astype(int), weights=w, minlength=max(outputs, 2)) + 1.0
        logs = np.log(counts / np.sum(counts))
        return logs if outputs > 1 else logs[1:] - logs[:1]
    mean = np.average(y, weights=w)
    return np.array([np.log(mean) if loss == "gamma" else mean])


def _settings(loss: Loss, growth: Growth, outputs: int) -> dict[str, Any]:
    name = loss if loss != "classes" else "binary" if outputs == 1 else "multiclass"
    # A row adds its weight to the curvature of squares; to that of a log loss a quarter of it at most.
    curvature = growth.min_rows * (0.1 if loss == "classes" else 1.0)
    return {
        "objective": _OBJECTIVES[name],
        "metric": _METRICS[name],
        "num_class": outputs if name == "multiclass" else 1,
        "learning_rate": growth.learning_rate,
        "num_leaves": growth.max_leaves,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": curvature,
        "feature_fraction": growth.columns,
        "bagging_fraction": growth.rows,
        "bagging_freq": 0 if growth.rows == 1.0 else 1,
        "boost_from_average": False,
        "seed": growth.seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "use_missing": False,
        "feature_pre_filter": False,
        "verbosity": -1,
    }


def _parsed(text: str, base: Float[np.ndarray, " k"], rounds: int) -> Trees:
    """LightGBM's text, whose numbers have all their digits, as nodes of all trees in one line.

    Of each tree splits come first, then its leaves, which are −1, −2, … among the children.
    """
    found = _fields(text if rounds else "")
    leaves = found["num_leaves"].astype(np.int64)
    inner, sizes = leaves - 1, 2 * leaves - 1
    roots = np.cumsum(sizes) - sizes
    splits, ends = _places(roots, inner), _places(roots + inner, leaves)
    size = int(np.sum(sizes))
    column, threshold, value = np.zeros(size, dtype=np.int64), np.zeros(size), np.zeros(size)
    column[splits], threshold[splits], value[ends] = found["split_feature"], found["threshold"], found["leaf_value"]
    start, first = np.repeat(roots, inner), np.repeat(inner, inner)
    left, right = np.arange(size), np.arange(size)
    for side, name in ((left, "left_child"), (right, "right_child")):
        to = found[name].astype(np.int64)
        side[splits] = start + np.where(to < 0, first - 1 - to, to)
    return Trees(base, roots, np.arange(len(roots)) % len(base), column, threshold, left, right, value)


def _fields(text: str) -> dict[str, np.ndarray]:
    """The numbers of some fields, of all trees after each other."""
    parts: dict[str, list[str]] = {name: [] for name in _NODES}
    for line in text.splitlines():
        name, _, numbers = line.partition("=")
        if name in parts:
            parts[name].append(numbers)
    return {name: np.array(" ".join(some).split(), dtype=np.float64) for name, some in parts.items()}


def _places(starts: Int[np.ndarray, " t"], counts: Int[np.ndarray, " t"]) -> Int[np.ndarray, " m"]:
    """From each start on so many places, after each other."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(int(np.sum(counts)))
