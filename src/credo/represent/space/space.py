"""What can be chosen, between which bounds and under which constraints."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float

from credo.errors import InputError
from credo.numerics.random import as_seed
from credo.represent.space.constraints import Constraint, Constraints
from credo.represent.space.guess import guessed
from credo.represent.space.layout import Layout, columns_of
from credo.represent.space.neighbors import neighbors_of
from credo.represent.space.parameter import ColumnKind, Parameter
from credo.represent.space.planes import Planes, planes_of
from credo.represent.space.sampling import refuse_impossible, sampled
from credo.represent.space.stored import parts_of, stored
from credo.represent.space.table import table_of

__all__ = ["Space"]

_ROUND_OFF = 1e-12  # in the encoding


@final
class Space:
    r"""Named parameters, each a [](#credo.represent.Real), [](#credo.represent.Integer) or [](#credo.represent.Choice),
    and the constraints between them. It does not change: `fixed`, `with_` and `without` return another one.

    A constraint is a [](#credo.represent.Linear), text such as ``"a + 2 b <= 3"``, or a function of a point (a dict of
    the active parameters) that says True where it is allowed. One that nobody can meet is refused here: linear ones by
    a linear program, functions when they allow none of 65 536 points all over the space.

    A surrogate sees rows of numbers, one column a parameter (`encode`): numbers and ordered choices from 0 to 1, on a
    log scale where it was asked for, unordered choices as codes 0, 1, …. A conditional parameter that is not active is
    put in the middle of its range; the column of its parent tells it from an active one.

    >>> from credo.represent.space import Choice, Integer, Real
    >>> space = Space({
    ...     "Feed rate (L/min)": Real(0.1, 5),
    ...     "solvent": Choice("water", "ethanol"),
    ...     "steps": Integer(1, 12, when={"solvent": "water"}),
    ... })
    >>> space.encode([{"Feed rate (L/min)": 5, "solvent": "water", "steps": 1}]).tolist()
    [[1.0, 0.0, 0.0]]
    >>> space.why_not({"Feed rate (L/min)": 7, "solvent": "ethanol"})
    "'Feed rate (L/min)' is 7, above 5.0"
    """

    def __init__(
        self,
        parameters: Mapping[str, Parameter],
        constraints: Sequence[Constraint] = (),
        *,
        fixed: Mapping[str, Any] | None = None,
        reasons: Mapping[str, str] | None = None,
    ) -> None:
        self._parameters = _checked(parameters)
        self._fixed = dict(fixed or {})
        self._refuse_unknown(self._fixed)
        if isinstance(constraints, str) or not isinstance(constraints, Sequence):
            what = f"constraints={constraints!r} is no list"
            raise InputError("Space", what, "One constraint goes in a list, too", "Put brackets around it")
        self._layout = Layout(self._parameters, self._fixed)
        self._constraints = Constraints(self._layout, constraints)
        self._reasons = dict(reasons or {})
        if self._constraints.functions:
            refuse_impossible(self._layout, self._constraints)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name, in the order of the columns."""
        return dict(self._parameters)

    @property
    def constraints(self) -> tuple[Any, ...]:
        """The constraints: linear ones as objects, also those that came as text, and functions."""
        return self._constraints.all

    @property
    def held(self) -> dict[str, Any]:
        """The values that are held."""
        return dict(self._fixed)

    @property
    def reasons(self) -> dict[str, str]:
        """Why each parameter was guessed to be what it is, or a column was left out."""
        return dict(self._reasons)

    @property
    def column_kinds(self) -> tuple[ColumnKind, ...]:
        """What an optimizer has to know of each column of the encoding."""
        return self._layout.kinds

    @cached_property
    def planes(self) -> Planes | None:
        """The linear equations between columns that vary continuously, such as shares that sum to one; None if none."""
        return planes_of(self._layout, self._constraints)

    @property
    def count(self) -> int | None:
        """How many different points there are, constraints left aside; None where a continuous parameter is free."""
        return self._layout.count

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def encode(self, points: Any, *, outside: bool = False) -> Float[np.ndarray, "n d"]:
        """The rows of numbers of a list of points (dicts) or a frame, whose other columns are not looked at.

        Constraints and held values are not asked for: past runs may have been elsewhere. ``outside=True`` lets numbers
        be between steps, and beyond the bounds, where they are below 0 or above 1.
        """
        return self._encoded("Space.encode", points, outside)[1]

    def runs(self, points: Any) -> list[dict[str, Any]]:
        """Past runs (dicts or a frame) as points in Python's types, also beyond the bounds and off what is held.

        >>> from credo.represent.space import Real
        >>> Space({"x": Real(0, 1)}).runs([{"x": np.float64(3)}])
        [{'x': 3.0}]
        """
        return self._layout.plain(*self._encoded("Space.runs", points, outside=True))

    def _encoded(self, who: str, points: Any, outside: bool) -> tuple[dict[str, list[Any]], Float[np.ndarray, "n d"]]:
        columns, n = columns_of(who, points, self._layout.names)
        rows, wrong = self._layout.encode(columns, n, outside=outside)
        if wrong is not None:
            raise InputError(who, wrong, "It is not in the space", "Correct the value, or change the space")
        return columns, rows

    def decode(self, rows: Any) -> list[dict[str, Any]]:
        """The points nearest to rows of the encoding: Python's numbers, and the options themselves.

        ``encode(decode(rows))`` is ``snap(rows)``, and ``decode(encode(points))`` gives the points back: integers and
        options exactly, real numbers to round-off.
        """
        return self._layout.decode(self.snap(rows))

    def snap(self, rows: Any) -> Float[np.ndarray, "n d"]:
        """The nearest rows that encode points: on the levels, held where fixed, neutral where not active."""
        return self._layout.settled(self._rows("Space.snap", rows))

    def neighbors(self, row: Any) -> Float[np.ndarray, "k d"]:
        """The allowed rows one step from a row: an integer or ordered choice one up or down, a choice any other option.

        What becomes active starts in the middle. Continuous columns stay: they have gradients.
        """
        settled = self.snap(np.atleast_2d(np.asarray(row, dtype=np.float64)))
        if len(settled) != 1:
            raise InputError("Space.neighbors", f"{len(settled)} rows were passed", "", "Pass one row")
        found = neighbors_of(self._layout, settled[0])
        return found[self._constraints.met(found)]

    def allowed(self, rows: Any) -> Bool[np.ndarray, " n"]:
        """Which rows, brought to the nearest points, meet the constraints."""
        return self._constraints.met(self.snap(rows))

    def sample(self, n: Any, random_state: Any = None) -> list[dict[str, Any]]:
        """n allowed points, spread more evenly than by chance: a scrambled Sobol sequence over the encoding.

        Rows that constraints forbid are left out. Where linear ones allow only a small part, points come from random
        walks inside of it. In a finite space a point may come twice. The same `random_state` gives the same points.

        >>> from credo.represent.space import Real
        >>> points = Space({"a": Real(0, 1), "b": Real(0, 1)}, ["a + b <= 1"]).sample(100, random_state=0)
        >>> all(point["a"] + point["b"] <= 1 for point in points)
        True
        """
        return self._layout.decode(self.sample_rows(n, random_state))

    def sample_rows(self, n: Any, random_state: Any = None) -> Float[np.ndarray, "n d"]:
        """The rows that encode the points of `sample`."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError("Space.sample", f"n={n!r} is no number of points", "", "Try n=10")
        return sampled(self._layout, self._constraints, int(n), np.random.default_rng(as_seed(random_state)))

    def contains(self, point: Mapping[str, Any]) -> bool:
        """Whether a point is one of the space: every value, what is held, every constraint."""
        return self.why_not(point) is None

    def why_not(self, point: Mapping[str, Any]) -> str | None:
        """Why a point is not in the space, with the name and the value; None if it is."""
        try:
            columns, _ = columns_of("Space", [point], self._layout.names)
        except InputError as error:
            return str(error)
        row, wrong = self._layout.encode(columns, 1)
        if wrong is not None:
            return wrong
        for j, value in self._layout.fixed.items():
            name = self._layout.names[j]
            if name in point and abs(row[0, j] - value) > _ROUND_OFF:
                return f"{name!r} is {point[name]!r}, but it is held at {self._fixed[name]!r}"
        return self._constraints.why_not({name: value for name, value in point.items() if name in self._layout.names})

    def fixed(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> "Space":
        """The space with these values held, besides those that are; a mapping for names that are no words.

        A held parameter keeps its column: past runs may have had other values of it.
        """
        return self._but(fixed={**self._fixed, **(values or {}), **named})

    def freed(self, *names: str) -> "Space":
        """The space with these parameters no longer held; all of them without names."""
        self._refuse_unknown(names)
        return self._but(fixed={n: v for n, v in self._fixed.items() if names and n not in names})

    def with_(self, parameters: Mapping[str, Parameter] | None = None, /, **named: Parameter) -> "Space":
        """The space with these parameters put in, in place of those of the same name or behind all others."""
        new = {**(parameters or {}), **named}
        reasons = {name: reason for name, reason in self._reasons.items() if name not in new}
        return self._but(parameters={**self._parameters, **new}, reasons=reasons)

    def without(self, *names: str) -> "Space":
        """The space without these parameters; constraints and conditions on them are refused."""
        self._refuse_unknown(names)
        return self._but(
            parameters={n: p for n, p in self._parameters.items() if n not in names},
            fixed={n: v for n, v in self._fixed.items() if n not in names},
            reasons={n: r for n, r in self._reasons.items() if n not in names},
        )

    @classmethod
    def from_frame(cls, frame: Any, target: str | Sequence[str] | None = None) -> "Space":
        """A guess from the columns of a table of past runs, all but `target`; printed, it says why.

        Numbers become [](#credo.represent.Real) over what was seen, a tenth of it wider and rounded to readable bounds
        (not across zero); whole ones [](#credo.represent.Integer); those over three decades or more are on a log
        scale. Numbers that are all multiples of 1, 5 or 25 times a power of ten, where this is unlikely to be chance,
        get this as their step: 20, 25, 30 and 35 are in steps of 5 (not where almost no setting would be left). Text
        becomes [](#credo.represent.Choice). Columns of one value, of dates or of names that are all different are left
        out, with a note. Change what is wrong by ``space.with_(name=Real(0, 1))``.

        >>> import polars as pl
        >>> print(Space.from_frame(pl.DataFrame({"t": [20.5, 80.0], "lot": ["a", "b"], "y": [1.0, 2.0]}), target="y"))
        name  kind    values    why
        t     Real    14 to 86  numbers from 20.5 to 80, a tenth wider
        lot   Choice  'a', 'b'  2 different texts
        """
        parameters, reasons = guessed(frame, target)
        return cls(parameters, reasons=reasons)

    def to_dict(self) -> dict[str, Any]:
        """The space in JSON's types. Functions as constraints, and options that are no text or number, are refused."""
        return stored(self._parameters, self._constraints.all, self._fixed, self._reasons)

    def definition(self) -> dict[str, Any]:
        """What tells one space from another, in JSON's types: `to_dict` with functions by their names alone, so that
        it cannot be read back."""
        return stored(self._parameters, self._constraints.all, self._fixed, self._reasons, by_name=True)

    @classmethod
    def from_dict(cls, document: Any) -> "Space":
        """The space that `to_dict` wrote; a `FileError` for anything else. Nothing in it is run."""
        return parts_of(document, cls)

    def _but(self, **changed: Any) -> "Space":
        parts = {"parameters": self._parameters, "fixed": self._fixed, "reasons": self._reasons, **changed}
        return Space(parts["parameters"], self._constraints.all, fixed=parts["fixed"], reasons=parts["reasons"])

    def _refuse_unknown(self, names: Any) -> None:
        unknown = [name for name in names if name not in self._parameters]
        if unknown:
            known = ", ".join(map(repr, list(self._parameters)[:20]))
            raise InputError("Space", f"{unknown[0]!r} is no parameter", f"There are {known}", "Correct the name")

    def _rows(self, who: str, rows: Any) -> Float[np.ndarray, "n d"]:
        array = np.asarray(rows, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(self) or not np.all(np.isfinite(array)):
            what = f"rows have shape {array.shape}" + ("" if array.ndim != 2 else " or are not all finite")
            raise InputError(who, what, f"They have one column for each of {len(self)} parameters", "Pass such rows")
        return array

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        mine, its = (list(s._parameters.items()) for s in (self, other))
        return mine == its and self._fixed == other._fixed and self.constraints == other.constraints

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [repr(self._parameters)]
        parts += [f"constraints={list(self.constraints)!r}"] if self.constraints else []
        parts += [f"fixed={self._fixed!r}"] if self._fixed else []
        return f"Space({', '.join(parts)})"

    def __str__(self) -> str:
        return table_of(self._parameters, self.constraints, self._fixed, self._reasons)


def _checked(parameters: Any) -> dict[str, Parameter]:
    if not isinstance(parameters, Mapping) or not parameters:
        what = "there are no parameters" if isinstance(parameters, Mapping) else f"{parameters!r} is no mapping"
        raise InputError("Space", what, "A space maps names to parameters", 'Try Space({"x": Real(0, 1)})')
    for name, parameter in parameters.items():
        if not isinstance(name, str) or not name.strip():
            raise InputError("Space", f"{name!r} is no name", "A name is text", "Pass one")
        if not isinstance(parameter, Parameter):
            what = f"{name!r} is {parameter!r}, a {type(parameter).__name__}"
            raise InputError("Space", what, "It is Real, Integer or Choice", "Try Real(0, 1)")
    return dict(parameters)
