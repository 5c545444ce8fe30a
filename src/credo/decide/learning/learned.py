"""`Learned`: what a table says about its target, what that is worth, and how it was found."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from credo.decide.learning.candidates import BASELINE
from credo.decide.learning.model import TableModel
from credo.decide.learning.question import Question, targets_of
from credo.decide.learning.spread import LEVEL, Width
from credo.errors import InputError
from credo.represent import Table
from credo.validate import Audit, Comparison, Evaluation

__all__ = ["Learned"]


@final
@dataclass(frozen=True)
class Learned:
    """The model that was taken, the evaluation of all that were tried, and the audit of its intervals.

    Print it for the verdict in words. ``learned.model`` predicts, and is what `credo.save` writes; ``learned.frame``
    and ``learned.y`` are the rows it was learnt from, for importance and effects.
    """

    table: Table
    question: Question
    chosen: str
    model: TableModel
    evaluation: Evaluation
    comparison: Comparison
    audit: Audit
    left_out: dict[str, str]
    seconds: dict[str, float]

    @property
    def frame(self) -> Any:
        """The rows, as a frame of Polars, with the columns that were learnt from."""
        return self.table.frame[list(self.question.columns)][self.question.rows]

    @property
    def y(self) -> np.ndarray:
        """The targets of these rows."""
        return targets_of(self.table, self.question)

    def held_intervals(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of a number, at each row what a model that had not seen it said: the mean, and ``low`` and ``high`` of the
        interval with the width of `model`. NaN where no refit left a row out."""
        if self.question.kind == "class":
            raise InputError("Learned", f"{self.question.target!r} is a class", "Intervals are of numbers", "")
        held = self.evaluation[self.chosen].held
        assert isinstance(self.model.spread, Width)
        width, stated = self.model.spread, (held.point, held.std)
        said = (width.point(*stated), *width.ends(*stated, level))
        return tuple(np.where(held.there, part, np.nan) for part in said)  # type: ignore[return-value]

    @property
    def score(self) -> str:
        """The name of the score by which the models were compared."""
        return self.comparison.score

    @property
    def skill(self) -> float:
        """Which share of the score of knowing no column is gone: one where nothing is left to know, zero for nothing
        learnt."""
        own, none = (self.evaluation.claim(self.score, name).value for name in (self.chosen, BASELINE))
        return 1.0 - own / none if none > 0.0 else float("nan")

    def __str__(self) -> str:
        return "\n".join(self.model.summary)
