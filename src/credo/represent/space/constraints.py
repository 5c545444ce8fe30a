"""What a point has to meet besides its bounds: linear constraints, and functions of the point."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, final

import numpy as np
from jaxtyping import Bool, Float

from credo.errors import InputError
from credo.represent.space.layout import Layout
from credo.represent.space.linear import Linear, parse_linear
from credo.represent.space.polytope import polytope_of, refuse_contradictions
from credo.represent.space.ranges import Grid, Range

__all__ = ["Constraint", "Constraints", "name_of"]

#: A linear constraint, its text, or a function of a point that says whether it is allowed.
Constraint: TypeAlias = Linear | str | Callable[[dict[str, Any]], bool]


@final
class Constraints:
    """The constraints of a space, over the columns of its layout."""

    def __init__(self, layout: Layout, constraints: Sequence[Any]) -> None:
        self.layout = layout
        self.all = tuple(parse_linear(c) if isinstance(c, str) else c for c in constraints)
        for constraint in self.all:
            if not isinstance(constraint, Linear) and not callable(constraint):
                what = f"the constraint {constraint!r} is a {type(constraint).__name__}"
                remedy = 'Try Linear({"a": 1.0, "b": 2.0}, most=3.0), "a + 2 b <= 3", or a function of the point'
                raise InputError("Space", what, "It is neither linear nor a function", remedy)
        self.linear = tuple(c for c in self.all if isinstance(c, Linear))
        self.functions = tuple(c for c in self.all if not isinstance(c, Linear))
        for constraint in self.linear:
            _refuse_names(layout, constraint)
        self.largest = {
            name: max(abs(p.low), abs(p.high))
            for name, p in zip(layout.names, layout.parameters, strict=True)
            if isinstance(p, Range)
        }
        refuse_contradictions(layout, self.linear)
        self.polytope = polytope_of(layout, self.linear)

    def __len__(self) -> int:
        return len(self.all)

    def linear_met(self, rows: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Which settled rows meet the linear constraints."""
        met = np.ones(len(rows), dtype=bool)
        active = self.layout.active(rows) if self.linear else None
        for constraint in self.linear:
            assert active is not None
            columns = [self.layout.names.index(name) for name in constraint.weights]
            numbers = {self.layout.names[j]: self._numbers(j, rows[:, j]) for j in columns}
            met &= constraint.holds(numbers, self.largest) | ~np.all(active[:, columns], axis=1)
        return met

    def _numbers(self, j: int, column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        parameter = self.layout.parameters[j]
        assert isinstance(parameter, Range)
        if isinstance(parameter, Grid) and j not in self.layout.fixed:
            return parameter.number_of(parameter.index_of(column))
        return parameter.natural(column)

    def met(self, rows: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Which settled rows meet all constraints. Functions are asked only about rows that meet the linear ones."""
        met = self.linear_met(rows)
        if self.functions:
            there = np.flatnonzero(met)
            points = self.layout.decode(rows[there])
            met[there] = [all(said(f, point) for f in self.functions) for point in points]
        return met

    def why_not(self, point: Mapping[str, Any]) -> str | None:
        """The first constraint that a point does not meet."""
        for constraint in self.all:
            if isinstance(constraint, Linear):
                if not all(name in point for name in constraint.weights):
                    continue
                numbers = {name: np.array([float(point[name])]) for name in constraint.weights}
                if not constraint.holds(numbers, self.largest)[0]:
                    value = constraint.value({name: float(point[name]) for name in constraint.weights})
                    return f"{constraint} is not met: the sum is {value:g}"
            elif not said(constraint, dict(point)):
                return f"{name_of(constraint)} does not allow {dict(point)!r}"
        return None


def said(function: Any, point: dict[str, Any]) -> bool:
    """What a function says of a point; an `InputError` in the name of the function if it does not say."""
    try:
        answer = function(point)
    except Exception as error:
        what = f"{name_of(function)} raised {type(error).__name__}: {error} at {point!r}"
        cause = "A parameter that is not active is not in the point" if isinstance(error, KeyError) else ""
        raise InputError("Space", what, cause, "Correct the constraint") from error
    if not isinstance(answer, (bool, np.bool_)):
        what = f"{name_of(function)} returned {answer!r} at {point!r}"
        raise InputError("Space", what, "A constraint says True where the point is allowed", "Return a truth value")
    return bool(answer)


def name_of(function: Any) -> str:
    """A function in a sentence."""
    return f"the constraint {getattr(function, '__qualname__', None) or repr(function)}"


def _refuse_names(layout: Layout, constraint: Linear) -> None:
    for name in constraint.weights:
        if name not in layout.names:
            what = f"the constraint {constraint} has {name!r}, which is no parameter"
            known = ", ".join(map(repr, layout.names[:20]))
            raise InputError("Space", what, f"There are {known}", "Correct the name")
        if not isinstance(layout.parameters[layout.names.index(name)], Range):
            what = f"the constraint {constraint} has {name!r}, which is a choice"
            raise InputError("Space", what, "An option is no number", "Use a function of the point, or an Integer")
