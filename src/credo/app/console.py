"""What commands say: lines for people, or one JSON object for machines; and the codes they end with."""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from enum import IntEnum
from typing import Any, Literal

import numpy as np

from credo.errors import CredoError

__all__ = ["Code", "Direction", "code_of", "complain", "jsonable", "printable", "put", "tell", "warn"]

# What a terminal obeys instead of showing it, and what turns the direction of the letters behind it.
_ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

#: What is better of a result.
Direction = Literal["minimize", "maximize"]


class Code(IntEnum):
    """How a command ended: as asked, with a promise not kept, with wrong input, with a computation that failed."""

    DONE = 0
    BROKEN_PROMISE = 1
    WRONG_INPUT = 2
    FAILED = 3


def tell(lines: Iterable[str], data: Mapping[str, Any], *, as_json: bool) -> None:
    """To standard output: the lines, or the data as one JSON object, in ASCII, which every terminal can take."""
    if as_json:
        print(json.dumps(jsonable(data), allow_nan=False))
        return
    for line in lines:
        print(printable(line))


def put(text: str) -> None:
    """Data to standard output: as they are into a file or another program, and as it can show them on a terminal."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)


def printable(text: str) -> str:
    r"""Text that a terminal shows and does not obey: names and cells come from strangers.

    >>> print(printable("\x1b[2J°C"))
    \x1b[2J°C
    """
    return _ORDERS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def jsonable(value: Any) -> Any:
    """Plain values of JSON: arrays as lists, records as objects, what is not finite as null.

    >>> jsonable({"mean": np.float64(1.5), "low": [-np.inf, 2]})
    {'mean': 1.5, 'low': [None, 2]}
    """
    if isinstance(value, np.ndarray | np.generic):
        return jsonable(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): jsonable(part) for key, part in value.items()}
    if hasattr(value, "_asdict"):
        return jsonable(value._asdict())
    if is_dataclass(value) and not isinstance(value, type):
        return jsonable(asdict(value))
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(part) for part in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def code_of(error: BaseException) -> Code:
    """Whether an error is of a computation, or of what was passed or installed."""
    return Code.FAILED if isinstance(error, ArithmeticError) and not isinstance(error, ValueError) else Code.WRONG_INPUT


def warn(sentence: str) -> None:
    """To standard error."""
    print(printable(sentence), file=sys.stderr)


def complain(error: CredoError, *, as_json: bool) -> Code:
    """Say what is wrong to standard error, for machines also to standard output; the code to end with."""
    if as_json:
        print(json.dumps({"error": str(error), "kind": type(error).__name__}))
    warn(str(error))
    return code_of(error)
