"""Which parameters are there when: the order in which parents come first, and how many points there are."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from credo.errors import InputError
from credo.represent.space.parameter import Discrete, Parameter

__all__ = ["Condition", "conditions_between", "count_points", "parents_first"]


class Condition(NamedTuple):
    """The column of a parent, and the numbers of its values at which the child is there."""

    parent: int
    allowed: Int[np.ndarray, " k"]


def parents_first(parameters: Mapping[str, Parameter]) -> list[int]:
    """The columns in an order in which every parent comes before its children; an `InputError` where there is none.

    >>> from credo.represent.space import Choice, Real
    >>> parents_first({"x": Real(0, 1, when={"z": "a"}), "z": Choice("a", "b")})
    [1, 0]
    """
    names = list(parameters)
    for name, parameter in parameters.items():
        unknown = [parent for parent in parameter.when if parent not in parameters]
        if unknown:
            what = f"{name!r} is conditional on {unknown[0]!r}, which is no parameter"
            raise InputError("Space", what, f"There are {', '.join(map(repr, names[:20]))}", "Correct the name")
    done: list[str] = []
    while len(done) < len(names):
        ready = [n for n in names if n not in done and all(parent in done for parent in parameters[n].when)]
        if not ready:
            left = ", ".join(repr(name) for name in names if name not in done)
            what = f"each of {left} is conditional on another of them"
            raise InputError("Space", what, "The conditions go round in a circle", "Leave one of them out")
        done += ready
    return [names.index(name) for name in done]


def conditions_between(parameters: Mapping[str, Parameter]) -> list[list[Condition]]:
    """For every column its conditions; a parent has to be discrete, and its values must be among those it has."""
    names = list(parameters)
    conditions = []
    for name, parameter in parameters.items():
        of_child = []
        for parent_name, values in parameter.when.items():
            parent = parameters[parent_name]
            if not isinstance(parent, Discrete):
                what = f"{name!r} is conditional on {parent_name!r}, which is {parent!r}"
                cause = "One exact number of a continuous range never comes up"
                raise InputError("Space", what, cause, "Make the other one a Choice or an Integer")
            refused = parent.first_refused(values)
            if refused is not None:
                what = f"{name!r} is there when {parent_name!r} {refused[1]}"
                raise InputError("Space", what, "It would never be active", "Correct the value")
            of_child.append(Condition(names.index(parent_name), parent.index_of(parent.encode(values))))
        conditions.append(of_child)
    return conditions


def count_points(
    parameters: Sequence[Parameter], order: Sequence[int], conditions: Sequence[Sequence[Condition]], fixed: Any
) -> int | None:
    """How many points there are, each with its active parameters only; None if a continuous one is among them.

    Parents are gone through value by value (those that no child asks for, as one group), family by family, so the cost
    is the number of combinations of values that conditions name within the largest family.
    """
    if any(not isinstance(p, Discrete) for j, p in enumerate(parameters) if j not in fixed):
        return None
    of_family = [
        _count_family([j for j in order if j in family], parameters, conditions, fixed)
        for family in _families(conditions)
    ]
    return math.prod(of_family)


def _families(conditions: Sequence[Sequence[Condition]]) -> list[set[int]]:
    """The columns, in groups between which there is no condition."""
    families: list[set[int]] = []
    for child, of_child in enumerate(conditions):
        together = {child, *(c.parent for c in of_child)}
        joined = [family for family in families if family & together]
        families = [family for family in families if not family & together] + [together.union(*joined)]
    return families


def _count_family(
    family: Sequence[int], parameters: Sequence[Parameter], conditions: Sequence[Sequence[Condition]], fixed: Any
) -> int:
    named: dict[int, set[int]] = {}
    for child in family:
        for condition in conditions[child]:
            named.setdefault(condition.parent, set()).update(condition.allowed.tolist())

    def below(place: int, chosen: dict[int, int]) -> int:
        """The points of the columns from `place` on; `chosen` has the active parents' values, −1 for an unnamed one."""
        if place == len(family):
            return 1
        j = family[place]
        if not all(chosen.get(c.parent, -1) in c.allowed.tolist() for c in conditions[j]):
            return below(place + 1, chosen)
        parameter = parameters[j]
        levels = parameter.levels if isinstance(parameter, Discrete) else 1  # a continuous one is held here
        if j in fixed:
            held = parameter.index_of(np.array([fixed[j]]))[0] if isinstance(parameter, Discrete) else -1
            return below(place + 1, {**chosen, j: int(held)})
        if j not in named:
            return levels * below(place + 1, chosen)
        others = levels - len(named[j])
        total = others * below(place + 1, {**chosen, j: -1}) if others else 0
        return total + sum(below(place + 1, {**chosen, j: value}) for value in named[j])

    return below(0, {})
