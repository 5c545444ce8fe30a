"""What every kernel has from its base: checks of points, products in blocks, text."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from credo.errors import InputError
from credo.kernels import RBF, Constant, Kernel, Linear, Matern52, On
from credo.kernels import base as kernels_base
from credo.kernels.base import as_text
from credo.numerics import Fixed, Positive, Real

X = np.random.default_rng(0).normal(size=(7, 2))
Z = np.random.default_rng(1).normal(size=(4, 2))
K = RBF(0.5, [0.8, 1.5])


def test_cross_by_the_definition_and_lists_as_points():
    expected = [[0.5 * np.exp(-0.5 * np.sum(((x - z) / [0.8, 1.5]) ** 2)) for z in Z] for x in X]
    np.testing.assert_allclose(K(X, Z), expected, rtol=1e-13)
    np.testing.assert_allclose(K(X.tolist(), Z.tolist()), expected, rtol=1e-13)
    np.testing.assert_allclose(K.of(X[2], Z[1]), expected[2][1], rtol=1e-13)
    assert K.of(X[2], Z[1]).shape == ()


@pytest.mark.parametrize("block", [1, 4, 12, 16, 1000])
def test_times_whatever_the_block(block, monkeypatch):
    monkeypatch.setattr(kernels_base, "_BLOCK", block)
    V = np.random.default_rng(2).normal(size=4)
    np.testing.assert_allclose(K.times(X, Z, V), np.asarray(K(X, Z)) @ V, rtol=1e-12)


def test_times_of_nothing():
    assert K.times(X[:0], Z, np.ones((4, 3))).shape == (0, 3)
    np.testing.assert_array_equal(K.times(X, Z[:0], np.ones(0)), np.zeros(7))


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: K(X[0]), r"RBF: X has shape \(2,\).*Try X\.reshape"),
        (lambda: K(X, Z[0]), r"RBF: Z has shape"),
        (lambda: RBF()(X, Z[:, :1]), "X has 2 columns, but Z has 1"),
        (lambda: K(X[:, :1]), "X has 1 columns, but the kernel was given 2 length-scales"),
        (lambda: K.times(X, Z, np.ones(3)), r"V has shape \(3,\), but Z has 4 rows"),
        (lambda: K.require_points(X[:, :1], "GPRegressor"), "GPRegressor: X has 1 columns"),
    ],
)
def test_what_is_refused(ask, said):
    with pytest.raises(InputError, match=said):
        ask()


def test_parts_are_the_kernels_inside():
    inner = On(RBF(), [0])
    assert (inner + Constant()).parts == (inner, Constant())
    assert K.parts == ()
    assert isinstance(inner.parts[0], Kernel)


def test_text_has_what_is_held_and_leaves_out_what_nobody_chose():
    assert repr(K) == str(K) == "RBF(variance=0.5, lengthscale=[0.8, 1.5])"
    assert repr(Matern52(lengthscale=Fixed(0.2))) == "Matern52(variance=1, lengthscale=Fixed(0.2))"
    assert repr(Matern52(Positive(2.0))) == "Matern52(variance=2, lengthscale=1)"
    assert repr(Linear(center=Real([0.0, 1.0]))) == "Linear(variance=1, center=Real([0, 1]))"
    assert repr(Linear(center=1.0)) == "Linear(variance=1, center=1)"


def test_text_inside_jit_does_not_ask_for_numbers():
    texts = []

    @jax.jit
    def traced(variance):
        texts.append(repr(Linear(variance) + 2.0))
        return variance

    traced(1.0)
    assert texts[0].startswith("Linear(variance=")


@settings(max_examples=20)
@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=2), min_size=1, max_size=3))
def test_numbers_as_text_evaluate_to_four_digits(rows):
    np.testing.assert_allclose(eval(as_text(np.array(rows))), rows, rtol=5e-4)
