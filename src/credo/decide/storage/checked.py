"""What may be stored: strict JSON, finite numbers, text that every database takes. All else is refused at the door."""

import json
import math
import numbers
import operator
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from credo.errors import InputError

__all__ = ["answer", "as_json", "as_number", "lease_seconds", "plain_text", "study_name", "whole"]

MAX_NAME = 250
MAX_NOTE = 20_000
# Above this a float no longer tells one second from the next, and a lease without end is not a lease.
MAX_LEASE = 1e10


def as_json(who: str, what: str, value: Any) -> str:
    """A mapping as canonical JSON: keys sorted, so that equal objects are equal texts. NaN and infinities are refused.

    >>> as_json("Study", "params", {"b": 1, "a": (0.5, None)})
    '{"a":[0.5,null],"b":1}'
    """
    if not isinstance(value, Mapping):
        raise InputError(who, f"{what} is {_shown(value)}, not a mapping from names to values", "", "Pass a dict")
    return json.dumps(_plain(who, what, value, 0), allow_nan=False, sort_keys=True, separators=(",", ":"))


def _plain(who: str, where: str, value: Any, depth: int) -> Any:
    """Only what JSON knows, in Python's own types. json.dumps itself would turn the key 1 into "1" and say nothing."""
    if depth > 100:
        raise InputError(who, f"{where} is nested more than 100 deep", "It probably contains itself")
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise InputError(
                who, f"{where} is {float(value)}", "JSON has no such number", "Pass None, or a finite value"
            )
        return float(value)
    if isinstance(value, Mapping):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            raise InputError(who, f"{where} has the key {odd!r}", "Keys of JSON are strings", "Pass str(key)")
        return {str(key): _plain(who, f"{where}[{key!r}]", part, depth + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(who, f"{where}[{i}]", part, depth + 1) for i, part in enumerate(value)]
    if type(value).__name__ == "bool":  # NumPy's, which is no number and no bool
        return bool(value)
    raise InputError(
        who,
        f"{where} is {_shown(value)}, which JSON cannot hold",
        "Only None, strings, numbers, lists and dicts of these are stored",
        "Convert it, for example by .tolist()",
    )


def answer(who: str, values: Any, failed: bool) -> tuple[float, ...] | None:
    """The values of a trial as finite floats, or None where it failed."""
    if failed and values is not None:
        raise InputError(who, f"the trial failed and has the values {_shown(values)}", "", "Pass one of the two")
    if failed:
        return None
    if isinstance(values, (numbers.Real, np.bool_)):
        values = (values,)
    try:
        if isinstance(values, (str, bytes, Mapping, Set)):  # it would be its digits or its keys, in no order
            raise TypeError
        found = tuple(map(as_number, values))
    except (TypeError, ValueError, OverflowError) as error:
        cause = "It is a number or a list of numbers, not text and not True or False"
        raise InputError(who, f"values is {_shown(values)}", cause, "For a crash pass failed=True") from error
    if not found or not all(map(math.isfinite, found)):
        raise InputError(
            who,
            f"values is {found}",
            "NaN or infinity usually means that the evaluation failed",
            "Pass failed=True, or finite numbers",
        )
    return found


def as_number(value: Any) -> float:
    """A measured number as Python's own; also one of NumPy, or an array of a single one.

    `float` alone would also take the text "1.5" and the truth value True, which are mostly a mistake. They are a
    `TypeError`.

    >>> as_number(np.float32(0.5)), as_number(3)
    (0.5, 3.0)
    """
    if np.asarray(value).dtype.kind in "bSUmM":
        raise TypeError
    return float(value)


def lease_seconds(who: str, lease: Any, *, minimum: float = 0.0) -> float:
    """The length of a lease, a positive finite number of seconds; zero where `minimum` is negative."""
    if not isinstance(lease, numbers.Real) or not minimum < lease <= MAX_LEASE:  # type: ignore[operator]
        raise InputError(who, f"lease is {_shown(lease)}", "It is a positive number of seconds", "Try lease=600.0")
    return float(lease)


def whole(who: str, what: str, value: Any) -> int:
    """A whole number as Python's own: databases store NumPy's as bytes, and find no trial of such a number."""
    try:
        return operator.index(value)
    except TypeError as error:
        cause = "It is a whole number"
        raise InputError(who, f"{what} is {_shown(value)}", cause, f"Try int({what})") from error


def study_name(who: str, name: Any) -> str:
    """A name that every database stores as it is."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable() or name != name.strip():
        raise InputError(
            who,
            f"name is {_shown(name)}",
            f"A name is 1 to {MAX_NAME} printable characters, with no space at its ends",
            "Try name='reactor-2'",
        )
    return name


def plain_text(text: Any) -> str:
    """A note as text that every database stores: what UTF-8 or SQL cannot hold is spelt out, the middle of it cut.

    A note is often the message of an exception: that must never be the reason why an answer is lost.
    """
    text = str(text).encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    half = MAX_NOTE // 2
    return text if len(text) <= MAX_NOTE else f"{text[:half]} … {text[-half:]}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
