"""What a study has seen: its trials as rows of numbers, at any version of its history."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from credo.decide.storage import TrialRecord
from credo.decide.study.goal import Goal
from credo.represent.space import Space

__all__ = ["Known", "Standing", "known_at", "outcomes_of", "rows_of", "standing_at"]


class Standing(NamedTuple):
    """Trials that have their values, that failed, and that are under way."""

    done: list[TrialRecord]
    failed: list[TrialRecord]
    pending: list[TrialRecord]


class Known(NamedTuple):
    """Rows of the encoding in the order of their numbers, objectives turned so that less is better, by how much bounds
    were exceeded, what trials cost, and the rows of trials that failed or are under way.

    `numbers` are those of the trials with values, `pending_numbers` of those under way. `ahead` are standardized errors
    of the beliefs that trials were suggested with, before they were measured; NaN where there was none.
    """

    rows: Float[np.ndarray, "n d"]
    values: Float[np.ndarray, "n m"]
    excess: Float[np.ndarray, "n j"]
    costs: Float[np.ndarray, " n"] | None
    failed: Float[np.ndarray, "f d"]
    pending: Float[np.ndarray, "p d"]
    numbers: tuple[int, ...]
    pending_numbers: tuple[int, ...]
    ahead: Float[np.ndarray, " n"]

    @classmethod
    def of(
        cls,
        rows: Float[np.ndarray, "n d"],
        values: Float[np.ndarray, "n m"] | Float[np.ndarray, " n"],
        *,
        excess: Float[np.ndarray, "n j"] | None = None,
        failed: Float[np.ndarray, "f d"] | None = None,
        pending: Float[np.ndarray, "p d"] | None = None,
    ) -> "Known":
        """With what is not given empty, and numbers from 0 in this order."""
        bounds = np.empty((len(rows), 0)) if excess is None else excess
        several = values[:, None] if values.ndim == 1 else values
        failed, pending = (rows[:0] if some is None else some for some in (failed, pending))
        numbers = tuple(range(len(rows) + len(pending)))
        ahead = np.full(len(rows), np.nan)
        return cls(rows, several, bounds, None, failed, pending, numbers[: len(rows)], numbers[len(rows) :], ahead)

    @property
    def taken(self) -> Float[np.ndarray, "t d"]:
        """All rows that were asked for."""
        return np.concatenate([self.rows, self.failed, self.pending])

    @property
    def met(self) -> Bool[np.ndarray, " n"]:
        """Where all bounds were met."""
        return np.all(self.excess <= 0.0, axis=1)


def known_at(
    goal: Goal,
    trials: Sequence[TrialRecord],
    version: int,
    encoded: Callable[[Sequence[TrialRecord]], Float[np.ndarray, "n d"]],
) -> Known:
    """What stood in the study at a version of its history; `encoded` gives the rows of trials."""
    done, failed, pending = standing_at(trials, version)
    values = outcomes_of(goal, done)
    return Known(
        encoded(done),
        goal.turned(values),
        goal.excess(values),
        goal.costs(values),
        encoded(failed),
        encoded(pending),
        tuple(trial.number for trial in done),
        tuple(trial.number for trial in pending),
        np.array([_error_of(trial, len(goal.objectives)) for trial in done]),
    )


def _error_of(trial: TrialRecord, objectives: int) -> float:
    """By how many standard deviations the result of a suggestion missed the belief, as it was before an audit."""
    why = trial.why
    if objectives > 1 or why.get("noise") is None or trial.values is None:
        return float("nan")
    spread = math.hypot(why["std"] / why.get("widened", 1.0), why["noise"])
    return (trial.values[0] - why["mean"]) / spread if spread > 0.0 else float("nan")


def standing_at(trials: Sequence[TrialRecord], version: int) -> Standing:
    """Which trials stood where at a version of the history."""
    ended = [trial for trial in trials if trial.finished_by(version)]
    return Standing(
        [trial for trial in ended if trial.state == "done"],
        [trial for trial in ended if trial.state == "failed"],
        [trial for trial in trials if trial.pending_at(version)],
    )


def outcomes_of(goal: Goal, done: Sequence[TrialRecord]) -> Float[np.ndarray, "n k"]:
    """What was told of trials, a column an outcome."""
    return np.array([trial.values for trial in done], dtype=np.float64).reshape(len(done), len(goal.outcomes))


def rows_of(space: Space, trials: Sequence[TrialRecord]) -> Float[np.ndarray, "n d"]:
    """The rows of the encoding that trials were at."""
    if not trials:
        return np.empty((0, len(space)))
    return space.encode([dict(trial.params) for trial in trials], outside=True)
