"""A space as a document of JSON's types, and back: everything in it is held against a closed schema, nothing is run."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from credo.errors import FileError, InputError
from credo.represent.space.choice import Choice
from credo.represent.space.constraints import name_of
from credo.represent.space.linear import Linear
from credo.represent.space.parameter import Parameter
from credo.represent.space.ranges import Integer, Range, Real

__all__ = ["parts_of", "stored"]

_FORMAT, _VERSION = "credo.space", 1
_RANGES: dict[str, type[Range]] = {"real": Real, "integer": Integer}
_MOST = 10_000  # parameters, options or constraints: a stranger's document must not keep the solver busy for hours
_WHO = "Space.from_dict"


def stored(
    parameters: Mapping[str, Parameter],
    constraints: Sequence[Any],
    fixed: Mapping[str, Any],
    reasons: Mapping[str, str],
    *,
    by_name: bool = False,
) -> dict[str, Any]:
    """The document. What JSON cannot hold is refused by name; functions are there `by_name`, if they are welcome."""
    for constraint in constraints:
        if not isinstance(constraint, Linear) and not by_name:
            what = f"{name_of(constraint)} is a function"
            raise InputError("Space.to_dict", what, "Code cannot be stored", "State it as Linear, or leave it out")
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "parameters": [{"name": name, **_of_parameter(name, p)} for name, p in parameters.items()],
        "constraints": [_of_constraint(c) for c in constraints],
        "fixed": [[name, _plain(name, value)] for name, value in fixed.items()],
        "reasons": dict(reasons),
    }


def _of_constraint(constraint: Any) -> dict[str, Any]:
    if not isinstance(constraint, Linear):
        return {"function": name_of(constraint).removeprefix("the constraint ")}
    return {"weights": dict(constraint.weights), "least": constraint.least, "most": constraint.most}


def _of_parameter(name: str, parameter: Parameter) -> dict[str, Any]:
    when = [[parent, [_plain(name, value) for value in values]] for parent, values in parameter.when.items()]
    if isinstance(parameter, Choice):
        options = [_plain(name, option) for option in parameter.options]
        return {"kind": "choice", "options": options, "ordered": parameter.ordered, "when": when}
    assert isinstance(parameter, Range)
    kind = next(kind for kind, cls in _RANGES.items() if isinstance(parameter, cls))
    step = getattr(parameter, "step", None)
    # Without a step it is as it was before there were any, so that stored studies stay what they are.
    steps = {} if step is None or (kind == "integer" and step == 1) else {"step": step}
    return {"kind": kind, "low": parameter.low, "high": parameter.high, "log": parameter.log, **steps, "when": when}


def _plain(name: str, value: Any) -> Any:
    """A value that JSON gives back as it was."""
    if hasattr(value, "item") and not isinstance(value, (str, bool, int, float)):  # a number of NumPy
        value = value.item()
    if _is_plain(value):
        return str(value) if isinstance(value, str) else value
    what = f"the value {value!r} of {name!r} is a {type(value).__name__}"
    raise InputError("Space.to_dict", what, "Text, finite numbers, truth values and None can be stored", "Name it")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value))


def parts_of(document: Any, make: Any) -> Any:
    """The space of a document, made by `make`; a `FileError` for a document that is not one."""
    _keys("the document", document, {"format", "version", "parameters", "constraints", "fixed", "reasons"})
    if document["format"] != _FORMAT or type(document["version"]) is not int or document["version"] != _VERSION:
        what = f"format {document['format']!r} of version {document['version']!r}"
        raise FileError(
            _WHO, what, f"This credo reads {_FORMAT!r} of version {_VERSION}", "Use the credo that wrote it"
        )
    try:
        return make(
            _parameters(document["parameters"]),
            [_linear(entry) for entry in _list("constraints", document["constraints"])],
            fixed=dict(_pairs("fixed", document["fixed"], _value)),
            reasons=_texts(document["reasons"]),
        )
    except InputError as error:
        raise FileError(
            _WHO, f"what it says is no space: {error}", "It was altered, or not written by credo"
        ) from error


def _parameters(entries: Any) -> dict[str, Parameter]:
    parameters: dict[str, Parameter] = {}
    for entry in _list("parameters", entries):
        kind = entry.get("kind") if isinstance(entry, dict) else None
        if kind == "choice":
            _keys("a choice", entry, {"name", "kind", "options", "ordered", "when"})
            parameter: Parameter = Choice(
                *[_value("options", option) for option in _list("options", entry["options"])],
                ordered=entry["ordered"],
                when=dict(_pairs("when", entry["when"], _values)),
            )
        elif isinstance(kind, str) and kind in _RANGES:
            stepped = {"step"} & set(entry)
            _keys("a range", entry, {"name", "kind", "low", "high", "log", "when"} | stepped)
            when = dict(_pairs("when", entry["when"], _values))
            steps = {name: entry[name] for name in stepped}
            parameter = _RANGES[kind](entry["low"], entry["high"], entry["log"], when=when, **steps)
        else:
            raise _bad(f"a parameter of the kind {kind!r}")
        name = entry["name"]
        if not isinstance(name, str) or name in parameters:
            raise _bad(f"the name {name!r}, or it is there twice")
        parameters[name] = parameter
    return parameters


def _linear(entry: Any) -> Linear:
    _keys("a constraint", entry, {"weights", "least", "most"})
    if not isinstance(entry["weights"], dict):
        raise _bad(f"the weights {entry['weights']!r}")
    return Linear(entry["weights"], entry["least"], entry["most"])


def _pairs(what: str, entries: Any, of_value: Any) -> list[tuple[str, Any]]:
    pairs = _list(what, entries)
    if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        raise _bad(f"{what} that is no list of names and values")
    if len({pair[0] for pair in pairs}) != len(pairs):
        raise _bad(f"a name twice in {what}")
    return [(name, of_value(what, value)) for name, value in pairs]


def _values(what: str, entries: Any) -> tuple[Any, ...]:
    return tuple(_value(what, entry) for entry in _list(what, entries))


def _value(what: str, value: Any) -> Any:
    if not _is_plain(value):
        raise _bad(f"the value {value!r} in {what}")
    return value


def _texts(entries: Any) -> dict[str, str]:
    if not isinstance(entries, dict) or not all(isinstance(x, str) for pair in entries.items() for x in pair):
        raise _bad("reasons that are not text")
    return dict(entries)


def _list(what: str, entries: Any) -> list[Any]:
    if not isinstance(entries, list) or len(entries) > _MOST:
        raise _bad(f"{what} that is no list of at most {_MOST} entries")
    return entries


def _keys(what: str, entry: Any, keys: set[str]) -> None:
    if not isinstance(entry, dict) or set(entry) != keys:
        found = sorted(map(str, entry))[:20] if isinstance(entry, dict) else type(entry).__name__
        raise FileError(_WHO, f"{what} has {found}", f"It has exactly {sorted(keys)}", "Read what to_dict wrote")


def _bad(what: str) -> FileError:
    return FileError(_WHO, f"it has {what}", "It was altered, or not written by credo", "Read what to_dict wrote")
