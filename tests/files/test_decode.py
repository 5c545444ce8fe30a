"""`load`: a forger who gets every checksum right still gets one FileError, and nothing of his is run."""

import contextlib
import importlib
import json
import os
import sys
import time
import tracemalloc

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import credo
import credo.files  # now: the alarms below would take its import for an attack
from credo.beliefs import (
    Bernoulli,
    Binomial,
    Categorical,
    LogNormal,
    Mixture,
    MultivariateNormal,
    Normal,
    Uniform,
    Wishart,
)
from credo.errors import FileError, PrecisionError
from credo.models import BayesianLinearRegression
from credo.numerics import Bounded, Fixed, Positive
from credo.numerics.archive import read_archive, write_archive


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.credo"


def tree_of(obj, path):
    """The honest tree and arrays of an object, for the forger to start from."""
    credo.save(obj, path)
    return read_archive(path)


def refused(path, tree, arrays=(), match=None):
    write_archive(path, tree, list(arrays))
    size = os.path.getsize(path)
    modules, began = set(sys.modules), time.perf_counter()
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=match) as caught:
            credo.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**24 + 60 * size
    assert time.perf_counter() - began < 10.0
    assert all(name.startswith(("credo", "jax", "sklearn", "scipy", "numpy")) for name in set(sys.modules) - modules)
    assert str(caught.value).startswith("credo.load: ")


def number(value):
    return {"object": ["beliefs.Normal", {"loc": value, "scale": 1.0, "overrides": {"dict": {}}, "budget": None}]}


@pytest.fixture
def alarms(monkeypatch):
    """Whatever could run something is replaced by something that tells."""
    rung = []
    monkeypatch.setattr(os, "system", lambda *a: rung.append(("os.system", a)))
    monkeypatch.setattr("builtins.eval", lambda *a: rung.append(("eval", a)))
    monkeypatch.setattr("builtins.exec", lambda *a: rung.append(("exec", a)))
    yield rung
    assert rung == []


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "posix.system",
        "beliefs.__class__",
        "beliefs._private",
        "beliefs.Belief",
        "beliefs.normal",
        "numerics.certify",
        "numerics.cholesky",
        "../beliefs.Normal",
        "credo.beliefs.Normal",
        "app.command",
        "models.BayesianLinearRegression",  # an estimator where an object is announced
        None,
        [],
    ],
    ids=str,
)
def test_names_outside_the_list(path, name, alarms):
    refused(path, {"object": [name, {"dict": {}}]}, match="not in the list")
    refused(path, {"object": [name, {"command": "touch hacked"}]}, match="not in the list")


@pytest.mark.parametrize("name", ["os.system", "beliefs.Normal", "models.__init__", "sklearn.LinearRegression"])
def test_estimators_outside_the_list(path, name, alarms):
    refused(path, {"estimator": [name, {}, {}]}, match="not in the list")


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields.pop("scale"),
        lambda fields: fields.update(extra=1),
        lambda fields: fields.update(__class__="numerics.Fixed"),
        lambda fields: fields.update(log_prob=1),
        lambda fields: fields.update(loc="a text"),
        lambda fields: fields.update(loc=None),
        lambda fields: fields.update(loc=number(0.0)),
        lambda fields: fields.update(overrides=None),
        lambda fields: fields.update(overrides={"dict": {"loc": "Fixed"}}),
        lambda fields: fields.update(budget="unsplit"),
        lambda fields: fields.update(budget=number(0.0)),
        lambda fields: fields["budget"]["object"][1].update(reason=3),
        lambda fields: fields["budget"]["object"][1].update(noise={"jax": 0}),  # an array that is used already
        lambda fields: fields["budget"]["object"].append(1),
    ],
)
def test_altered_fields(path, change, alarms):
    tree, arrays = tree_of(Normal(0.0, 1.0), path)
    change(tree["object"][1])
    refused(path, tree, arrays)


@pytest.mark.parametrize(
    ("obj", "field", "value"),
    [
        (Normal(0.0, 1.0), "scale", -1.0),
        (Normal(0.0, 1.0), "scale", {"float": "nan"}),
        (Normal(0.0, 1.0), "loc", {"float": "inf"}),
        (Bernoulli(0.5), "probability", 2.0),
        (Binomial(3, 0.5), "trials", -1.0),
        (Uniform(0.0, 1.0), "low", 3.0),
        (Bounded(low=0.0, high=1.0), "low", 3.0),
    ],
    ids=str,
)
def test_forged_values(path, obj, field, value, alarms):
    """Of the right type and with the right checksums, but outside what the class declares."""
    tree, arrays = tree_of(obj, path)
    before = tree["object"][1][field]
    tree["object"][1][field] = value
    if isinstance(before, dict) and "jax" in before:  # the array that the number replaces stays in use
        arrays[before["jax"]] = np.zeros(0)
        tree = {"list": [tree, before]}
    refused(path, tree, arrays, match="has values that it refuses")


@pytest.mark.parametrize(
    ("obj", "at", "array"),
    [
        (Normal([0.0, 1.0], 1.0), 1, np.array([1.0, -1.0])),
        (Categorical([0.5, 0.5]), 0, np.array([0.5, 0.6])),
        (MultivariateNormal(np.zeros(2), np.eye(2)), 1, np.array([[1.0, 2.0], [2.0, 1.0]])),
        (MultivariateNormal(np.zeros(2), np.eye(2)), 1, np.eye(3)),
        (Wishart(3.0, np.eye(2)), 0, np.array(0.5)),
        (Mixture([0.5, 0.5], Normal([0.0, 1.0], 1.0)), 2, np.array([1.0, -1.0])),  # the scales of the components
        (LogNormal(Fixed(0.0), Positive(1.0)), 1, np.array(0.0)),
    ],
    ids=str,
)
def test_forged_arrays(path, obj, at, array, alarms):
    tree, arrays = tree_of(obj, path)
    assert arrays[at].dtype == array.dtype
    write_archive(path, tree, arrays)
    assert type(credo.load(path)) is type(obj)
    arrays[at] = array
    refused(path, tree, arrays, match="has values that it refuses")
    refused(path, {"dict": {"prior": {"list": [tree]}}}, arrays, match="has values that it refuses")


def test_a_forged_override_cannot_multiply_memory(path, alarms):
    """20 000 numbers against 20 000 bounds would be 400 million truth values."""
    n = 20_000
    tree, arrays = tree_of(Normal(Bounded(np.full(2, 0.5), low=np.zeros(2), high=np.ones(2)), 1.0), path)
    bounds = tree["object"][1]["overrides"]["dict"]["loc"]["object"][1]
    bounds["high"] = {"numpy": len(arrays)}
    arrays = [np.full(n, 0.5), *arrays[1:], np.ones((n, 1))]
    refused(path, tree, arrays, match="do not belong together")


@pytest.mark.parametrize(
    "change",
    [
        lambda params, learned: params.pop("prior_scale"),
        lambda params, learned: params.update(extra=1),
        lambda params, learned: params.update(self=1),
        lambda params, learned: learned.update(__class__=1),
        lambda params, learned: learned.update(__dict__={"dict": {}}),
        lambda params, learned: learned.update(fit="x"),
        lambda params, learned: learned.update(predict="x"),
        lambda params, learned: learned.update(_features="x"),
        lambda params, learned: learned.update(prior_scale=1.0),
        lambda params, learned: learned.update(_parameter_constraints={"dict": {}}),
        lambda params, learned: learned.update(certificate_="exact"),
        lambda params, learned: learned.update(posterior_=None),
    ],
)
def test_altered_estimators(path, change, alarms):
    tree, arrays = tree_of(BayesianLinearRegression(), path)
    change(*tree["estimator"][1:])
    refused(path, tree, arrays)


def nested(levels):
    tree: object = 1
    for _ in range(levels):
        tree = {"list": [tree]}
    return tree


@pytest.mark.parametrize(
    "tree",
    [
        {},
        [],
        [1],
        {"a": 1},
        {"list": [], "tuple": []},
        {"list": {}},
        {"list": "ab"},
        {"dict": []},
        {"tuple": None},
        {"float": "1.0"},
        {"float": "snan"},
        {"float": []},
        {"str_": 1},
        {"pickle": "gASVBQ=="},
        {"eval": "1 + 1"},
        {"object": {}},
        {"object": []},
        {"object": "ab"},
        {"object": ["beliefs.Normal"]},
        {"object": ["beliefs.Normal", []]},
        {"object": ["numerics.Certificate", {}]},
        {"estimator": ["models.BayesianLinearRegression", []]},
        {"numpy": 0},
        {"numpy": -1},
        {"numpy": True},
        {"numpy": "0"},
        {"jax": [0]},
        {"scalar": 10**100},
        {"key": [0]},
        {"text": [[2], "U", ["a"]]},
        {"text": [[-1], "U", []]},
        {"text": [[1], "U", [1]]},
        {"text": [[1], "O", [{"object": []}]]},
        {"text": [[1], "S", ["a"]]},
        {"text": [[1.0], "U", ["a"]]},
        {"text": [[1] * 33, "U", ["a"]]},
        {"text": [[0, 2**70], "U", []]},
        {"text": [[2**40, 0, 2**40], "O", []]},
        {"text": [1, "U", ["a"]]},
        nested(101),
        nested(300),
    ],
    ids=lambda tree: json.dumps(tree)[:40],
)
def test_hostile_trees(path, tree, alarms):
    refused(path, tree)


def test_the_deepest_allowed_nest(path):
    write_archive(path, nested(100), [])
    assert credo.load(path) is not None


@pytest.mark.parametrize(
    ("tree", "array"),
    [
        ({"list": [{"numpy": 0}, {"numpy": 0}]}, np.ones(2)),
        ({"list": [{"jax": 0}] * 1000}, np.ones(100_000)),  # a thousand copies of one array
        ({"scalar": 0}, np.ones(2)),
        ({"key": [0, "threefry2x32"]}, np.ones(2)),
        ({"key": [0, "threefry2x32"]}, np.ones(3, dtype=np.uint32)),
        ({"key": [0, "os.system"]}, np.ones(2, dtype=np.uint32)),
        ({"numpy": 1}, np.ones(2)),
        (None, np.ones(2)),
    ],
    ids=lambda value: str(value)[:40],
)
def test_hostile_use_of_arrays(path, tree, array, alarms):
    refused(path, tree, [array])


def test_a_text_array_cannot_be_blown_up(path):
    refused(path, {"text": [[100_001], "U", ["x" * 100_000] + [""] * 100_000]}, match="another size")


@given(st.binary(max_size=300))
def test_random_bytes_only_raise(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("random") / "file"
    path.write_bytes(content)
    with pytest.raises(FileError):
        credo.load(path)


KINDS = st.sampled_from(
    ["float", "list", "tuple", "dict", "str_", "numpy", "scalar", "jax", "key", "text", "object", "estimator"]
)
NAMES = st.sampled_from(
    ["beliefs.Normal", "numerics.Fixed", "numerics.Certificate", "os.system", "U", "O", "loc", "kind", "exact"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | NAMES | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=3)
        | st.tuples(KINDS, inner).map(lambda kv: dict([kv]))
    ),
    max_leaves=20,
)


@given(JSON)
def test_random_trees_load_or_raise(tmp_path_factory, tree):
    path = tmp_path_factory.mktemp("random") / "file"
    write_archive(path, tree, [np.ones(2)])
    with contextlib.suppress(FileError):
        credo.load(path)


def test_a_room_is_imported_only_when_its_name_is_one(path, monkeypatch):
    asked = []
    true_import = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", lambda name: (asked.append(name), true_import(name))[1])
    refused(path, {"object": ["antigravity.this", {}]})
    refused(path, {"object": ["os.path", {}]})
    assert asked == []


def test_missing_files_and_limits(path):
    with pytest.raises(FileNotFoundError) as caught:
        credo.load(path)
    assert isinstance(caught.value, FileError)
    assert str(caught.value).startswith(f"credo.load: {str(path)!r} does not exist. ")
    credo.save(np.ones(1000), path)
    with pytest.raises(FileError, match="above the limit"):
        credo.load(path, max_bytes=1000)


def test_64_bit_is_checked_first(path):
    credo.save(np.ones(2), path)
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(PrecisionError):
            credo.load(path)
    finally:
        jax.config.update("jax_enable_x64", True)
