"""Parameters as text, for a command line or a form: ``temperature=20..80``, ``solvent=water|ethanol``."""

import re
from collections.abc import Iterable

from credo.errors import InputError
from credo.represent.space.choice import Choice
from credo.represent.space.parameter import Parameter
from credo.represent.space.ranges import range_of
from credo.represent.space.space import Space

__all__ = ["space_from_text"]

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(log)?\s*(int)?\s*(?:step\s*({_NUMBER}))?\s*")
_EXAMPLES = (
    "temperature=20..80, pressure=1..8 step 0.5, depth=1..12 int, lr=1e-5..1 log, solvent=water|ethanol, size=S<M<L"
)


def space_from_text(texts: Iterable[str]) -> Space:
    """A space of parameters that are each written as a name, ``=``, and what it may be.

    ``20..80`` are numbers between the two, ``20..80 log`` on a logarithmic scale, ``20..80 step 0.5`` in steps of a
    half from 20 on, ``1..12 int`` whole ones; ``water|ethanol`` are choices, ``S<M<L`` choices in an order.

    >>> print(space_from_text(["t=20..80", "n=1..12 int", "solvent=water|ethanol"]).parameters["n"])
    Integer(1, 12)
    """
    parameters: dict[str, Parameter] = {}
    for text in texts:
        name, mark, what = text.partition("=")
        name = name.strip()
        if not mark or not name or not what.strip():
            raise InputError("Space", f"{text!r} is no parameter", "It is NAME=WHAT IT MAY BE", f"Try {_EXAMPLES}")
        if name in parameters:
            raise InputError("Space", f"{name!r} is there twice", "", "Name each parameter once")
        parameters[name] = _parameter(name, what)
    return Space(parameters)


def _parameter(name: str, text: str) -> Parameter:
    found = _RANGE.fullmatch(text)
    if found is not None:
        step = None if found[5] is None else float(found[5])
        marks = {"log": found[3] is not None, "whole": found[4] is not None, "step": step}
        return range_of(name, float(found[1]), float(found[2]), **marks)  # type: ignore[arg-type]
    for mark, ordered in (("|", False), ("<", True)):
        options = [option.strip() for option in text.split(mark)]
        if len(options) > 1 and all(options):
            return Choice(*options, ordered=ordered)
    cause = "Ranges have two dots, choices a bar or a less-than between them"
    raise InputError("Space", f"{name!r} may be {text.strip()!r}, which cannot be read", cause, f"Try {_EXAMPLES}")
