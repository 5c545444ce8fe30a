"""`save`: what was saved comes back to the last bit, and what cannot be saved is refused by the name of its field."""

import copy
import functools
import math
import os
from collections import OrderedDict
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import LinearRegression

import credo
from credo.beliefs import Normal, UncertaintyBudget
from credo.errors import FileError
from credo.models import BayesianLinearRegression
from credo.numerics import Bounded, Certificate, Fixed, Info, Positive, Solution
from credo.numerics.archive import DTYPES


def there_and_back(obj, folder) -> Any:
    credo.save(obj, folder / "object.credo")
    return credo.load(folder / "object.credo")


def same(a, b) -> bool:
    """Equality in type, dtype, shape and bits: written apart from the code under test."""
    if type(a) is not type(b) and not (isinstance(a, jax.Array) and isinstance(b, jax.Array)):
        return False
    if isinstance(a, (jax.Array, np.ndarray, np.generic)) and not isinstance(a, np.str_):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if jnp.issubdtype(a.dtype, jax.dtypes.prng_key):
            return same(jax.random.key_data(a), jax.random.key_data(b))
        if a.dtype == object:
            return a.tolist() == b.tolist()
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if hasattr(a, "__dict__"):
        return same(vars(a), vars(b))
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**500), 2**500)
    | st.floats(allow_nan=True)
    | st.text()
    | hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN)
def test_plain_values(tmp_path_factory, obj):
    assert same(there_and_back(obj, tmp_path_factory.mktemp("plain")), obj)


@pytest.mark.parametrize("dtype", DTYPES)
def test_jax_arrays(tmp_path, dtype):
    for array in (jnp.ones((2, 3), dtype), jnp.zeros((), dtype), jnp.zeros((0, 2), dtype)):
        back = there_and_back(array, tmp_path)
        assert isinstance(back, jax.Array)
        assert same(back, array)


@pytest.mark.parametrize(
    "value",
    [
        np.array([1.5, -0.0, np.nan], dtype=">f8"),
        np.arange(6, dtype=">i4").reshape(2, 3)[:, ::2],
        np.array(3, dtype=">u2"),
        np.arange(12.0)[::-3],
        np.float32(0.1),
        np.int8(-3),
        np.bool_(True),
        np.float64(np.inf),
        np.str_("text"),
        np.array(["a", "longer", ""]),
        np.array([["a", "b"]], dtype=object),
        np.array([], dtype=object),
        np.array("alone"),
        jax.random.key(3),
        jax.random.split(jax.random.key(3, impl="rbg"), 2),
        math.inf,
        -0.0,
        "\ud800 lone surrogate \0",
    ],
    ids=repr,
)
def test_single_values(tmp_path, value):
    assert same(there_and_back(value, tmp_path), value)


def test_objects_of_the_ground_rooms(tmp_path):
    belief = Normal(jnp.arange(3.0), Fixed(2.0), budget=UncertaintyBudget(noise=jnp.ones(3), parameter=jnp.zeros(3)))
    certificate = Certificate("bounded", error=0.1, iterations=3, residual=math.nan, notes=("a", "b"))
    everything = {
        "belief": belief,
        "override": Normal(0.0, Positive(1.0, prior=Normal(0.0, 1.0))),
        "constraint": Bounded(low=-1.0, high=3.0),
        "solution": Solution((1, belief), certificate, {"trace": np.arange(3)}),
        "info": Info(status=jnp.array(1), residual=np.float64(0.5)),
    }
    back = there_and_back(everything, tmp_path)
    assert same(back, everything)
    np.testing.assert_array_equal(back["belief"].log_prob(1.0), belief.log_prob(1.0))
    assert jax.tree.structure(back["belief"]) == jax.tree.structure(belief)
    assert str(back["solution"].certificate) == str(certificate)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    return BayesianLinearRegression(prior_scale=2.0).fit(X, X @ [1.0, -2.0] + 0.1 * rng.normal(size=20))


def test_a_fitted_estimator(tmp_path, fitted):
    back = there_and_back(fitted, tmp_path)
    assert type(back) is BayesianLinearRegression
    assert back.get_params() == fitted.get_params()
    assert same(vars(back), vars(fitted))
    X = np.linspace(-1, 1, 6).reshape(3, 2)
    np.testing.assert_array_equal(back.predict_interval(X), fitted.predict_interval(X))
    further = (np.eye(2), np.ones(2))
    np.testing.assert_array_equal(back.partial_fit(*further).coef_, copy.deepcopy(fitted).partial_fit(*further).coef_)


def test_an_unfitted_estimator_and_feature_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    model = BayesianLinearRegression(fit_intercept=False)
    assert same(there_and_back(model, tmp_path), model)
    model.fit(pandas.DataFrame({"a": np.arange(5.0), "b": [1.0, 0.0, 1.0, 0.0, 2.0]}), np.arange(5.0))
    assert there_and_back(model, tmp_path).feature_names_in_.tolist() == ["a", "b"]


def test_refits_as_one_batched_module(tmp_path, fitted):
    X = np.arange(12.0).reshape(6, 2) ** 1.5
    many = fitted.fit_many(X, X[:, 0], np.ones((3, 6)))
    assert same(there_and_back(many, tmp_path), many)


def contains_itself():
    loop: list[Any] = []
    loop.append(loop)
    return loop


def misdeclared():
    certificate = Certificate("exact")
    object.__setattr__(certificate, "iterations", "three")
    return certificate


class Mine(Normal):
    """A user's own class."""


@pytest.mark.parametrize(
    ("obj", "field"),
    [
        (lambda x: x, "function is a function"),
        ({"a": [0, os.system]}, r"dict\['a'\]\[1\] is a "),
        (functools.partial(max, 1), "partial"),
        (BayesianLinearRegression().set_params(prior_scale=math.sqrt), "BayesianLinearRegression.prior_scale is a "),
        (
            BayesianLinearRegression().set_params(prior_scale={"warp": print}),
            r"BayesianLinearRegression.prior_scale\['warp'\]",
        ),
        (LinearRegression(), "LinearRegression is a sklearn"),
        ([LinearRegression()], r"list\[0\] is a sklearn"),
        (Mine(0.0, 1.0), "Mine is a "),
        (Fixed(1.0, prior=Mine(0.0, 1.0)), "Fixed.prior is a "),
        (Normal, "is a equinox|is a .*Meta"),
        (np, "module is a module"),
        (b"bytes", "bytes is a bytes"),
        ({1: 2}, "dict has the key 1"),
        ({1, 2}, "set is a set"),
        (1j, "complex is a complex"),
        (OrderedDict(a=1), "OrderedDict is a collections.OrderedDict"),
        (2**512, "512 bits"),
        (np.array([1, "a"], dtype=object), "dtype object"),
        (np.array([1j]), "dtype complex128"),
        (np.zeros(2, dtype="M8[s]"), "dtype datetime64"),
        (np.zeros(2, dtype="S3"), r"dtype \|S3"),
        (np.zeros(2, dtype=[("a", "f8")]), "dtype"),
        (np.ma.masked_array([1.0], [True]), "MaskedArray"),
        (np.longdouble(1), "dtype"),
        (jnp.ones(2, dtype="bfloat16"), "dtype bfloat16"),
        (misdeclared(), "Certificate.iterations is a str"),
        (contains_itself(), "nested deeper than 100"),
        (np.random.default_rng(0), "Generator"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_outside_the_list_is_refused_by_name(tmp_path, obj, field):
    with pytest.raises(FileError, match=field) as caught:
        credo.save(obj, tmp_path / "file")
    assert str(caught.value).startswith("credo.save: ")
    assert os.listdir(tmp_path) == []


def test_an_attribute_set_from_outside_is_refused_by_name(tmp_path):
    model = BayesianLinearRegression()
    model.note = "mine"
    with pytest.raises(FileError, match=r"BayesianLinearRegression\.note"):
        credo.save(model, tmp_path / "file")


def test_values_that_load_would_refuse_are_refused_by_name(tmp_path):
    spoilt = jax.jit(lambda scale: Normal(0.0, scale))(-1.0)  # nothing is checked inside jit
    with pytest.raises(FileError, match=r"dict\['noise'\] has values that it refuses \(Normal: scale is -1"):
        credo.save({"noise": spoilt}, tmp_path / "file")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("path", ["", ".", "/", "a\0b"])
def test_a_path_that_names_no_file_is_refused(path):
    with pytest.raises(FileError, match="names no file"):
        credo.save(1, path)


def test_an_array_inside_jit_is_refused(tmp_path):
    with pytest.raises(FileError, match="inside a jitted function"):
        jax.jit(lambda x: credo.save({"x": x}, tmp_path / "file"))(1.0)


def test_wide_text_is_refused_with_the_remedy(tmp_path):
    words = np.array(["x" * 2**15] + [""] * 600)
    with pytest.raises(FileError, match=r"astype\(object\)"):
        credo.save(words, tmp_path / "file")
    assert same(there_and_back(words.astype(object), tmp_path), words.astype(object))


def test_the_path_may_be_text(tmp_path):
    credo.save(1, str(tmp_path / "file"))
    assert credo.load(str(tmp_path / "file")) == 1
