"""Files that say they are models: broken, of other kinds, and forged by somebody who gets every checksum right."""

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from credo.numerics.archive import read_archive, write_archive

Forge = Callable[[Path, Path], None]


class _Evil:
    def __reduce__(self):
        return os.system, ("touch hacked",)


def _bytes(change: Callable[[bytes], bytes]) -> Forge:
    return lambda model, path: path.write_bytes(change(model.read_bytes())) and None


def _zip(model: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../../hacked", bytes(10**7))
    return out.getvalue()


def _header(**about: Any) -> bytes:
    """A file of safetensors with nothing behind what it announces."""
    text = json.dumps(about).encode()
    return len(text).to_bytes(8, "little") + text


def _tree(change: Callable[[dict[str, Any], list[np.ndarray]], Any]) -> Forge:
    """An honest model with something changed in its tree or arrays, checksums made anew."""

    def forge(model: Path, path: Path) -> None:
        tree, arrays = read_archive(model)
        write_archive(path, change(tree, arrays) or tree, arrays)

    return forge


def _fields(tree: dict[str, Any]) -> dict[str, Any]:
    return tree["object"][1]


def _inside(tree: dict[str, Any]) -> list[Any]:
    """Name, parameters and what was learnt of the estimator in the model."""
    return _fields(tree)["model"]["estimator"]


def _surroundings(tree: dict[str, Any]) -> dict[str, Any]:
    return _fields(tree)["surroundings"]["object"][1]


def _narrow(tree: dict[str, Any], arrays: list[np.ndarray]) -> None:
    arrays[_surroundings(tree)["rows"]["numpy"]] = np.zeros((3, 1))


def _empty(tree: dict[str, Any], arrays: list[np.ndarray]) -> None:
    arrays[_surroundings(tree)["rows"]["numpy"]] = np.zeros(0)


_HUGE = {"dtype": "F64", "shape": [2**40, 2**20], "data_offsets": [0, 8]}

#: What a stranger may send as a model, by what is wrong with it.
FORGED: dict[str, Forge] = {
    "empty": _bytes(lambda content: b""),
    "cut": _bytes(lambda content: content[: len(content) // 2]),
    "one byte": _bytes(lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]),
    "pickle": _bytes(lambda content: pickle.dumps(_Evil())),
    "zip": _bytes(_zip),
    "long header": _bytes(lambda content: (2**62).to_bytes(8, "little") + content[8:]),
    "deep header": _bytes(lambda content: (10**5).to_bytes(8, "little") + b"[" * 10**5),
    "huge array": _bytes(lambda content: _header(x=_HUGE) + bytes(8)),
    "path as a name": _bytes(
        lambda content: _header(**{"../../hacked": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}})
    ),
    "another kind": lambda model, path: write_archive(path, {"list": []}, []),
    "unknown class": _tree(lambda tree, arrays: {"object": ["os.system", {"command": "touch hacked"}]}),
    "private class": _tree(lambda tree, arrays: {"object": ["decide.learning.model.TableModel", _fields(tree)]}),
    "no encoder": _tree(lambda tree, arrays: _inside(tree)[2].pop("encoder_") and None),
    "no estimator": _tree(lambda tree, arrays: _inside(tree)[2].pop("estimator_") and None),
    "kind of another": _tree(lambda tree, arrays: _fields(tree).update(kind="class")),
    "unknown kind": _tree(lambda tree, arrays: _fields(tree).update(kind="command")),
    "path as target": _tree(lambda tree, arrays: _fields(tree).update(target=None)),
    "no spread": _tree(lambda tree, arrays: _fields(tree)["spread"]["object"][1].update(degrees="many")),
    "narrow rows": _tree(_narrow),
    "no rows": _tree(_empty),
}
