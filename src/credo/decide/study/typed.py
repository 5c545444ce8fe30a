"""Numbers and points as people type them, read by what the parameters of a space take."""

import re
from collections.abc import Iterable
from typing import Any

from credo.errors import InputError
from credo.represent.space import Choice, Parameter, Space

__all__ = ["number_from", "point_from"]

_COMMA = re.compile(r"(\s*[+-]?\d+),(\d+(?:[eE][+-]?\d+)?\s*)")


def number_from(text: str) -> float | None:
    """The number that a text is, also with a decimal comma; None where it is none.

    >>> number_from("61,5"), number_from("-1e-3"), number_from("1,234,567"), number_from("much")
    (61.5, -0.001, None, None)
    """
    found = _COMMA.fullmatch(text)
    try:
        return float(f"{found[1]}.{found[2]}" if found else text)
    except ValueError:
        return None


def point_from(who: str, space: Space, texts: Iterable[str]) -> dict[str, Any]:
    """A point of a space, of texts that are each a name, ``=`` and a value; what is held need not be said.

    >>> from credo.represent.space import Real
    >>> point_from("enqueue", Space({"t": Real(20, 80), "s": Choice("water", "ethanol")}), ["t=40", "s=water"])
    {'t': 40.0, 's': 'water'}
    """
    said: dict[str, Any] = {}
    for text in texts:
        name, value = _parts(who, space, text)
        if name in said:
            raise InputError(who, f"{name!r} is there twice", "", "Name each parameter once")
        said[name] = _read(who, name, space.parameters[name], value)
    point = {name: said.get(name, space.held.get(name)) for name in space if name in said or name in space.held}
    reason = space.why_not(point)
    if reason is not None:
        takes = ", ".join(f"{name} takes {parameter.values_in_words}" for name, parameter in space.parameters.items())
        raise InputError(who, reason, takes, "Write NAME=VALUE for each parameter that is there")
    return point


def _parts(who: str, space: Space, text: str) -> tuple[str, str]:
    """The name and the value of a text. Names may have ``=`` in them, too: the longest that is known counts."""
    ends = [at for at, letter in enumerate(text) if letter == "="]
    for at in reversed(ends):
        if text[:at].strip() in space.parameters:
            return text[:at].strip(), text[at + 1 :].strip()
    known = ", ".join(map(repr, list(space)[:20]))
    what = f"{text[: ends[0]].strip()!r} is no parameter" if ends else f"{text!r} has no = in it"
    raise InputError(who, what, f"There are {known}", "Write NAME=VALUE for each of them")


def _read(who: str, name: str, parameter: Parameter, text: str) -> Any:
    """The value of one parameter."""
    number = number_from(text)
    value: Any = text if number is None else number
    if isinstance(parameter, Choice):
        exactly = [option for option in parameter.options if str(option) == text]
        alike = [option for option in parameter.options if number is not None and option == number]
        value = [*exactly, *alike, text][0]
    reason = parameter.why_not(value)
    if reason is not None:
        takes = "" if isinstance(parameter, Choice) else f"It takes {parameter.values_in_words}"  # the reason has it
        raise InputError(who, f"{name!r} {reason}", takes, "Correct the value")
    return parameter.plain([value])[0]
