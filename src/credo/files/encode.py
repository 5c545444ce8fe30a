"""`save`: an object as a tree of plain JSON values, with its arrays beside it."""

import importlib.metadata
import math
import os
from pathlib import Path
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from credo.errors import FileError
from credo.files.listed import MAX_DEPTH, MAX_TEXT, field_names, kind_of, listed_name, may_be_learned, misfit
from credo.files.values import complaint
from credo.numerics.archive import DTYPES, MAX_RANK, write_archive

__all__ = ["save"]

_WHAT_IS_SAVED = (
    "Arrays, plain values and credo's own objects are saved; functions and other libraries' objects are not"
)
_HOW_VALUES_GO_WRONG = "Inside jit nothing is checked, and a computation there left the range"


def save(obj: Any, path: str | os.PathLike[str]) -> None:
    """Write `obj` to one file at `path`, whole or not at all; an existing file is replaced.

    Saved are credo's beliefs, kernels and other modules, certificates and fitted estimators, JAX and NumPy arrays of
    numbers or text, numbers, text, None, and lists, tuples and dicts of them, to the last bit. All else raises
    [](#credo.errors.FileError) with the name of the field, and so does a parameter outside its constraint, which
    `load` would refuse. An object that occurs twice is written twice.

    >>> import tempfile, os
    >>> from credo import load
    >>> from credo.beliefs import Normal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"prior": Normal(0.0, 2.0)}, os.path.join(folder, "prior.credo"))
    ...     print(load(os.path.join(folder, "prior.credo"))["prior"])
    Normal(loc=0, scale=2)
    """
    if not Path(path).name or "\0" in os.fspath(path):
        what = f"{os.fspath(path)!r} names no file"
        raise FileError("credo.save", what, "An empty text or a folder was passed", "Try 'model.credo'")
    encoder = _Encoder()
    tree = encoder.node(obj, type(obj).__name__, 0)
    write_archive(path, tree, encoder.arrays, writer=f"credo {importlib.metadata.version('credo')}")


class _Encoder:
    """Walks an object; arrays are set aside and referred to by number, each once."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []

    def node(self, x: Any, path: str, depth: int) -> Any:
        """What JSON has no word for is an object of one entry, its kind. Exact types: a subclass may carry more."""
        if depth > MAX_DEPTH:
            _refuse(path[:200], f"is nested deeper than {MAX_DEPTH} levels", "It probably contains itself")
        if x is None or type(x) in (bool, str):
            return x
        if type(x) is int:
            return x if abs(x) < 2**512 else _refuse(path, "is an integer of more than 512 bits")
        if type(x) is float:
            return x if math.isfinite(x) else {"float": str(x)}
        if type(x) in (list, tuple):
            return {type(x).__name__: [self.node(v, f"{path}[{i}]", depth + 1) for i, v in enumerate(x)]}
        if type(x) is dict:
            return {"dict": {_text_key(k, path): self.node(v, f"{path}[{k!r}]", depth + 1) for k, v in x.items()}}
        if isinstance(x, (np.ndarray, np.generic, jax.Array)):
            return self._array(x, path)
        name = listed_name(type(x))
        if name is None:
            kind = f"{type(x).__module__}.{type(x).__qualname__}".removeprefix("builtins.")
            _refuse(path, f"is a {kind}, which is not in the list of what a file may hold")
        if kind_of(type(x)) == "estimator":
            return self._estimator(x, name, path, depth)
        return self._fields(x, name, path, depth)

    def _fields(self, x: Any, name: str, path: str, depth: int) -> Any:
        values = {field: getattr(x, field) for field in field_names(type(x))}
        coded = {field: self.node(value, f"{path}.{field}", depth + 1) for field, value in values.items()}
        _check_types(type(x), values, path)
        against = complaint(x) if kind_of(type(x)) == "module" else None
        if against is not None:
            _refuse(path, f"has values that it refuses ({against[:200]})", _HOW_VALUES_GO_WRONG)
        return {"object": [name, coded]}

    def _estimator(self, x: Any, name: str, path: str, depth: int) -> Any:
        params = x.get_params(deep=False)
        left_out = (*params, *getattr(type(x), "_not_saved", ()))
        learned = {key: value for key, value in vars(x).items() if key not in left_out}
        for key in learned:
            if not may_be_learned(type(x), key):
                _refuse(f"{path}.{key}", "is neither a parameter nor learned by fit", "It was set from outside")
        parts = [{k: self.node(v, f"{path}.{k}", depth + 1) for k, v in part.items()} for part in (params, learned)]
        _check_types(type(x), learned, path)
        return {"estimator": [name, *parts]}

    def _array(self, x: Any, path: str) -> Any:
        if isinstance(x, jax.core.Tracer):
            _refuse(path, "is an array inside a jitted function", "Its numbers are not known yet", "Save outside jit")
        if isinstance(x, np.str_):
            return {"str_": str(x)}
        if isinstance(x, jax.Array):
            if jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
                data = np.asarray(jax.random.key_data(x))
                return {"key": [self._kept(data, path), str(jax.random.key_impl(x))]}
            return {"jax": self._kept(np.asarray(x), path)}
        if type(x) is np.ndarray and (
            x.dtype.kind == "U" or (x.dtype == object and all(type(v) is str for v in x.flat))
        ):
            return _text_array(x, path)
        if type(x) is not np.ndarray and not isinstance(x, np.generic):
            _refuse(path, f"is a {type(x).__module__}.{type(x).__qualname__}", "Plain arrays only", "Try np.asarray")
        big = x.dtype.newbyteorder("=") != x.dtype
        tag = "scalar" if isinstance(x, np.generic) else "swapped" if big else "numpy"
        return {tag: self._kept(np.asarray(x), path)}

    def _kept(self, array: np.ndarray, path: str) -> int:
        if array.dtype.name not in DTYPES or array.ndim > MAX_RANK:
            what = f"is an array of dtype {array.dtype} and {array.ndim} axes"
            _refuse(path, what, "Arrays of numbers, truth values or text are saved", "Convert it first")
        self.arrays.append(array)
        return len(self.arrays) - 1


def _text_array(x: np.ndarray, path: str) -> Any:
    words = x.reshape(-1).tolist()
    if x.dtype.kind == "U" and len(words) * max(map(len, words), default=0) > MAX_TEXT:
        _refuse(path, "is a text array of many wide entries", "Fixed width makes it large", "Try .astype(object)")
    return {"text": [list(x.shape), x.dtype.kind, words]}


def _text_key(key: Any, path: str) -> str:
    return key if type(key) is str else _refuse(path, f"has the key {key!r}, which is not text")


def _check_types(cls: type, values: dict[str, Any], path: str) -> None:
    wrong = misfit(cls, values)
    if wrong is not None:
        _refuse(f"{path}.{wrong}", f"is a {type(values[wrong]).__qualname__}, which its class does not declare")


def _refuse(
    path: str, what: str, cause: str = _WHAT_IS_SAVED, remedy: str = "Replace it, or save the rest"
) -> NoReturn:
    raise FileError("credo.save", f"{path} {what}", cause, remedy)
