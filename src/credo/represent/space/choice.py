"""One of several options, with an order or without."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from credo.errors import InputError
from credo.represent.space.parameter import ColumnKind, Conditions, Discrete, conditions_of

__all__ = ["Choice"]

_SHOWN = 6  # options in a message


@dataclass(frozen=True, init=False, repr=False)
class Choice(Discrete):
    """One of the `options`, whatever they are (anything hashable); ``ordered=True`` when neighbors are alike.

    Ordered options become equal steps from 0 to 1, unordered ones the codes 0, 1, …; `when` as for
    [](#credo.represent.Real).

    >>> Choice("water", "ethanol").decode(np.array([1.0, 0.0]))
    ['ethanol', 'water']
    """

    options: tuple[Any, ...]
    ordered: bool = False
    when: Conditions = field(default_factory=dict, kw_only=True)

    def __init__(self, *options: Any, ordered: bool = False, when: Any = None) -> None:
        if not isinstance(ordered, bool):
            raise InputError("Choice", f"ordered={ordered!r} is neither True nor False", "", "Try ordered=True")
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "ordered", ordered)
        object.__setattr__(self, "when", conditions_of("Choice", when))
        object.__setattr__(self, "_codes", _codes(options))

    @property
    def levels(self) -> int:
        return len(self.options)

    def column(self, name: str, fixed: float | None = None) -> ColumnKind:
        if self.ordered:
            return ColumnKind(name, "ordered", self.levels, 1.0 / (self.levels - 1), fixed)
        return ColumnKind(name, "code", self.levels, 1.0, fixed)

    def code_of(self, value: Any) -> int | None:
        """The number of an option; None for what is none."""
        try:
            return self._codes.get(value)  # type: ignore[attr-defined]
        except TypeError:  # not hashable, so no option
            return None

    def index_of(self, column: Float[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        scale = self.levels - 1 if self.ordered else 1
        return np.clip(np.rint(column * scale), 0, self.levels - 1).astype(np.int64)

    def column_of(self, index: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return index / (self.levels - 1) if self.ordered else index.astype(np.float64)

    def encode(self, values: Sequence[Any]) -> Float[np.ndarray, " n"]:
        return self.column_of(np.array([self.code_of(value) for value in values], dtype=np.int64))

    def decode(self, column: Float[np.ndarray, " n"]) -> list[Any]:
        return [self.options[i] for i in self.index_of(column).tolist()]

    def why_not(self, value: Any, outside: bool = False) -> str | None:
        if self.code_of(value) is None:
            return f"is {value!r}, which is none of {self.values_in_words}"
        return None

    @property
    def values_in_words(self) -> str:
        shown = ", ".join(repr(option) for option in self.options[:_SHOWN])
        rest = f", … ({self.levels} options)" if self.levels > _SHOWN else ""
        return shown + rest

    def __repr__(self) -> str:
        parts = [repr(option) for option in self.options]
        parts += ["ordered=True"] if self.ordered else []
        parts += [f"when={self.when!r}"] if self.when else []
        return f"Choice({', '.join(parts)})"


def _codes(options: tuple[Any, ...]) -> dict[Any, int]:
    """The number of each option; what cannot be told apart, or found again, is refused."""
    if len(options) == 1 and isinstance(options[0], (list, tuple, set)):
        what = f"its one option is the {type(options[0]).__name__} {options[0]!r}"
        raise InputError("Choice", what, "Options are arguments, not one list", "Try Choice(*options)")
    if len(options) < 2:
        what = f"it has {len(options)} options" if not options else f"its only option is {options[0]!r}"
        remedy = "Leave the parameter out, or give all its options and hold one: space.fixed(name=option), to fix it"
        raise InputError("Choice", what, "There is nothing to choose", remedy)
    codes: dict[Any, int] = {}
    for code, option in enumerate(options):
        try:
            known = option in codes
        except TypeError as error:
            what = f"the option {option!r} is not hashable"
            raise InputError("Choice", what, "It may change, or is an array", "Pass a name for it instead") from error
        if option != option:
            raise InputError("Choice", f"the option {option!r} does not equal itself", "It is no value", "Leave it out")
        if known:
            what = f"the option {option!r} is there twice"
            raise InputError("Choice", what, "Options are told apart by ==", "Leave one out")
        codes[option] = code
    return codes
