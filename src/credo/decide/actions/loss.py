r"""What a wrong action costs: the interface of a loss, and a loss that is a function.

A loss $L(a, y)$ is averaged over a belief about y. Where the belief has finitely many values (classes, weighted
samples) the average is a sum; where loss and belief fit it is a formula; otherwise it is left to Monte Carlo.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.beliefs import Belief
from credo.errors import InputError

__all__ = ["FunctionLoss", "Loss", "names_of"]


class Loss(ABC):
    """What action a costs when y turns out: smaller is better."""

    @abstractmethod
    def of(self, action: Any, y: Any, number: int = 0) -> Any:
        """The loss of one action, the one of this `number`, at many y, elementwise."""

    def listed(self, belief: Belief, actions: Any) -> tuple[Any, ...] | None:
        """The actions to choose from, checked; None for all numbers, where the loss has a closed form of the best."""
        if actions is None:
            what = f"there are no actions for the loss {self!r}"
            raise InputError("bayes_action", what, "Its best action has no closed form", "Pass actions=[…]")
        return tuple(actions)

    def risks(self, belief: Belief, actions: Sequence[Any]) -> Float[np.ndarray, "*batch m"] | None:
        """The exact expected loss of each action, where there is a formula."""
        return None

    def best(self, belief: Belief) -> Float[np.ndarray, "*batch"]:
        """The best of all numbers, one a row."""
        raise NotImplementedError

    def risk_of_best(self, belief: Belief) -> Float[np.ndarray, "*batch"] | None:
        """The exact expected loss of the best of all numbers, where there is a formula."""
        return None


@final
@dataclass(frozen=True)
class FunctionLoss(Loss):
    """A function of an action and many y at once."""

    function: Callable[[Any, np.ndarray], Any]

    def of(self, action: Any, y: Any, number: int = 0) -> Any:
        """What the function says."""
        return np.asarray(self.function(action, y), dtype=np.float64)


def names_of(actions: Any, m: int) -> tuple[Any, ...]:
    """The names of m actions, their numbers where there are none."""
    if actions is None:
        return tuple(range(m))
    if len(actions) != m:
        what = f"there are {len(actions)} actions, but {m} rows of costs"
        raise InputError("bayes_action", what, "Actions are the names of the rows", f"Pass {m} names, or none")
    return tuple(actions)
