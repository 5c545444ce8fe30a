"""Which names are public, and which of them say nothing about themselves.

A name is public when the `__all__` of a room has it. This file needs no Sphinx, so that the tests ask the same question
as the build.
"""

import inspect
import re
import tomllib
import types
import typing
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Literal

ROOT = Path(__file__).parents[2]


def rooms() -> list[str]:
    """The modules of the house from left to right, as import-linter has them, each with the modules it makes public."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [f"credo.{layer}" for layer in reversed(contracts[0]["layers"]) if find_spec(f"credo.{layer}")]
    return [room for layer in layers for room in (layer, *(f"{layer}.{name}" for name in _listed(layer, modules=True)))]


def names_of(room: str) -> list[str]:
    """The public names of one room."""
    return _listed(room, modules=False)


def _listed(room: str, *, modules: bool) -> list[str]:
    module = import_module(room)
    names = getattr(module, "__all__", [])
    return sorted((name for name in names if isinstance(getattr(module, name), ModuleType) == modules), key=str.lower)


def kind_of(obj: Any) -> Literal["class", "function", "data"]:
    """How a public name is documented."""
    if inspect.isclass(obj) and not isinstance(obj, types.GenericAlias):
        return "class"
    is_alias = typing.get_origin(obj) is not None or isinstance(obj, types.UnionType | typing.TypeVar)
    return "function" if callable(obj) and not is_alias else "data"


def doc_of(room: str, name: str) -> str:
    """The docstring of a public name; for a constant or an alias of types, the ``#:`` comment above its definition."""
    obj = getattr(import_module(room), name)
    if kind_of(obj) != "data":
        return inspect.cleandoc(obj.__doc__ or "")
    pattern = re.compile(rf"((?:^#:.*\n)+){re.escape(name)}\b", re.MULTILINE)
    for module in _modules(import_module(room)):
        if name in vars(module) and (found := pattern.search(inspect.getsource(module))):
            return "\n".join(line.removeprefix("#:").strip() for line in found[1].splitlines())
    return ""


def summary_of(room: str, name: str) -> str:
    """The first sentence about a public name."""
    paragraph = " ".join(doc_of(room, name).split("\n\n")[0].split())
    return re.split(r"(?<=[.])\s(?=[A-Z`$])", paragraph)[0]


def undocumented() -> list[str]:
    """Every public name, and every public method or property of a public class, that has no docstring."""
    missing = [f"{room}.{name}" for room in rooms() for name in names_of(room) if not doc_of(room, name)]
    for room in rooms():
        missing += [room] if not import_module(room).__doc__ else []
        classes = {name: getattr(import_module(room), name) for name in names_of(room)}
        for name, cls in classes.items():
            if kind_of(cls) == "class":
                missing += [f"{room}.{name}.{member}" for member in silent_members(cls)]
    return missing


def homes() -> dict[int, str]:
    """The room of every public object, by the identity of the object."""
    return {id(getattr(import_module(room), name)): room for room in rooms() for name in names_of(room)}


def homeless() -> list[str]:
    """Names of the top of credo that are in no room, and so on no page."""
    known = homes()
    top = import_module("credo")
    return [f"credo.{name}" for name in top.__all__ if name != "__version__" and id(getattr(top, name)) not in known]


def _modules(room: ModuleType) -> Iterator[ModuleType]:
    yield room
    for info in iter_modules(getattr(room, "__path__", []), prefix=f"{room.__name__}."):
        yield from _modules(import_module(info.name))


def silent_members(cls: type) -> Iterator[str]:
    """Public members that credo defines on a class and no class of its ancestry documents."""
    ours = [ancestor for ancestor in cls.__mro__ if ancestor.__module__.partition(".")[0] == "credo"]
    fields = {name for ancestor in ours for name in inspect.get_annotations(ancestor)}
    members = {name for ancestor in ours for name in vars(ancestor) if not name.startswith("_")} - fields
    for name in sorted(members):
        attribute = inspect.getattr_static(cls, name)
        is_behavior = callable(getattr(cls, name)) or isinstance(attribute, property | classmethod | staticmethod)
        if is_behavior and not any(_doc(vars(ancestor).get(name)) for ancestor in cls.__mro__):
            yield name


def _doc(attribute: Any) -> str:
    if isinstance(attribute, classmethod | staticmethod):
        attribute = attribute.__func__
    return (attribute is not None and getattr(attribute, "__doc__", "")) or ""
