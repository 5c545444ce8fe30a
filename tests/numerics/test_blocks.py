"""Block identities and the symmetric square root against numpy and scipy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError, NotPositiveDefiniteError
from credo.numerics import Blocks, block_inverse, cholesky, schur_complement, symmetric_sqrt

N, M = 4, 3


def spd(seed: int, n: int = N + M) -> np.ndarray:
    a = np.random.default_rng(seed).normal(size=(n, n))
    return a @ a.T / n + 0.1 * np.eye(n)


def split(k: np.ndarray) -> Blocks:
    return Blocks(k[..., :N, :N], k[..., :N, N:], k[..., N:, N:])


@given(seed=st.integers(0, 2**32 - 1))
def test_schur_complement_is_the_inverse_of_the_block_of_the_inverse(seed):
    k = spd(seed)
    expected = np.linalg.inv(np.linalg.inv(k)[N:, N:])
    complement = schur_complement(*split(k))
    np.testing.assert_allclose(complement, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(complement, complement.T)


@given(seed=st.integers(0, 2**32 - 1))
def test_block_inverse_is_the_inverse(seed):
    k = spd(seed)
    np.testing.assert_allclose(block_inverse(*split(k)).assemble(), np.linalg.inv(k), rtol=1e-8, atol=1e-9)


def test_a_factor_in_place_of_the_first_block_and_batches():
    ks = np.stack([spd(1), spd(2)])
    top, cross, bottom = split(ks)
    inverse = jax.jit(lambda *blocks: block_inverse(cholesky(blocks[0]), *blocks[1:]).assemble())(top, cross, bottom)
    np.testing.assert_allclose(inverse, np.linalg.inv(ks), rtol=1e-9, atol=1e-11)
    mapped = jax.jit(jax.vmap(schur_complement))(top, cross, bottom)
    np.testing.assert_allclose(mapped, np.linalg.inv(np.linalg.inv(ks)[:, N:, N:]), rtol=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
def test_symmetric_sqrt_agrees_with_scipy(seed):
    k = spd(seed)
    root = symmetric_sqrt(k)
    np.testing.assert_allclose(root @ root, k, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(root, scipy.linalg.sqrtm(k), rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(root, root.T)


def test_symmetric_sqrt_of_a_singular_matrix():
    v = np.array([3.0, 4.0])
    np.testing.assert_allclose(symmetric_sqrt(np.outer(v, v)), np.outer(v, v) / 5.0, atol=1e-7)


@pytest.mark.parametrize("k", [spd(3), np.diag([4.0, 4.0, 4.0, 1.0, 1.0, 1.0, 1.0])], ids=["distinct", "repeated"])
def test_derivative_of_symmetric_sqrt_solves_the_sylvester_equation(k):
    change = spd(4)
    root, tangent = jax.jvp(symmetric_sqrt, (jnp.asarray(k),), (jnp.asarray(change),))
    np.testing.assert_allclose(
        tangent, scipy.linalg.solve_sylvester(np.asarray(root), np.asarray(root), change), rtol=1e-9
    )
    weights = spd(5)
    gradient = jax.grad(lambda k: jnp.sum(weights * symmetric_sqrt(k)))(jnp.asarray(k))
    np.testing.assert_allclose(jnp.sum(gradient * change), jnp.sum(weights * tangent), rtol=1e-10)


def test_negative_eigenvalues_raise_on_arrays_and_are_nan_inside_jit():
    with pytest.raises(NotPositiveDefiniteError, match=r"^symmetric_sqrt: .*-1"):
        symmetric_sqrt(np.diag([1.0, -1.0]))
    assert np.all(np.isnan(jax.jit(symmetric_sqrt)(np.diag([1.0, -1.0]))))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: schur_complement(np.eye(2), np.ones((3, 2)), np.eye(2)), "(3, 2)"),
        (lambda: schur_complement(np.eye(2), np.ones((2, 1)), np.ones((1, 2))), "shape (1, 2)"),
        (lambda: block_inverse(np.ones((2, 3)), np.ones((2, 1)), np.eye(1)), "shape (2, 3)"),
        (lambda: block_inverse(np.eye(2), np.full((2, 1), np.nan), np.eye(1)), "NaN"),
        (lambda: block_inverse(np.eye(1), np.zeros((1, 2)), np.array([[1.0, 1.0], [0.0, 1.0]])), "not symmetric"),
        (lambda: symmetric_sqrt(np.ones((2, 3))), "shape (2, 3)"),
        (lambda: symmetric_sqrt(np.array([[1.0, 1.0], [0.0, 1.0]])), "not symmetric"),
        (lambda: symmetric_sqrt(np.full((2, 2), np.inf)), "4 of 4"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(InputError) as caught:
        call()
    assert words in str(caught.value)


def test_an_indefinite_whole_is_refused():
    with pytest.raises(NotPositiveDefiniteError, match=r"^block_inverse: "):
        block_inverse(np.eye(1), np.array([[2.0]]), np.eye(1))
