"""Whether a value is of the type that an annotation declares: for values that come from outside, such as a file."""

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jax import Array

__all__ = ["fits", "type_hints"]

_ARRAYS = (Array, np.ndarray)
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def type_hints(cls: type) -> dict[str, Any]:
    """The annotations of a class and its bases; strings and other unresolvable ones become Any."""
    try:
        return typing.get_type_hints(cls)
    except (NameError, TypeError, AttributeError, SyntaxError):
        hints: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            for name, hint in inspect.get_annotations(base).items():
                hints[name] = Any if isinstance(hint, str) else hint
        return hints


def fits(value: Any, annotation: Any) -> bool:
    """Whether `value` is what `annotation` says, in kind: numbers are one kind, arrays of JAX and NumPy another.

    Shapes are left out on purpose: a batched module has one axis more than its class declares.

    >>> fits({"a": 1.0}, dict[str, float]), fits("a", int | None), fits(2, float)
    (True, False, True)
    """
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated or origin in (typing.ClassVar, typing.Final):
        return fits(value, typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, option) for option in typing.get_args(annotation))
    if origin is typing.Literal:
        return any(type(value) is type(option) and value == option for option in typing.get_args(annotation))
    if origin is not None:
        return _fits_generic(value, origin, typing.get_args(annotation))
    if hasattr(annotation, "array_type") and hasattr(annotation, "dtypes"):
        return _fits_array(value, annotation)
    if annotation is None:
        return value is None
    if annotation in (int, float):
        return isinstance(value, _NUMBERS) or (isinstance(value, _ARRAYS) and value.ndim == 0)
    if annotation is Array:
        return isinstance(value, _ARRAYS + _NUMBERS)
    if isinstance(annotation, type):
        return _is_instance(value, annotation)
    return True  # Any, a TypeVar, a string that names nothing: no statement, so nothing to contradict


def _fits_generic(value: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if not isinstance(origin, type):
        return True
    if not _is_instance(value, origin):
        return False
    if issubclass(origin, tuple) and arguments and arguments[-1] is not Ellipsis:
        return len(value) == len(arguments) and all(fits(v, a) for v, a in zip(value, arguments, strict=True))
    if issubclass(origin, Mapping) and len(arguments) == 2:
        return all(fits(k, arguments[0]) and fits(v, arguments[1]) for k, v in value.items())
    if issubclass(origin, Sequence) and arguments:
        return all(fits(v, arguments[0]) for v in value)
    return True


def _fits_array(value: Any, annotation: Any) -> bool:
    """jaxtyping's Float[Array, "n d"]: the kind of array and its dtype."""
    kind = annotation.array_type
    if kind is not Any and not fits(value, kind):
        return False
    if isinstance(annotation.dtypes, (list, tuple)) and isinstance(value, (*_ARRAYS, np.generic)):
        return value.dtype.name in annotation.dtypes
    return True


def _is_instance(value: Any, cls: type) -> bool:
    try:
        return isinstance(value, cls)
    except TypeError:  # a protocol that cannot be checked at run time
        return True
