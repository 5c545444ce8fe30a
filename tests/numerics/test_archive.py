"""The container: exact round trips, and one FileError for every file that is not what it says."""

import hashlib
import json
import os
import pickle
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from credo.errors import FileError
from credo.numerics import archive
from credo.numerics.archive import DTYPES, read_archive, write_archive

TREE = {"a": [1, 2.5, None, True, "text – ü"], "b": {"c": []}}
ARRAYS = [np.arange(6.0).reshape(2, 3), np.array(True), np.zeros((0, 4), dtype=np.int16)]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "good"
    write_archive(path, TREE, ARRAYS, writer="credo test")
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


def refused(path, content, match=None):
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=match) as caught:
            read_archive(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**20 + 60 * len(content), f"{peak} bytes were allocated for a file of {len(content)}"
    assert str(caught.value).startswith("credo.load: ")


def container(header, body=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def with_manifest(text, tensors=(), checksum=None):
    """A well-formed safetensors file around any manifest, with the checksum of a careful forger."""
    data = np.frombuffer(text, dtype=np.uint8)
    digest = hashlib.sha256(text).digest() if checksum is None else checksum
    named = {"credo.manifest": data, "credo.sha256": np.frombuffer(digest, dtype=np.uint8), **dict(tensors)}
    return safetensors.numpy.save(named)


def entry(array, **changes):
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "sha256": digest} | changes


def manifest(**changes):
    return json.dumps({"schema": 1, "writer": "w", "arrays": [], "tree": None} | changes).encode()


def test_round_trip(path, good):
    path.write_bytes(good)
    tree, arrays = read_archive(path)
    assert tree == TREE
    for found, expected in zip(arrays, ARRAYS, strict=True):
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        assert found.tobytes() == expected.tobytes()
        assert found.flags.writeable


@given(hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)))
def test_arrays_are_kept_to_the_last_bit(tmp_path_factory, array):
    where = tmp_path_factory.mktemp("bits") / "file"
    write_archive(where, None, [array, np.array(array, order="F")])
    for found in read_archive(where)[1]:
        assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_the_container_is_a_safetensors_file(path, good):
    path.write_bytes(good)
    np.testing.assert_array_equal(safetensors.numpy.load_file(path)["0"], ARRAYS[0])


def test_writing_replaces_whole_or_not_at_all(tmp_path, path):
    path.write_bytes(b"old")
    with pytest.raises((TypeError, ValueError)):
        write_archive(path, object(), [])
    assert path.read_bytes() == b"old"
    write_archive(path, 1, [])
    assert read_archive(path) == (1, [])
    assert os.listdir(tmp_path) == ["file"]


def test_writing_over_a_folder_is_refused_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_archive(tmp_path / "folder", 1, [])
    assert os.listdir(tmp_path) == ["folder"]


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_archive(tmp_path / "nothing")
    with pytest.raises((FileNotFoundError, FileError)):
        write_archive(tmp_path / "no" / "folder", 1, [])


def test_truncated_anywhere(path, good):
    for end in sorted({*range(0, len(good), max(1, len(good) // 60)), len(good) - 1}):
        refused(path, good[:end])


def test_lengthened(path, good):
    refused(path, good + b"\0")


def test_a_flipped_byte_is_found_or_changes_nothing(path, good):
    kept = 0
    for position in range(0, len(good), 3):
        altered = bytearray(good)
        altered[position] ^= 1 << (position % 8)
        path.write_bytes(altered)
        try:
            tree, arrays = read_archive(path)
        except FileError:
            continue
        kept += 1
        assert tree == TREE
        assert [a.tobytes() for a in arrays] == [a.tobytes() for a in ARRAYS]
    assert kept < 40  # only the free text of safetensors' own header, which nobody reads, is not covered


@given(st.binary(max_size=400))
def test_random_bytes(tmp_path_factory, content):
    refused(tmp_path_factory.mktemp("random") / "file", content)


@given(st.binary(max_size=200))
def test_random_bytes_after_a_plausible_length(tmp_path_factory, content):
    refused(tmp_path_factory.mktemp("random") / "file", struct.pack("<Q", len(content)) + content)


@given(st.binary(max_size=200))
def test_random_manifests(tmp_path_factory, content):
    refused(tmp_path_factory.mktemp("random") / "file", with_manifest(content))


def test_files_of_other_kinds(tmp_path, path):
    refused(path, b"")
    refused(path, b"hello, this is a letter and not a model\n" * 50)
    refused(path, pickle.dumps({"a": os.getcwd}))
    with zipfile.ZipFile(tmp_path / "zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("zeros", b"\0" * 10**7)
    refused(path, (tmp_path / "zip").read_bytes())
    with pytest.raises(FileError, match="not a file"):
        read_archive(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not a file"):
        read_archive(tmp_path / "pipe")
    with pytest.raises(FileError):
        read_archive("a\0b")


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 2**40, 10**9, 200])
def test_announced_header_length(path, length):
    refused(path, container({}, length=length), "header")


def tensor(dtype="U8", shape=(4,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    "header",
    [
        {"a": tensor(shape=(2**40,), offsets=(0, 2**40))},
        {"a": tensor(shape=(2**40, 2**40), offsets=(0, 4))},
        {"a": tensor(shape=(-4,))},
        {"a": tensor(offsets=(4, 0))},
        {"a": tensor(offsets=(-4, 0))},
        {"a": tensor(), "b": tensor()},
        {"a": tensor(shape=(3,), offsets=(0, 3)), "b": tensor(shape=(2,), offsets=(2, 4))},
        {"a": tensor(dtype="F64")},
        {"a": tensor(dtype="PICKLE")},
        {"a": tensor(dtype="BF16", shape=(2,))},
        {"a": tensor(shape=(1.5,))},
        {"a": "text"},
        {"a": {}},
        {},
        [],
        b"[" * 5000,
        b'{"a":' * 5000,
        b"null",
        b"\xff\xfe",
    ],
    ids=lambda header: str(header)[:40],
)
def test_hostile_containers(path, header):
    refused(path, container(header, b"\1\2\3\4"))


def test_many_arrays_in_the_header_cost_no_more_than_their_bytes(path):
    refused(path, container({str(i): tensor(shape=(0,), offsets=(0, 0)) for i in range(20_000)}), "no manifest")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (manifest(schema=2, writer="credo 9"), "schema version is 2.*credo 9"),
        (manifest(schema="1"), "no schema version"),
        (manifest(schema=True), "no schema version"),
        (manifest(more=1), "other entries"),
        (manifest(arrays={}), "other entries"),
        (manifest(arrays=[1]), "arrays"),
        (b"[]", "schema"),
        (b"{}", "schema"),
        (b"", "JSON"),
        (b"\xff", "JSON"),
        (b'{"schema": 1, "schema": 1}', "twice"),
        (manifest().replace(b"null", b"NaN"), "NaN"),
        (manifest().replace(b"null", b"-Infinity"), "Infinity"),
        (manifest().replace(b"null", b"1e999"), "overflows"),
        (manifest().replace(b"null", b"1" * 5000), "digits"),
        (manifest().replace(b"null", b"[" * 100_000 + b"]" * 100_000), "JSON"),
        (manifest().replace(b"null", b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "JSON"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_hostile_manifests(path, text, match):
    refused(path, with_manifest(text), match)


def test_wrong_checksum_of_the_manifest(path):
    refused(path, with_manifest(manifest(), checksum=bytes(32)), "checksum of the manifest")
    refused(path, with_manifest(manifest(), checksum=b""), "checksum of the manifest")


NUMBERS = np.arange(4.0)


@pytest.mark.parametrize(
    ("described", "stored"),
    [
        (entry(NUMBERS, sha256="0" * 64), NUMBERS),
        (entry(NUMBERS, dtype="int64"), NUMBERS),
        (entry(NUMBERS, dtype="object"), NUMBERS),
        (entry(NUMBERS, shape=[2, 2]), NUMBERS),
        (entry(NUMBERS, shape=4), NUMBERS),
        (entry(NUMBERS, more=1), NUMBERS),
        ({}, NUMBERS),
        ("0", NUMBERS),
        (entry(np.array([2, 3], dtype=np.uint8), dtype="bool"), np.array([2, 3], dtype=np.uint8).view(bool)),
    ],
    ids=str,
)
def test_hostile_arrays(path, described, stored):
    refused(path, with_manifest(manifest(arrays=[described]), {"0": stored}), "array 0")


def test_missing_and_surplus_arrays(path):
    refused(path, with_manifest(manifest(arrays=[entry(NUMBERS)])), "names 1")
    refused(path, with_manifest(manifest(), {"0": NUMBERS}), "names 0")
    refused(path, with_manifest(manifest(arrays=[entry(NUMBERS)]), {"00": NUMBERS}), "names 1|holds 1")


def test_limits_on_size(path, good, monkeypatch):
    path.write_bytes(good)
    with pytest.raises(FileError, match="above the limit"):
        read_archive(path, max_bytes=len(good) - 1)
    read_archive(path, max_bytes=len(good))
    monkeypatch.setattr(archive, "MAX_NODES", 5)
    refused(path, good, "number of values")
    with pytest.raises(FileError, match=r"credo\.save: the number of values"):
        write_archive(path, TREE, [])
    monkeypatch.setattr(archive, "MAX_MANIFEST", 20)
    refused(path, good, "manifest is")


def test_a_sparse_giant_is_refused_by_its_size(path):
    with open(path, "wb") as file:
        file.truncate(2**40)
    with pytest.raises(FileError, match="above the limit"):
        read_archive(path)
