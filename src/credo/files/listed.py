"""The closed list: which classes a file may name, and what their instances may carry."""

import dataclasses
import importlib
import inspect
import re
import sys
from typing import Any

import equinox as eqx

from credo.numerics.annotations import fits, type_hints

__all__ = [
    "MAX_DEPTH",
    "MAX_TEXT",
    "ROOMS",
    "class_named",
    "field_names",
    "kind_of",
    "listed_name",
    "may_be_learned",
    "misfit",
]

ROOMS = ("numerics", "beliefs", "kernels", "represent", "infer", "models", "validate", "decide")
MAX_DEPTH = 100  # levels of nesting
MAX_TEXT = 2**24  # characters of a text array of fixed width

_NAME = re.compile(r"([a-z]+)\.([A-Za-z][A-Za-z0-9]*)")
_LEARNED = re.compile(r"[A-Za-z][A-Za-z0-9_]*[A-Za-z0-9]_")
_PRIVATE = ("_sklearn_output_config",)  # what scikit-learn's set_output leaves on an estimator


def kind_of(cls: Any) -> str | None:
    """How instances are stored: "module", "record" or "estimator"; None for functions, abstract classes, constants."""
    if not isinstance(cls, type) or inspect.isabstract(cls):
        return None
    sklearn = sys.modules.get("sklearn.base")  # loaded wherever an estimator is
    if sklearn is not None and issubclass(cls, sklearn.BaseEstimator):
        return "estimator"
    if issubclass(cls, eqx.Module):
        return "module"
    if dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return "record"
    return None


def class_named(name: Any) -> type | None:
    """The class that ``room.Class`` stands for, or None; the room is imported only once its name is known to be one."""
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None or found[1] not in ROOMS:
        return None
    room = importlib.import_module(f"credo.{found[1]}")
    cls = getattr(room, found[2]) if found[2] in getattr(room, "__all__", ()) else None
    return cls if kind_of(cls) is not None and cls.__module__.startswith(f"credo.{found[1]}.") else None


def listed_name(cls: type) -> str | None:
    """The name of a class in the list, or None."""
    package, _, rest = cls.__module__.partition(".")
    room = rest.partition(".")[0]
    if package != "credo" or room not in ROOMS:
        return None
    name = f"{room}.{cls.__name__}"
    return name if class_named(name) is cls else None


def field_names(cls: Any) -> tuple[str, ...]:
    """The declared fields of a module, dataclass or named tuple, static ones included."""
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    return tuple(cls._fields)


def may_be_learned(cls: type, name: str) -> bool:
    """Whether an estimator may carry a name: fit's names end in one underscore and hide nothing of the class."""
    return (_LEARNED.fullmatch(name) is not None and not hasattr(cls, name)) or name in _PRIVATE


def misfit(cls: type, values: dict[str, Any]) -> str | None:
    """The first field whose value is not of the type that the class declares, or None.

    The same question is asked when a file is written and when it is read, so what was saved can be loaded.
    """
    hints = type_hints(cls)
    return next((name for name, value in values.items() if name in hints and not fits(value, hints[name])), None)
