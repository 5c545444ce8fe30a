"""`TableModel`: what was learnt from a table, with all that a prediction needs; the file `model.credo` holds one."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float

from credo.beliefs import Belief
from credo.decide.learning.on_table import OnTable
from credo.decide.learning.question import Kind
from credo.decide.learning.sharpness import Sharpness
from credo.decide.learning.spread import LEVEL, Width
from credo.decide.learning.surroundings import Surroundings
from credo.errors import InputError
from credo.represent import Table
from credo.represent.table.native import polars_frame

__all__ = ["TableModel"]


@final
@dataclass(frozen=True)
class TableModel:
    """A model of one column of a table, of which intervals are as wide as rows that were held out say.

    `spread` is how wide that is, of classes how decided, and None for what the model says; `own_probabilities` are what
    was said of the class of each row by who had not seen it, in order. `summary` is what was found when it was learnt.
    """

    target: str
    kind: Kind
    model: OnTable
    spread: Width | Sharpness | None
    own_probabilities: np.ndarray | None
    surroundings: Surroundings
    summary: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """That a row must have."""
        return tuple(str(name) for name in self.model.feature_names_in_)

    @property
    def classes_(self) -> np.ndarray:
        """Of a classifier."""
        if self.kind != "class":
            raise AttributeError("a model of numbers has no classes")
        return self.model.classes_

    def predict_dist(self, X: Any) -> Belief:
        """The belief about a new observation at each row of a frame."""
        return self._belief(self._encoded(X))

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the belief, or the most probable class, at each row."""
        if self.kind == "class":
            return self.model.predict(X)
        return np.asarray(self.predict_dist(X).mean)

    def predict_interval(self, X: Any, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)`` of a new observation at each row."""
        low, high = self.predict_dist(X).interval(level)
        return np.asarray(low), np.asarray(high)

    def predict_set(self, X: Any, level: float = LEVEL) -> Bool[np.ndarray, "n k"]:
        r"""Whether each class is in the set that holds the class of a new row with probability `level`.

        Those at least as probable as the class of a held row was found to be in all but $\lfloor \alpha(n + 1)
        \rfloor$ of n cases (Sadinle, Lei & Wasserman 2019, with held rows of all folds). An empty one says that no
        class fits as well as theirs fit others.
        """
        if self.own_probabilities is None:
            raise InputError("predict_set", f"{self.target!r} is a number", "Sets are of classes", "Try an interval")
        return np.asarray(self.predict_dist(X).mean) >= self._least(level)

    def _least(self, level: float) -> float:
        """The probability that a class has at least, to be in the set."""
        if not 0.0 < level < 1.0:
            raise InputError("predict_set", f"level={level} is not between 0 and 1", "", "Try level=0.9")
        assert self.own_probabilities is not None
        own = self.own_probabilities
        out = int(np.floor((1.0 - level) * (len(own) + 1) + 1e-9))
        return 0.0 if out == 0 else float(own[out - 1])

    def outcomes(self, X: Any) -> tuple[Any, Any]:
        """The rows of a frame whose target is known, and what came out there as an audit takes it: numbers, or the
        names of classes.

        ``credo.audit(model, *model.outcomes(results), fitted=True)`` holds what was promised against them.
        """
        frame = X.frame if isinstance(X, Table) else polars_frame(X, "outcomes")
        if self.target not in frame.columns:
            what = f"there is no column {self.target!r}"
            raise InputError("outcomes", what, "An audit needs what came out", "Add the column with the results")
        results = Table.from_frame(frame[[self.target]])
        there = results[self.target].series.is_not_null().to_numpy()
        known = results.rows(there)
        if self.kind == "class":
            return frame.filter(there), [str(label) for label in known[self.target].series.to_list()]
        return frame.filter(there), known.numbers(self.target)

    def far(self, X: Any) -> Bool[np.ndarray, " n"]:
        """Whether each row is far from all that were learnt from, or has a value that none of them had the like of: a
        level that is new, a gap where there was none."""
        rows, unknown = self.model.encoder_.transform_with_unknown(X)
        return self.surroundings.far(rows) | unknown

    def seen(self, X: Any) -> Bool[np.ndarray, " n"]:
        """Whether each row is, but for its target, one of those that were learnt from (of many rows, of some of them):
        there a model flatters itself, and an audit says little."""
        return self.surroundings.seen(self._encoded(X))

    def table(self, X: Any, level: float = LEVEL) -> Any:
        """A frame of Polars with what is said of each row: mean, interval and where its width comes from; or the class,
        the set and all probabilities; and whether the row is far from the data."""
        import polars as pl

        rows, unknown = self.model.encoder_.transform_with_unknown(X)
        belief = self._belief(rows)
        answer, said = self._classes(belief, level) if self.kind == "class" else self._numbers(belief, level)
        said["far from the data"] = self.surroundings.far(rows) | unknown
        # A target may have the name of what is said of it.
        other = {f"{name} of the belief" if name == self.target else name: values for name, values in said.items()}
        return pl.DataFrame({self.target: answer, **other})

    def _numbers(self, belief: Belief, level: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        low, high = belief.interval(level)
        said = {"low": np.asarray(low), "high": np.asarray(high), "standard deviation": np.asarray(belief.std)}
        return np.asarray(belief.mean), {**said, **_shares(belief)}

    def _classes(self, belief: Belief, level: float) -> tuple[np.ndarray, dict[str, Any]]:
        probabilities: Float[np.ndarray, "n k"] = np.asarray(belief.mean)
        inside = probabilities >= self._least(level)
        sets = [" or ".join(self.classes_[row].tolist()) for row in inside]
        own = {f"probability of {name}": probabilities[:, j] for j, name in enumerate(self.classes_.tolist())}
        return self.classes_[np.argmax(probabilities, axis=1)], {"one of": sets, **own}

    def _encoded(self, X: Any) -> Float[np.ndarray, "n k"]:
        return self.model.encoder_.transform(X)

    def _belief(self, rows: Float[np.ndarray, "n k"]) -> Belief:
        belief = self.model.estimator_.predict_dist(rows)
        return belief if self.spread is None else self.spread.of(belief)

    def __str__(self) -> str:
        return "\n".join(self.summary)


def _shares(belief: Belief) -> dict[str, np.ndarray]:
    """Of the variance: what more rows would remove, and what not."""
    budget = belief.budget
    if not budget.is_split:
        return {}
    total = np.asarray(budget.total)
    return {"share of noise": np.asarray(budget.noise) / total, "share to learn": np.asarray(budget.parameter) / total}
