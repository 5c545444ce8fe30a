"""What a safe study goes by: its plan, what it has seen, and what it believes of candidates."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from credo.decide.study.goal import Bound, Goal
from credo.models import GPRegressor
from credo.represent.space import Space

__all__ = ["Candidates", "Plan", "Seen", "Strategy"]

Strategy = Literal["itl", "vtl", "safeopt"]


class Plan(NamedTuple):
    """What a safe study was told at its beginning."""

    space: Space
    goal: Goal
    seeds: Float[np.ndarray, "k d"]
    probability: float
    strategy: Strategy
    surrogates: Mapping[str, GPRegressor]
    audit: bool

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What keeps a point safe."""
        return self.goal.bounds

    @property
    def objective(self) -> str:
        """The name of what is minimized or maximized."""
        return self.goal.objectives[0]

    @property
    def turned(self) -> float:
        """Minus one where more is better."""
        return self.goal.signs[0]


class Seen(NamedTuple):
    """What a safe study has seen: encoded rows, their outcomes by column, what failed and what is under way."""

    rows: Float[np.ndarray, "n d"]
    values: Float[np.ndarray, "n o"]
    failed: Float[np.ndarray, "f d"]
    pending: Float[np.ndarray, "p d"]


class Candidates(NamedTuple):
    """Rows with the belief about them.

    The probability of being unsafe, the widest interval of an outcome in standard units, whether each row is safe, and
    whether it may be best.
    """

    rows: Float[np.ndarray, "m d"]
    unsafe: Float[np.ndarray, " m"]
    widths: Float[np.ndarray, " m"]
    safe: Bool[np.ndarray, " m"]
    promising: Bool[np.ndarray, " m"]
