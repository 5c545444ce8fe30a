"""What a study is after: objectives with their directions, bounds on outcomes, what a trial costs."""

import math
import numbers
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float

from credo.decide.storage.checked import as_number
from credo.errors import InputError

__all__ = ["Bound", "Goal"]

_SIGNS = {"minimize": 1.0, "maximize": -1.0}
_LARGEST = 1e300  # of an outcome: twice as much is still a number
_BOUND = re.compile(r"\s*(?P<name>.*?\S)\s*(?P<sign><=|>=)\s*(?P<value>\S+)\s*", re.DOTALL)


@dataclass(frozen=True)
class Bound:
    """An outcome that must stay on one side of a number: `sign` is 1 for at most, -1 for at least.

    >>> Bound.parse("impurity (%) <= 0.5")
    Bound(name='impurity (%)', sign=1.0, value=0.5)
    """

    name: str
    sign: float
    value: float

    @classmethod
    def parse(cls, text: Any) -> "Bound":
        """From words such as ``"impurity <= 0.5"``."""
        found = _BOUND.fullmatch(text) if isinstance(text, str) else None
        try:
            value = float(found["value"]) if found else math.nan
        except ValueError:
            value = math.nan
        if found is None or not math.isfinite(value):
            what = f"the outcome constraint {text!r} cannot be read"
            raise InputError("Study", what, "It is a name, <= or >=, and a number", 'Try "impurity <= 0.5"')
        return cls(found["name"], 1.0 if found["sign"] == "<=" else -1.0, value)

    def margin(self, values: Any) -> Float[np.ndarray, "..."]:
        """By how much values keep the bound; negative where they break it."""
        return self.sign * (self.value - np.asarray(values, dtype=np.float64))

    def __str__(self) -> str:
        short = f"{self.value:g}"
        value = short if float(short) == self.value else repr(self.value)
        return f"{self.name} {'<=' if self.sign > 0 else '>='} {value}"


@final
@dataclass(frozen=True)
class Goal:
    """The outcomes of a trial in the order in which they are stored: objectives, further bounded ones, the cost.

    >>> goal = Goal.of({"yield": "maximize"}, ["impurity <= 0.5"])
    >>> goal.outcomes, goal.told("tell", {"impurity": 0.1, "yield": 63})
    (('yield', 'impurity'), (63.0, 0.1))
    """

    objectives: tuple[str, ...]
    signs: tuple[float, ...]
    bounds: tuple[Bound, ...] = ()
    cost: str | None = None

    @classmethod
    def of(cls, direction: Any, constraints: Any = (), cost: str | None = None) -> "Goal":
        """From the words of the user: one direction, or a mapping of names to directions."""
        named = dict(direction) if isinstance(direction, Mapping) else {"value": direction}
        for name, way in named.items():
            if way not in _SIGNS or not isinstance(name, str) or not name.strip():
                raise InputError("Study", f"direction is {direction!r}", "", 'Try "minimize" or "maximize"')
        if not named:
            raise InputError("Study", "direction names no objective", "", 'Try {"yield": "maximize"}')
        if isinstance(constraints, str) or not isinstance(constraints, Sequence):
            what = f"outcome_constraints={constraints!r} is no list"
            raise InputError("Study", what, "One constraint goes in a list, too", "Put brackets around it")
        bounds = tuple(Bound.parse(text) for text in constraints)
        if cost is not None and cost in (*named, *(bound.name for bound in bounds)):
            raise InputError("Study", f"the cost {cost!r} is an objective or bounded, too", "", "Choose one of them")
        return cls(tuple(named), tuple(_SIGNS[way] for way in named.values()), bounds, cost)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The names of all that is told of a trial."""
        further = () if self.cost is None else (self.cost,)
        return tuple(dict.fromkeys([*self.objectives, *(bound.name for bound in self.bounds), *further]))

    @property
    def directions(self) -> dict[str, str]:
        """By the name of the objective."""
        words = {sign: word for word, sign in _SIGNS.items()}
        return {name: words[sign] for name, sign in zip(self.objectives, self.signs, strict=True)}

    def told(self, who: str, given: Any) -> tuple[float, ...]:
        """The outcomes in their order, of a number, a mapping by name or a sequence; what none can be is refused."""
        values = self.in_order(who, given)
        reason = self.why_not(values)
        if reason is not None:
            raise InputError(who, *reason)
        return values

    def in_order(self, who: str, given: Any) -> tuple[float, ...]:
        """A number for each outcome, which need not be possible. What is not that is refused."""
        names = self.outcomes
        if isinstance(given, Mapping):
            odd = [name for name in names if name not in given] + [name for name in given if name not in names]
            if odd:
                what = f"the outcomes are {', '.join(map(repr, names))}, and {', '.join(map(repr, given))} were told"
                raise InputError(who, what, f"{odd[0]!r} is in one only", "Tell each by its name")
            given = [given[name] for name in names]
        several = [given] if isinstance(given, numbers.Real) or np.ndim(given) == 0 else list(given)
        if len(several) != len(names):
            what = f"{len(several)} numbers were told, of {len(names)} outcomes"
            raise InputError(who, what, f"They are {', '.join(map(repr, names))}", "Tell a dict with each by its name")
        try:
            values = tuple(map(as_number, several))
        except (TypeError, ValueError, OverflowError) as error:
            what, cause = f"{given!r} was told", "An outcome is a number, not text and not True or False"
            raise InputError(who, what, cause, "Convert it with float(), or for a crash pass failed=True") from error
        return values

    def why_not(self, values: tuple[float, ...]) -> tuple[str, str, str] | None:
        """What is wrong with numbers as outcomes, the likely cause, and what to try; None where nothing is."""
        for name, value in zip(self.outcomes, values, strict=True):
            if not abs(value) <= _LARGEST:
                cause = "NaN, infinity or nearly that usually means that the evaluation failed"
                return f"{name!r} is {value}", cause, "Pass failed=True, or finite numbers"
            if name == self.cost and value <= 0.0:
                return f"the cost {name!r} is {value}", "A cost is positive", "Tell what it took"
        return None

    def turned(self, values: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n m"]:
        """The objectives, turned so that less is better."""
        return values[:, : len(self.objectives)] * np.array(self.signs)

    def excess(self, values: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n j"]:
        """By how much each bound is exceeded: zero or less where it is met."""
        columns = [-bound.margin(values[:, self.outcomes.index(bound.name)]) for bound in self.bounds]
        return np.stack(columns, axis=1) if columns else np.empty((len(values), 0))

    def met(self, values: Float[np.ndarray, "n k"]) -> Bool[np.ndarray, " n"]:
        """Where all bounds are met."""
        return np.all(self.excess(values) <= 0.0, axis=1)

    def broken(self, values: Mapping[str, float]) -> tuple[Bound, ...]:
        """The bounds that what was told of one trial does not meet."""
        return tuple(bound for bound in self.bounds if bound.margin([values[bound.name]])[0] < 0.0)

    def costs(self, values: Float[np.ndarray, "n k"]) -> Float[np.ndarray, " n"] | None:
        """What each trial cost, where that is told."""
        return None if self.cost is None else values[:, self.outcomes.index(self.cost)]

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {
            "direction": self.directions,
            "outcome_constraints": [str(bound) for bound in self.bounds],
            "cost": self.cost,
        }

    def __str__(self) -> str:
        words = [f"{way} {name}" for name, way in self.directions.items()]
        return ", ".join([*words, *map(str, self.bounds)])
