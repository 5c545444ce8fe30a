"""One file of named arrays and a JSON manifest, in which every byte that matters is checked before it is used.

The container is a safetensors file, so any tool of that format can list the arrays. Beside them lie two tensors of
bytes: the manifest (schema version, a tree of plain JSON values, and for each array its dtype, shape and SHA-256) and
the SHA-256 of the manifest. Nothing in the file is code, and nothing is looked up by a name that the file gives. What a
file can make the reader allocate is bounded by a small multiple of its own size.
"""

import contextlib
import hashlib
import json
import math
import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from credo.errors import FileError

__all__ = ["MAX_BYTES", "SCHEMA", "read_archive", "write_archive"]

SCHEMA = 1
MAX_BYTES = 4 * 2**30  # of a file
MAX_HEADER = 16 * 2**20  # bytes of safetensors' own header
MAX_MANIFEST = 64 * 2**20  # bytes of JSON
MAX_NODES = 4_000_000  # values in the JSON, counted before it is parsed
MAX_DIGITS = 300  # of an integer in the JSON
MAX_RANK = 32  # axes of an array

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)

_MANIFEST, _CHECKSUM = "credo.manifest", "credo.sha256"
_SAVE, _LOAD = "credo.save", "credo.load"


def write_archive(path: str | os.PathLike[str], tree: Any, arrays: Sequence[np.ndarray], *, writer: str = "") -> None:
    """Write a tree of plain JSON values and the arrays it refers to by number, whole or not at all.

    The bytes go to a temporary file in the same directory, which then replaces `path`: a crash leaves the old file.
    """
    stored = [_stored(array) for array in arrays]
    entries = [{"dtype": a.dtype.name, "shape": list(a.shape), "sha256": _digest(a).hex()} for a in stored]
    text = json.dumps({"schema": SCHEMA, "writer": writer, "arrays": entries, "tree": tree}, allow_nan=False).encode()
    _within("manifest", len(text), MAX_MANIFEST, _SAVE)
    _within("number of values in the manifest", _count_nodes(text), MAX_NODES, _SAVE)
    manifest = np.frombuffer(text, dtype=np.uint8)
    tensors = {str(i): a for i, a in enumerate(stored)}
    tensors |= {_MANIFEST: manifest, _CHECKSUM: np.frombuffer(_digest(manifest), dtype=np.uint8)}
    _replace(Path(path), tensors)


def read_archive(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> tuple[Any, list[np.ndarray]]:
    """The tree and the arrays of a file that `write_archive` wrote, or one FileError."""
    where = Path(path)
    tensors = _tensors(_content(where, max_bytes), where)
    manifest, checksum = tensors.pop(_MANIFEST, None), tensors.pop(_CHECKSUM, None)
    if manifest is None or checksum is None or not _is_bytes(manifest) or not _is_bytes(checksum):
        raise damaged(where, "it holds no manifest", "It was not written by credo.save")
    if _digest(manifest) != checksum.tobytes():
        raise damaged(where, "the checksum of the manifest does not match")
    parsed = _parsed(manifest.tobytes(), where)
    return parsed["tree"], _checked_arrays(parsed["arrays"], tensors, where)


def damaged(path: Any, what: str, cause: str = "The file was truncated or altered") -> FileError:
    """The error of a file that is not what it says it is."""
    return FileError(
        _LOAD, f"{str(path)!r} cannot be read: {what}", cause, "Get the file again from its source, or save it again"
    )


# Writing


def _stored(array: np.ndarray) -> np.ndarray:
    little = array.dtype.newbyteorder("<")
    # ascontiguousarray would turn a number into a vector of one.
    return np.array(array, dtype=little, order="C", copy=None)


def _digest(array: np.ndarray) -> bytes:
    return hashlib.sha256(array.reshape(-1).view(np.uint8).data).digest()


def _within(what: str, size: int, limit: int, who: str) -> None:
    if size > limit:
        remedy = "Save a smaller object" if who == _SAVE else "Raise the limit only for a file whose source you trust"
        raise FileError(who, f"the {what} is {size}, above the limit of {limit}", "The object is very large", remedy)


def _replace(path: Path, tensors: dict[str, np.ndarray]) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        safetensors.numpy.save_file(tensors, temporary, metadata={"format": "credo", "schema": str(SCHEMA)})
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except FileNotFoundError:
        raise
    except (OSError, safetensors.SafetensorError) as error:
        what = f"{str(path)!r} cannot be written: {error}"
        raise FileError(_SAVE, what, "The folder is missing, full or not writable", "Try another path") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


# Reading


def _content(path: Path, max_bytes: int) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # before it is opened: opening a pipe would wait for its other end
            raise damaged(path, "it is not a file", "A folder or a device was given")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            _within("file size in bytes", size, max_bytes, _LOAD)
            content = file.read(size)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise damaged(path, str(error), "It is not readable by this user") from error
    if len(content) != size or size < 8:
        raise damaged(path, f"it has {len(content)} bytes")
    header = int.from_bytes(content[:8], "little")
    if header > min(MAX_HEADER, size - 8):
        raise damaged(
            path, f"it announces a header of {header} bytes, but has {size}", "It was not written by credo.save, or cut"
        )
    return content


def _tensors(content: bytes, path: Path) -> dict[str, np.ndarray]:
    try:
        return safetensors.numpy.load(content)
    except (safetensors.SafetensorError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise damaged(path, str(error), "It was not written by credo.save, or was altered") from error


def _is_bytes(tensor: np.ndarray) -> bool:
    return tensor.dtype == np.uint8 and tensor.ndim == 1


def _parsed(text: bytes, path: Path) -> dict[str, Any]:
    _within("manifest", len(text), MAX_MANIFEST, _LOAD)
    _within("number of values in the manifest", _count_nodes(text), MAX_NODES, _LOAD)
    try:
        manifest = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_int=_integer,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"its manifest is not the JSON of credo ({error})") from error
    if not isinstance(manifest, dict) or type(manifest.get("schema")) is not int:
        raise damaged(path, "its manifest has no schema version")
    if manifest["schema"] != SCHEMA:
        what = f"its schema version is {manifest['schema']}, and this credo reads {SCHEMA}"
        raise damaged(path, what, f"It was written by another version of credo: {str(manifest.get('writer'))[:40]!r}")
    if set(manifest) != {"schema", "writer", "arrays", "tree"} or not isinstance(manifest["arrays"], list):
        raise damaged(path, "its manifest has other entries than credo writes")
    return manifest


def _count_nodes(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key occurs twice")
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits[:20]} overflows")
    return value


def _checked_arrays(entries: list[Any], tensors: dict[str, np.ndarray], path: Path) -> list[np.ndarray]:
    if set(tensors) != {str(i) for i in range(len(entries))}:
        raise damaged(path, f"it holds {len(tensors)} arrays, and its manifest names {len(entries)}")
    return [_checked_array(i, entry, tensors[str(i)], path) for i, entry in enumerate(entries)]


def _checked_array(i: int, entry: Any, array: np.ndarray, path: Path) -> np.ndarray:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "sha256"} or entry["dtype"] not in DTYPES:
        raise damaged(path, f"the manifest does not describe array {i}")
    if array.ndim > MAX_RANK or entry["dtype"] != array.dtype.name or entry["shape"] != list(array.shape):
        raise damaged(path, f"array {i} has another dtype or shape than its manifest says")
    if _digest(array).hex() != entry["sha256"]:
        raise damaged(path, f"the checksum of array {i} does not match")
    if array.dtype == np.bool_ and np.any(array.view(np.uint8) > 1):
        raise damaged(path, f"array {i} holds bytes that are neither true nor false")
    return array
