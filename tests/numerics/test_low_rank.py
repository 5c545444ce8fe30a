"""Woodbury and the pivoted Cholesky against dense algebra and LAPACK's pstrf."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import lapack

from credo.errors import InputError
from credo.numerics import DiagonalPlusLowRank, pivoted_cholesky, pivoted_cholesky_of_columns

N, R = 12, 3


def parts(seed: int, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.gamma(2.0, size=N) + 0.05, scale * rng.normal(size=(N, R))


@jax.jit
def woodbury(diagonal, u, b, columns):
    low = DiagonalPlusLowRank(diagonal, u)
    answers = {name: (low.multiply(a), low.solve(a), low.quadratic(a)) for name, a in (("b", b), ("columns", columns))}
    return answers | {"matrix": low.matrix, "log_det": low.log_det, "inverse_diagonal": low.inverse_diagonal()}


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(1e-3, 1e2))
def test_woodbury_agrees_with_dense_algebra(seed, scale):
    diagonal, u = parts(seed, scale)
    dense = np.diag(diagonal) + u @ u.T
    rng = np.random.default_rng(seed)
    b, columns = rng.normal(size=N), rng.normal(size=(N, 2))
    tolerance = {"rtol": 1e-7, "atol": 1e-9}
    ours = woodbury(diagonal, u, b, columns)
    np.testing.assert_allclose(ours["matrix"], dense, rtol=1e-12)
    for name, argument in (("b", b), ("columns", columns)):
        multiplied, solved, quadratic = ours[name]
        expected = np.linalg.solve(dense, argument)
        np.testing.assert_allclose(multiplied, dense @ argument, rtol=1e-9, atol=1e-9 * scale**2)
        np.testing.assert_allclose(solved, expected, **tolerance)
        np.testing.assert_allclose(quadratic, np.sum(argument * expected, axis=0), **tolerance)
    np.testing.assert_allclose(ours["log_det"], np.linalg.slogdet(dense)[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours["inverse_diagonal"], np.diag(np.linalg.inv(dense)), **tolerance)


def test_woodbury_gradient_and_vmap():
    diagonal, u = parts(0)
    b = np.random.default_rng(1).normal(size=N)

    def ours(diagonal, u):
        low = DiagonalPlusLowRank(diagonal, u)
        return low.log_det + low.quadratic(b)

    def dense(diagonal, u):
        k = jnp.diag(diagonal) + u @ u.T
        return jnp.linalg.slogdet(k)[1] + b @ jnp.linalg.solve(k, b)

    gradients = jax.jit(lambda d, u: (jax.grad(ours, (0, 1))(d, u), jax.grad(dense, (0, 1))(d, u)))(diagonal, u)
    for mine, theirs in zip(*gradients, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-11)
    batch = jax.jit(jax.vmap(ours))(np.stack([diagonal, 2 * diagonal]), np.stack([u, u]))
    np.testing.assert_allclose(
        batch, jax.jit(jax.vmap(dense, (0, None)))(np.stack([diagonal, 2 * diagonal]), u), rtol=1e-10
    )


def rbf(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(2).uniform(0, 3, size=n)
    return x, np.exp(-0.5 * (x[:, None] - x) ** 2) * (1.0 + 0.1 * x[:, None]) * (1.0 + 0.1 * x)


def test_full_rank_takes_the_pivots_of_lapack_and_reproduces_the_matrix():
    a = np.random.default_rng(3).normal(size=(N, N))
    k = a @ a.T + np.diag(np.arange(N))
    partial = pivoted_cholesky(k, rank=N, tolerance=0.0)
    _, pivots, _, _ = lapack.dpstrf(k, lower=1)
    assert partial.pivots.tolist() == (pivots - 1).tolist()
    assert partial.steps == N
    np.testing.assert_allclose(partial.lower @ partial.lower.T, k, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
def test_stops_once_the_remainder_is_small_enough(tolerance):
    _, k = rbf()
    partial = pivoted_cholesky(k, rank=30, tolerance=tolerance)
    steps = int(partial.steps)
    remainder = k - partial.lower @ partial.lower.T
    np.testing.assert_allclose(partial.residual_trace, np.trace(remainder), rtol=1e-6, atol=1e-13 * np.trace(k))
    assert partial.residual_trace <= tolerance * np.trace(k)
    one_less = k - partial.lower[:, : steps - 1] @ partial.lower[:, : steps - 1].T
    assert np.trace(one_less) > tolerance * np.trace(k)
    assert np.linalg.eigvalsh(remainder)[0] > -1e-12
    assert partial.pivots[steps:].tolist() == [-1] * (30 - steps)
    assert not np.any(partial.lower[:, steps:])
    assert len(set(partial.pivots[:steps].tolist())) == steps
    np.testing.assert_allclose(remainder[partial.pivots[:steps]], 0.0, atol=1e-12)


def test_rank_deficient_matrix_stops_at_its_rank_with_no_tolerance():
    _, u = parts(4)
    partial = pivoted_cholesky(u @ u.T, rank=N, tolerance=0.0)
    assert R <= partial.steps <= R + 1  # one more may go to round-off
    np.testing.assert_allclose(partial.lower @ partial.lower.T, u @ u.T, atol=1e-12)


def _column(x, i):
    return jnp.exp(-0.5 * (x - x[i]) ** 2) * (1.0 + 0.1 * x) * (1.0 + 0.1 * x[i])


def test_columns_on_demand_equal_the_stored_matrix_and_compile_once():
    from credo.numerics.low_rank import _pivoted_cholesky

    x, k = rbf()
    stored = pivoted_cholesky(k, rank=8)
    lazy = pivoted_cholesky_of_columns(eqx.Partial(_column, jnp.asarray(x)), np.diag(k), rank=8)
    assert lazy.pivots.tolist() == stored.pivots.tolist()
    np.testing.assert_allclose(lazy.lower, stored.lower, rtol=1e-7, atol=1e-9)
    compiled = _pivoted_cholesky._cached._cache_size()
    pivoted_cholesky_of_columns(eqx.Partial(_column, jnp.asarray(x + 0.1)), np.diag(k), rank=8)
    assert _pivoted_cholesky._cached._cache_size() == compiled
    mapped = jax.vmap(lambda k: pivoted_cholesky(k, rank=8).residual_trace)(np.stack([k, 2.0 * k]))
    np.testing.assert_allclose(mapped, np.array([1.0, 2.0]) * float(stored.residual_trace), rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: DiagonalPlusLowRank(np.ones(3), np.ones(3)), "low_rank (3,)"),
        (lambda: DiagonalPlusLowRank(np.ones(3), np.ones((2, 1))), "low_rank (2, 1)"),
        (lambda: DiagonalPlusLowRank(np.ones(3), np.ones((3, 0))), "low_rank (3, 0)"),
        (lambda: DiagonalPlusLowRank(np.array([1.0, 0.0]), np.ones((2, 1))), "smallest entry of the diagonal is 0"),
        (lambda: DiagonalPlusLowRank(np.array([1.0, np.nan]), np.ones((2, 1))), "NaN"),
        (lambda: DiagonalPlusLowRank(np.ones(2), np.ones((2, 1))).solve(np.ones(3)), "b has shape (3,)"),
        (lambda: pivoted_cholesky(np.ones((2, 3)), rank=1), "shape (2, 3)"),
        (lambda: pivoted_cholesky(np.ones((2, 3, 3)), rank=1), "shape (2, 3, 3)"),
        (lambda: pivoted_cholesky(np.eye(2), rank=0), "rank=0"),
        (lambda: pivoted_cholesky(np.eye(2), rank=1, tolerance=-1.0), "tolerance=-1.0"),
        (lambda: pivoted_cholesky(-np.eye(2), rank=1), "entry -1"),
        (lambda: pivoted_cholesky_of_columns(lambda i: jnp.ones(2), np.ones((2, 2)), rank=1), "shape (2, 2)"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(InputError) as caught:
        call()
    assert words in str(caught.value)
