"""Linear constraints between parameters, as an object or as text of a closed grammar."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from credo.errors import InputError
from credo.represent.space.ranges import is_number

__all__ = ["Linear", "parse_linear"]

_SLACK = 1e-9  # relative, for round-off: a mixture of shares adds up to one only nearly

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NAME = r"[^\W\d]\w*|'[^']+'|\"[^\"]+\"|`[^`]+`"
_TERM = re.compile(rf"\s*(?P<sign>[+-])?\s*(?:(?P<number>{_NUMBER})\s*\*?\s*)?(?P<name>{_NAME})\s*")
_TEXT = re.compile(rf"(?P<sum>.*?)(?P<sign><=|>=|==|=)\s*(?P<bound>[+-]?{_NUMBER})\s*", re.DOTALL)


@dataclass(frozen=True)
class Linear:
    r"""$\text{least} \le \sum_j c_j x_j \le \text{most}$, with `weights` $c_j$ by name; one bound may be left out.

    It is about the numbers themselves, also those on a log scale. Where one of them is conditional, it holds only when
    all of them are active. It is met to a relative 1e-9, so that ``least=1, most=1`` can say that shares sum to one.

    >>> print(Linear({"a": 1.0, "Feed rate (L/min)": -2.0}, most=3.0))
    a - 2 "Feed rate (L/min)" <= 3
    """

    weights: Mapping[str, float]
    least: float | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping) or not self.weights:
            raise InputError("Linear", f"weights={self.weights!r} has no terms", "", 'Try Linear({"a": 1.0}, most=3.0)')
        for name, weight in self.weights.items():
            if not isinstance(name, str) or not is_number(weight) or not math.isfinite(weight) or weight == 0:
                what = f"the weight of {name!r} is {weight!r}"
                raise InputError("Linear", what, "It is a finite number other than zero", "Leave the term out")
        object.__setattr__(self, "weights", {name: float(weight) for name, weight in self.weights.items()})
        if self.least is None and self.most is None:
            raise InputError("Linear", "there is neither least nor most", "A sum alone is no constraint", "Pass most=")
        for name in ("least", "most"):
            bound = getattr(self, name)
            if bound is not None and (not is_number(bound) or not math.isfinite(bound)):
                what = f"{name}={bound!r} is no finite number"
                raise InputError("Linear", what, "", f"Leave {name} out where there is no bound")
            object.__setattr__(self, name, None if bound is None else float(bound))
        if self.least is not None and self.most is not None and self.least > self.most:
            what = f"least={self.least} is above most={self.most}"
            raise InputError("Linear", what, "They are swapped", "Swap them")

    def holds(self, numbers: Mapping[str, Any], largest: Mapping[str, float]) -> Bool[np.ndarray, " n"]:
        """Whether it is met, for arrays of numbers by name; `largest` has the largest size of each, for the slack."""
        total: Any = sum(c * np.asarray(numbers[name]) for name, c in self.weights.items())
        slack = _SLACK * sum(abs(c) * largest[name] for name, c in self.weights.items())
        met = np.ones(np.shape(total), dtype=bool)
        if self.least is not None:
            met &= total >= self.least - slack
        if self.most is not None:
            met &= total <= self.most + slack
        return met

    def value(self, numbers: Mapping[str, float]) -> float:
        """The weighted sum at one point."""
        return math.fsum(c * numbers[name] for name, c in self.weights.items())

    def one_sided(self) -> list[tuple[Float[np.ndarray, " k"], float]]:
        """The same as weights (in the order of `weights`) and bounds of sums that are at most that."""
        c = np.array(list(self.weights.values()))
        sides = [(c, self.most)] if self.most is not None else []
        return sides + ([(-c, -self.least)] if self.least is not None else [])

    def __str__(self) -> str:
        terms = [
            f"{'-' if c < 0 else '+'} " + ("" if abs(c) == 1 else f"{abs(c):.15g} ") + _quoted(name)
            for name, c in self.weights.items()
        ]
        text = " ".join(terms).removeprefix("+ ")
        if self.least is not None and self.least == self.most:
            return f"{text} == {self.most:.15g}"
        if self.most is None:
            return f"{text} >= {self.least:.15g}"
        return (f"{self.least:.15g} <= " if self.least is not None else "") + f"{text} <= {self.most:.15g}"


def parse_linear(text: str) -> Linear:
    """A [](#credo.represent.Linear) from text: numbers before names, one of ``<=``, ``>=``, ``==``, a number.

    A name that is no single word is written in quotes of any kind. Nothing else is understood, and nothing is run.

    >>> parse_linear("2 a + 'Feed rate (L/min)' <= 3")
    Linear(weights={'a': 2.0, 'Feed rate (L/min)': 1.0}, least=None, most=3.0)
    """
    whole = _TEXT.fullmatch(text)
    weights: dict[str, float] = {}
    place = 0
    terms = whole["sum"] if whole else ""
    while place < len(terms):
        term = _TERM.match(terms, place)
        if term is None or (place > 0 and term["sign"] is None):
            weights = {}
            break
        name = term["name"] if term["name"][0] not in "'\"`" else term["name"][1:-1]
        number = float(term["number"] or 1.0) * (-1.0 if term["sign"] == "-" else 1.0)
        weights[name] = weights.get(name, 0.0) + number
        place = term.end()
    if whole is None or not weights:
        raise InputError(
            "Space",
            f"the constraint {text!r} is not understood",
            "It is a sum of numbers times names, a sign <=, >= or ==, and a number; names of several words in quotes",
            "Try \"2 a + 3 'Feed rate' <= 3\", or a function of the point",
        )
    bound = float(whole["bound"])
    sign = whole["sign"]
    return Linear(weights, None if sign == "<=" else bound, None if sign == ">=" else bound)


def _quoted(name: str) -> str:
    if re.fullmatch(r"[^\W\d]\w*", name):
        return name
    quote = next((q for q in "\"'`" if q not in name), '"')
    return f"{quote}{name}{quote}"
