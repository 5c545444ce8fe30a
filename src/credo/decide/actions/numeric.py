"""Losses about a number: squared, absolute, pinball and linear, with their closed forms."""

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.beliefs import Belief
from credo.beliefs.codes import Codes
from credo.decide.actions.expectations import expected_distances
from credo.decide.actions.loss import Loss, names_of
from credo.errors import InputError, UndefinedError

__all__ = ["Absolute", "LinearLoss", "Pinball", "Squared"]


class _OfNumbers(Loss):
    """A loss about one number, whose best action among all numbers is known."""

    def listed(self, belief: Belief, actions: Any) -> tuple[Any, ...] | None:
        if belief.event_shape or isinstance(belief, Codes):
            what = f"the loss {self!r} is about a number, but one draw of {belief} is none"
            raise UndefinedError("bayes_action", what, "It is a vector or a class", "Pass a function of (action, y)")
        if actions is None:
            return None
        numbers = np.asarray(actions, dtype=np.float64)
        if numbers.ndim != 1 or not np.all(np.isfinite(numbers)):
            what = f"actions={actions!r} is no list of finite numbers"
            raise InputError("bayes_action", what, f"The loss {self!r} compares numbers", "Try actions=[0.0, 1.0]")
        return tuple(numbers.tolist())


@final
@dataclass(frozen=True)
class Squared(_OfNumbers):
    r"""$(y - a)^2$. Best is the mean, at the price of the variance; any other a costs $(a - \mathbb{E}y)^2$ more."""

    def of(self, action: Any, y: Any, number: int = 0) -> Any:
        """(y − a)²."""
        return (y - action) ** 2

    def risks(self, belief: Belief, actions: Sequence[Any]) -> Float[np.ndarray, "*batch m"] | None:
        """Variance and squared distance from the mean."""
        mean, variance = self.best(belief), self.risk_of_best(belief)
        return variance[..., None] + (mean[..., None] - np.asarray(actions)) ** 2

    def best(self, belief: Belief) -> Float[np.ndarray, "*batch"]:
        """The mean."""
        return _finite("mean", belief.mean)

    def risk_of_best(self, belief: Belief) -> Float[np.ndarray, "*batch"]:
        """The variance."""
        return _finite("variance", belief.variance)


@final
@dataclass(frozen=True)
class Pinball(_OfNumbers):
    r"""$\tau\,(y - a)_+ + (1 - \tau)\,(a - y)_+$: being below costs τ, above 1 − τ a unit. Best is the τ-quantile.

    Under a normal belief the best costs $\sigma\,\varphi(\Phi^{-1}(\tau))$ (Koenker 2005, section 1.3).
    """

    tau: Any

    def __post_init__(self) -> None:
        if not isinstance(self.tau, numbers.Real) or not 0.0 < float(self.tau) < 1.0:
            raise InputError("Pinball", f"tau={self.tau!r}", "It is a probability between 0 and 1", "Try tau=0.9")
        object.__setattr__(self, "tau", float(self.tau))

    def of(self, action: Any, y: Any, number: int = 0) -> Any:
        """τ above the action, 1 − τ below, times the distance."""
        return np.maximum(self.tau * (y - action), (self.tau - 1.0) * (y - action))

    def risks(self, belief: Belief, actions: Sequence[Any]) -> Float[np.ndarray, "*batch m"] | None:
        """From the expected distances on both sides."""
        columns = [self._risk_at(belief, np.full(belief.batch_shape, a)) for a in actions]
        return None if any(c is None for c in columns) else np.stack(columns, axis=-1)  # type: ignore[arg-type]

    def _risk_at(self, belief: Belief, action: Float[np.ndarray, "*batch"]) -> Float[np.ndarray, "*batch"] | None:
        sides = expected_distances(belief, action)
        return None if sides is None else np.asarray(self.tau * sides[0] + (1.0 - self.tau) * sides[1])

    def best(self, belief: Belief) -> Float[np.ndarray, "*batch"]:
        """The τ-quantile."""
        return _finite("quantile", belief.quantile(self.tau))

    def risk_of_best(self, belief: Belief) -> Float[np.ndarray, "*batch"] | None:
        """The same formula at the quantile."""
        return self._risk_at(belief, self.best(belief))


@final
@dataclass(frozen=True)
class Absolute(_OfNumbers):
    r"""$|y - a|$, twice the pinball loss of τ = ½. Best is the median."""

    def of(self, action: Any, y: Any, number: int = 0) -> Any:
        """|y − a|."""
        return np.abs(y - action)

    def risks(self, belief: Belief, actions: Sequence[Any]) -> Float[np.ndarray, "*batch m"] | None:
        """Both expected distances."""
        half = Pinball(0.5).risks(belief, actions)
        return None if half is None else 2.0 * half

    def best(self, belief: Belief) -> Float[np.ndarray, "*batch"]:
        """The median."""
        return Pinball(0.5).best(belief)

    def risk_of_best(self, belief: Belief) -> Float[np.ndarray, "*batch"] | None:
        """The mean distance from the median."""
        half = Pinball(0.5).risk_of_best(belief)
        return None if half is None else np.asarray(2.0 * half)


@final
@dataclass(frozen=True)
class LinearLoss(Loss):
    r"""$c_a + d_a\,y$ with `intercepts` c and `slopes` d, one each an action: a price, and a price a unit of y.

    Two actions of which one costs nothing make the newsvendor's and the two-action problem (Raiffa and Schlaifer 1961,
    chapter 5A).
    """

    intercepts: Any
    slopes: Any

    def __post_init__(self) -> None:
        for name in ("intercepts", "slopes"):
            numbers = np.asarray(getattr(self, name), dtype=np.float64)
            if numbers.ndim != 1 or not np.all(np.isfinite(numbers)):
                raise InputError("LinearLoss", f"{name}={getattr(self, name)!r}", "There is one number an action", "")
            object.__setattr__(self, name, tuple(numbers.tolist()))
        if len(self.intercepts) != len(self.slopes):
            what = f"{len(self.intercepts)} intercepts and {len(self.slopes)} slopes"
            raise InputError("LinearLoss", what, "There is one of each an action", "Pass as many")

    def listed(self, belief: Belief, actions: Any) -> tuple[Any, ...] | None:
        """The numbers of the actions, or their names."""
        return names_of(actions, len(self.intercepts))

    def of(self, action: Any, y: Any, number: int = 0) -> Any:
        """c + d y."""
        return self.intercepts[number] + self.slopes[number] * y

    def risks(self, belief: Belief, actions: Sequence[Any]) -> Float[np.ndarray, "*batch m"] | None:
        """The loss of the mean."""
        if belief.event_shape or isinstance(belief, Codes):
            raise UndefinedError("bayes_action", f"one draw of {belief} is no number", "", "Pass a function")
        mean = _finite("mean", belief.mean)
        return np.asarray(self.intercepts) + np.asarray(self.slopes) * mean[..., None]


def _finite(what: str, values: Any) -> np.ndarray:
    array = np.asarray(values)
    if not np.all(np.isfinite(array)):
        raise UndefinedError(
            "bayes_action",
            f"the {what} of the belief is not finite",
            "Its tails are too heavy for this loss: every action costs infinitely much",
            'Try loss="absolute", or a bounded loss',
        )
    return array
