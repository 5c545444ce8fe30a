"""Rosenblatt's perceptron."""

from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from credo.infer.perceptron import PerceptronMachine, perceptron
from credo.models.base import InOrder
from credo.models.margin.binary import BinaryDeciding
from credo.numerics.certificate import Certificate
from credo.numerics.random import as_seed

__all__ = ["Perceptron"]


class Perceptron(InOrder, BinaryDeciding):
    r"""A plane between classes, moved by one row at a time until no row is on the wrong side.

    Rows $\tilde x = (x, 1)$ of sides $s = \pm1$ are visited in the given order, and where
    $s\,\theta^\top\tilde x \le 0$ it learns $\theta \leftarrow \theta + s\tilde x$ (Rosenblatt 1958; Bishop 2006,
    eq. 4.55), until a pass has no mistake. If some plane separates the classes
    one is found, after at most $(R/\gamma)^2$ mistakes with R the length of the longest row and γ the margin (Novikoff
    1962). If none does it never ends, and after `max_passes` the fit warns and says which it was: a linear program
    decides.

    The plane is one of many. The result depends on the units of the columns, on their origin and on the order of the
    rows. How far a row is from it says
    nothing about how sure its class is, so there are scores and no probabilities. Rows have no weights, since order
    matters. A pass costs O(n d), of sparse rows what they hold.

    Parameters
    ----------
    max_passes : int
        Through all rows.
    fit_intercept : bool
        Whether the plane may miss the origin.
    many : "ovr" or "ovo"
        With more than two classes: each against the rest, or each pair, which vote.
    shuffle : bool
        Whether each pass has an order of its own.
    random_state : int, generator or None
        For those orders.

    Attributes
    ----------
    classes\_ : array
    coef\_, intercept\_ : arrays
        The plane, (d,) and a number for two classes; else one row a machine.
    mistakes\_ : int or array
        How often θ was changed.
    mistake_bound\_ : float or array
        $(R/\gamma)^2$ by the widest margin that was found; infinite where no plane separates.
    machines\_ : tuple of PerceptronMachine
    certificate\_ : Certificate

    Examples
    --------
    >>> model = Perceptron().fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "up", "up"])
    >>> model.predict([[1.5], [2.5]]).tolist()
    ['low', 'up']
    >>> model.mistakes_, round(model.mistake_bound_)
    (8, 85)
    """

    _parameter_constraints = {  # noqa: RUF012
        "max_passes": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "many": [StrOptions({"ovr", "ovo"})],
        "shuffle": ["boolean"],
        "random_state": ["random_state", np.random.Generator],
    }

    machines_: tuple[PerceptronMachine, ...]

    def __init__(
        self,
        *,
        max_passes: int = 100,
        fit_intercept: bool = True,
        many: Literal["ovr", "ovo"] = "ovr",
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        self.max_passes = max_passes
        self.fit_intercept = fit_intercept
        self.many = many
        self.shuffle = shuffle
        self.random_state = random_state

    def _learn_two(self, X: Any, sign: np.ndarray, w: np.ndarray) -> tuple[PerceptronMachine, Certificate]:
        found = perceptron(
            X,
            sign,
            intercept=bool(self.fit_intercept),
            max_passes=int(self.max_passes),
            generator=np.random.default_rng(as_seed(self.random_state)) if self.shuffle else None,
            who=type(self).__name__,
        )
        return found.value, found.certificate

    @property
    def mistakes_(self) -> Any:
        """How often the plane was moved, or that of each machine."""
        return self._of_machines("mistakes")

    @property
    def mistake_bound_(self) -> Any:
        """The most mistakes there can be, in any order, or those of each machine; infinite where no plane separates."""
        return self._of_machines("mistake_bound")
