"""`load`: the object back from the tree and the arrays, each value checked before it is used."""

import math
import os
from collections.abc import Callable
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from credo.errors import FileError, MissingFileError
from credo.files.listed import MAX_DEPTH, MAX_TEXT, class_named, field_names, kind_of, may_be_learned, misfit
from credo.files.values import complaint
from credo.numerics.archive import MAX_BYTES, MAX_RANK, damaged, read_archive
from credo.numerics.precision import require_float64

__all__ = ["load"]

_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_KEYS = ("threefry2x32", "rbg", "unsafe_rbg")


def load(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Any:
    """The object that [](#credo.save) wrote to `path`, whole, or one [](#credo.errors.FileError).

    Safe for a file from a stranger: it runs no code from the file, builds only classes that credo exports, and refuses
    a file that is truncated, altered, larger than `max_bytes` or of another schema version, and a parameter outside
    the constraint that its class declares, such as a negative scale. The checksums show damage; they do not show who
    wrote the numbers, nor that what was learnt is sensible. Takes some three times the file's size in memory, six times
    where it is one covariance, which is factored to see that it is one. A path with no file raises
    [](#credo.errors.MissingFileError), which is a FileNotFoundError too.
    """
    require_float64("credo.load")
    try:
        tree, arrays = read_archive(path, max_bytes=max_bytes)
    except FileNotFoundError as error:
        raise MissingFileError(
            "credo.load",
            f"{os.fspath(path)!r} does not exist",
            "The name is misspelt, or relative to another folder",
            "Check the path",
        ) from error
    decoder = _Decoder(arrays, path)
    try:
        obj = decoder.node(tree, 0)
    except FileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise damaged(path, f"its parts do not fit together ({str(error)[:200]})") from error
    if decoder.unused:
        raise damaged(path, f"{len(decoder.unused)} of its arrays belong to nothing")
    return obj


class _Decoder:
    """Builds objects; every array is used once, so that a small file cannot ask for many copies of one."""

    def __init__(self, arrays: list[np.ndarray], path: Any) -> None:
        self.arrays, self.path = arrays, path
        self.unused = set(range(len(arrays)))
        self.kinds: dict[str, Callable[[Any, int], Any]] = {
            "float": lambda word, depth: _FLOATS[word],
            "list": self._list,
            "tuple": lambda items, depth: tuple(self._list(items, depth)),
            "dict": self._dict,
            "str_": lambda word, depth: np.str_(self._is(str, word)),
            "numpy": lambda i, depth: self._taken(i),
            "swapped": lambda i, depth: _swapped(self._taken(i)),
            "scalar": lambda i, depth: self._scalar(self._taken(i)),
            "jax": lambda i, depth: jnp.array(self._taken(i)),
            "key": lambda parts, depth: self._random_key(*self._parts(parts, 2)),
            "text": lambda parts, depth: self._text(*self._parts(parts, 3)),
            "object": lambda parts, depth: self._object(*self._parts(parts, 2), depth=depth),
            "estimator": lambda parts, depth: self._estimator(*self._parts(parts, 3), depth=depth),
        }

    def node(self, x: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            self._wrong(f"it is nested deeper than {MAX_DEPTH} levels")
        if x is None or type(x) in (bool, int, float, str):
            return x
        if type(x) is not dict or len(x) != 1:
            self._wrong("a value has no kind")
        ((kind, content),) = x.items()
        if kind not in self.kinds:
            self._wrong(f"it holds a value of the unknown kind {kind[:40]!r}")
        return self.kinds[kind](content, depth)

    def _list(self, items: Any, depth: int) -> list[Any]:
        return [self.node(v, depth + 1) for v in self._is(list, items)]

    def _dict(self, items: Any, depth: int) -> dict[str, Any]:
        return {k: self.node(v, depth + 1) for k, v in self._is(dict, items).items()}

    def _taken(self, i: Any) -> np.ndarray:
        if type(i) is not int or i not in self.unused:
            self._wrong(f"array {str(i)[:20]} does not exist or is used twice")
        self.unused.remove(i)
        return self.arrays[i]

    def _scalar(self, array: np.ndarray) -> Any:
        return array[()] if array.ndim == 0 else self._wrong("a number is an array")

    def _random_key(self, i: Any, implementation: Any) -> jax.Array:
        if implementation not in _KEYS:
            self._wrong(f"random keys of the kind {str(implementation)[:40]!r} are unknown")
        return jax.random.wrap_key_data(jnp.array(self._taken(i)), impl=implementation)

    def _text(self, shape: Any, kind: Any, words: Any) -> np.ndarray:
        if kind not in ("U", "O") or any(type(word) is not str for word in self._is(list, words)):
            self._wrong("a text array holds something else")
        if len(self._is(list, shape)) > MAX_RANK or any(type(n) is not int or n < 0 for n in shape):
            self._wrong("a text array has no shape")
        width = max(map(len, words), default=0)
        if math.prod(shape) != len(words) or (kind == "U" and len(words) * width > MAX_TEXT):
            self._wrong("a text array has another size than it says")
        return np.array(words, dtype=object if kind == "O" else f"U{max(width, 1)}").reshape(shape)

    def _object(self, name: Any, fields: Any, *, depth: int) -> Any:
        cls = self._class(name, "module", "record")
        values = self._dict(fields, depth)
        if set(values) != set(field_names(cls)):
            self._wrong(f"{name} has other fields than its class declares")
        self._check_types(cls, name, values)
        if kind_of(cls) == "record":
            return cls(**values)
        made: Any = object.__new__(cls)  # not the constructor: it may compute, and the fields are what it computed
        for field, value in values.items():
            object.__setattr__(made, field, value)
        against = complaint(made)
        if against is not None:
            self._wrong(f"{name} has values that it refuses ({against[:200]})")
        return made

    def _estimator(self, name: Any, params: Any, learned: Any, *, depth: int) -> Any:
        cls: Any = self._class(name, "estimator")
        settings, attributes = self._dict(params, depth), self._dict(learned, depth)
        if set(settings) != set(cls._get_param_names()):
            self._wrong(f"{name} has other parameters than its class declares")
        for attribute in attributes:
            if attribute in settings or not may_be_learned(cls, attribute):
                self._wrong(f"{name} may not carry the attribute {attribute[:40]!r}")
        self._check_types(cls, name, attributes)
        made = cls(**settings)  # scikit-learn's contract: a constructor that only stores
        vars(made).update(attributes)
        return made

    def _class(self, name: Any, *kinds: str) -> type:
        cls = class_named(name)
        if cls is None or kind_of(cls) not in kinds:
            self._wrong(f"{str(name)[:60]!r} is not in the list of what a file may hold")
        return cls

    def _check_types(self, cls: type, name: str, values: dict[str, Any]) -> None:
        wrong = misfit(cls, values)
        if wrong is not None:
            self._wrong(f"{name}.{wrong} is not what its class declares")

    def _is(self, kind: type, value: Any) -> Any:
        return value if type(value) is kind else self._wrong(f"a {kind.__name__} is something else")

    def _parts(self, value: Any, count: int) -> list[Any]:
        return value if len(self._is(list, value)) == count else self._wrong("a value has too few or too many parts")

    def _wrong(self, what: str) -> NoReturn:
        raise damaged(self.path, what, "The file was altered, or written by another version of credo")


def _swapped(array: np.ndarray) -> np.ndarray:
    return array.byteswap().view(array.dtype.newbyteorder("S"))
