"""The settings of a study, checked once: what is chosen, what is given, what counts."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.decide.study.goal import Goal
from credo.errors import InputError
from credo.represent.space import Space
from credo.represent.space.ranges import Range, is_number

__all__ = ["ACQUISITIONS", "NO_LOGARITHM", "Setup"]


ACQUISITIONS = ("log_ei", "log_nei", "qlog_ei", "pi", "lcb", "thompson", "mes", "kg", "random")
_SEVERAL = ("log_ei", "random")  # with more than one objective
_FIDELITIES = ("log_ei", "kg", "random")  # with fidelities, where the gain is the knowledge gradient
NO_LOGARITHM = ("lcb", "thompson")  # what is no logarithm of a gain
_FEWEST, _MOST = 4, 12  # points of the even design that a study begins with: twice the parameters, within these
_MANY = 20  # parameters, above which a trust region and a prior of few relevant parameters are the default


@final
@dataclass(frozen=True)
class Setup:
    """What a suggestion depends on beside the trials and the seed.

    `context` are parameters that are given and not chosen, `fidelity` the values at which some parameters count,
    `robust` the standard deviations by which parameters will be missed, `cost` a function of a point, `reference` the
    point that a hypervolume is measured from, `crash_cost` how many trials a crash costs; for studies that were stored
    before it had a price it is zero.
    """

    space: Space
    goal: Goal
    acquisition: str = "log_ei"
    surrogate: Any = None
    initial: int | None = None
    context: tuple[str, ...] = ()
    fidelity: Mapping[str, Any] = field(default_factory=dict)
    robust: Mapping[str, float] = field(default_factory=dict)
    cost: Callable[[dict[str, Any]], float] | None = None
    region: str | None = None
    reference: Mapping[str, float] | None = None
    crash_cost: float = 1.0

    def __post_init__(self) -> None:
        if self.acquisition not in ACQUISITIONS:
            what = f"acquisition is {self.acquisition!r}"
            raise InputError("Study", what, "", f"Known are {', '.join(ACQUISITIONS)}")
        if len(self.goal.objectives) > 1 and self.acquisition not in _SEVERAL:
            what = f"acquisition is {self.acquisition!r} with {len(self.goal.objectives)} objectives"
            raise InputError("Study", what, "Their gain is in hypervolume", f"Known are {', '.join(_SEVERAL)}")
        if self.region not in (None, "whole", "trust"):
            raise InputError("Study", f"region is {self.region!r}", "", 'Try "whole" or "trust"')
        if self.region == "trust" and len(self.goal.objectives) > 1:
            raise InputError("Study", "a trust region of several objectives", "It is around the best", 'Try "whole"')
        for role in ("context", "fidelity", "robust"):
            self._refuse_unknown(role, tuple(getattr(self, role)))
        for name, spread in self.robust.items():
            if not isinstance(self.space.parameters[name], Range) or not is_number(spread) or not 0 < spread < math.inf:
                what = f"robust has {spread!r} for {name!r}"
                raise InputError("Study", what, "It is how far a number is missed, one standard deviation", "Try 0.1")
        if self.acquisition in NO_LOGARITHM and (self.cost is not None or self.goal.cost is not None):
            what = f"acquisition is {self.acquisition!r} with a cost"
            raise InputError("Study", what, "It is no gain that could be divided by one", 'Try "log_ei"')
        if not is_number(self.crash_cost) or not 0.0 <= self.crash_cost < math.inf:
            what = f"crash_cost is {self.crash_cost!r}"
            raise InputError("Study", what, "It is how many trials a crash costs", "Try 1, the trial that it wastes")
        if self.robust and self.fidelity:
            raise InputError("Study", "robust and fidelity together", "Not both are believed at once", "Leave one out")
        if self.fidelity and self.cost is None and self.goal.cost is None:
            what = "fidelity without a cost"
            raise InputError("Study", what, "Then the highest is always best", 'Pass cost=, as lambda p: p["epochs"]')
        if self.fidelity and self.acquisition not in _FIDELITIES:
            what = f"acquisition is {self.acquisition!r} with fidelities"
            raise InputError("Study", what, "A gain at the one that counts is the knowledge gradient", 'Try "kg"')
        self.space.fixed(self.fidelity)  # a value that is none is refused here
        if self.initial is None:
            object.__setattr__(self, "initial", min(max(2 * len(self.space), _FEWEST), _MOST))
        self._refuse_reference()

    def _refuse_unknown(self, role: str, names: Sequence[str]) -> None:
        unknown = [name for name in names if name not in self.space.parameters]
        if unknown:
            known = ", ".join(map(repr, list(self.space)[:20]))
            raise InputError("Study", f"{role} names {unknown[0]!r}", f"The parameters are {known}", "Correct the name")

    def _refuse_reference(self) -> None:
        if self.reference is not None and set(self.reference) != set(self.goal.objectives):
            what = f"reference has {', '.join(map(repr, self.reference))}"
            raise InputError("Study", what, "It has one number for every objective", "Name each of them")

    @cached_property
    def trusts_a_region(self) -> bool:
        """Whether suggestions come from a trust region."""
        default = "trust" if self.has_many_parameters and len(self.goal.objectives) == 1 else "whole"
        return (self.region or default) == "trust"

    @cached_property
    def has_many_parameters(self) -> bool:
        """Whether most parameters are taken not to matter."""
        return len(self.space) > _MANY

    @property
    def learns_average(self) -> bool:
        """Whether a measurement is judged by what it tells about the average around points."""
        judged = self.acquisition != "random" and len(self.goal.objectives) == 1
        return bool(self.robust) and judged

    @property
    def gain(self) -> str:
        """The acquisition that suggestions maximize."""
        return "kg" if self.fidelity or self.learns_average else self.acquisition

    def within(self, context: Mapping[str, Any] | None) -> Space:
        """The space with what is given held."""
        given = dict(context or {})
        missing = [name for name in self.context if name not in given]
        unknown = [name for name in given if name not in self.context]
        if missing or unknown:
            what = f"the context lacks {missing[0]!r}" if missing else f"{unknown[0]!r} is not of the context"
            named = ", ".join(map(repr, self.context)) or "none"
            raise InputError("ask", what, f"Parameters that are given: {named}", "Pass context={name: value}")
        return self.space.fixed(given) if given else self.space

    def counting(self, space: Space) -> Space:
        """The space at the fidelity that counts."""
        return space.fixed(self.fidelity) if self.fidelity else space

    def where_it_counts(self, space: Space, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Rows brought into the space, and to the context, the fidelity and the held values that count."""
        return self.counting(space).snap(rows)

    def spreads(self) -> Float[np.ndarray, " d"]:
        """How far each column is missed, in the encoding: on a log scale `robust` is relative."""
        found = np.zeros(len(self.space))
        for j, (name, parameter) in enumerate(self.space.parameters.items()):
            if name in self.robust and isinstance(parameter, Range):
                missed = float(self.robust[name])
                width = math.log(parameter.high / parameter.low) if parameter.log else parameter.high - parameter.low
                found[j] = (math.log1p(missed) if parameter.log else missed) / width
        return found

    def to_dict(self) -> dict[str, Any]:
        """What a stored study is compared by; functions and estimators by their names."""
        return {
            **self.goal.to_dict(),
            "acquisition": self.acquisition,
            "surrogate": None if self.surrogate is None else repr(self.surrogate),
            "initial": self.initial,
            "context": list(self.context),
            "fidelity": dict(self.fidelity),
            "robust": dict(self.robust),
            "cost function": None if self.cost is None else getattr(self.cost, "__qualname__", repr(self.cost)),
            "region": self.region,
            "reference": None if self.reference is None else dict(self.reference),
            **({"crash_cost": float(self.crash_cost)} if self.crash_cost else {}),
        }
