"""Kernels made of kernels: values by NumPy on the parts, text as it is written, and what is refused."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import RBF, Constant, Exp, Linear, Matern32, On, PolynomialOf, Product, Sum, Warp, White
from credo.numerics import Fixed, Trainable, flatten

X = np.random.default_rng(0).normal(size=(5, 2))
A, B = RBF(0.5, 0.8), Matern32(2.0)
KA, KB = np.asarray(A(X)), np.asarray(B(X))


@pytest.mark.parametrize(
    ("kernel", "expected", "text"),
    [
        (A + B + 0.5, KA + KB + 0.5, f"{A} + {B} + 0.5"),
        (0.5 + A, 0.5 + KA, f"0.5 + {A}"),
        (A * (B + A) * 2, KA * (KB + KA) * 2, f"{A} * ({B} + {A}) * 2"),
        (np.float64(2.0) * A, 2.0 * KA, f"2 * {A}"),
        (jnp.asarray(2.0) * A + B, 2.0 * KA + KB, f"2 * {A} + {B}"),
        (A**3, KA**3, f"PolynomialOf({A}, [0, 0, 0, 1])"),
        ((A + B).exp(), np.exp(KA + KB), f"Exp({A} + {B})"),
        (PolynomialOf(A, [0.5, 0.0, 2.0]), 0.5 + 2.0 * KA**2, f"PolynomialOf({A}, [0.5, 0, 2])"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_values_and_text(kernel, expected, text):
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-13)
    assert str(kernel) == text


def test_sums_and_products_are_flat():
    assert [type(term) for term in ((A + B) + (A + 1.0)).terms] == [RBF, Matern32, RBF, Constant]
    assert len(((A * B) * (B * 2.0)).factors) == 4
    assert isinstance(A + B * A, Sum)
    assert isinstance((A + B) * A, Product)


def test_numbers_are_held_and_constants_learned():
    assert flatten(2.0 * A).names == ("factors[1].variance", "factors[1].lengthscale")
    assert "factors[0].variance" in flatten(Constant(2.0) * A).names
    assert str(Constant(Fixed(2.0))) == "Constant(variance=Fixed(2))"
    assert str(Constant(Fixed(2.0)) + Constant(Fixed(3.0))) == "Constant(variance=Fixed(2)) + 3"
    assert str(Exp(Constant(Fixed(2.0)))) == "Exp(Constant(variance=Fixed(2)))"


def test_on_takes_columns_in_order_and_from_the_end():
    np.testing.assert_allclose(On(RBF(1.0, [0.5, 2.0]), [1, 0])(X), RBF(1.0, [2.0, 0.5])(X), rtol=1e-13)
    np.testing.assert_allclose(On(RBF(), -1)(X), RBF()(X[:, 1:]), rtol=1e-13)
    np.testing.assert_array_equal(On(White(), 1)(X), np.eye(5))


def test_warp_of_a_function_and_of_a_network():
    np.testing.assert_allclose(Warp(A, jnp.tanh)(X), A(np.tanh(X)), rtol=1e-13)
    net = eqx.nn.MLP(2, 3, 4, 1, activation=jnp.tanh, key=jax.random.key(0))
    warped = Warp(A, Trainable(net))
    np.testing.assert_allclose(warped(X), A(jax.vmap(net)(X)), rtol=1e-13)
    assert len(flatten(warped).names) == 2 + (2 * 4 + 4) + (4 * 3 + 3)
    assert flatten(Warp(A, net)).names == ("kernel.variance", "kernel.lengthscale")
    assert str(Warp(A, jnp.tanh)) == f"Warp({A}, tanh)"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: A**0, "exponent is 0"),
        (lambda: A**1.5, "exponent is 1.5"),
        (lambda: A + "noise", "no kernel and no number"),
        (lambda: -1.0 * A, "variance is -1"),
        (lambda: PolynomialOf(A, [1.0, -1.0]), "zero or more"),
        (lambda: PolynomialOf(A, 2.0), r"coefficients have shape \(\)"),
        (lambda: On(A, [2])(X), r"on columns \[2\], but X has 2 columns"),
        (lambda: On(A, [])(X), r"on columns \[\]"),
        (lambda: On(RBF(1.0, np.ones(2)), [0])(X), "1 columns, but the kernel was given 2"),
        (lambda: Warp(A, lambda row: row[0])(X), r"gives shape \(\) for one row"),
        (lambda: Warp(A, lambda row: row @ jnp.ones(3))(X), "does not take a row of 2 columns"),
        (lambda: (A + Linear(np.ones(3)))(X), "3 variances"),
    ],
)
def test_what_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
