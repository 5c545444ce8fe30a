"""The one Cholesky against numpy, its jitter policy, its derivatives and its errors."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError, NotPositiveDefiniteError
from credo.numerics import CONVERGED, FAILED, Factor, Info, certify, cholesky

N = 6


def spd(seed: int, n: int = N, ridge: float = 0.1) -> np.ndarray:
    a = np.random.default_rng(seed).normal(size=(n, n))
    return a @ a.T / n + ridge * np.eye(n)


def gram_with_duplicates(n: int = N) -> np.ndarray:
    """An RBF Gram matrix, scaled by 9, in which every row comes twice: positive semi-definite and singular."""
    x = np.repeat(np.linspace(0.0, 3.0, n // 2), 2)
    return 9.0 * np.exp(-0.5 * (x[:, None] - x) ** 2)


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(-8, 8))
def test_factor_agrees_with_numpy(seed, scale):
    k = 10.0**scale * spd(seed)
    rng = np.random.default_rng(seed)
    b, columns = rng.normal(size=N), rng.normal(size=(N, 3))
    factor = cholesky(k)
    np.testing.assert_allclose(factor.lower, np.linalg.cholesky(k), rtol=1e-9, atol=1e-12 * 10.0 ** (scale / 2))
    np.testing.assert_allclose(factor.matrix, k, rtol=1e-12, atol=1e-13 * 10.0**scale)
    inverse = np.linalg.inv(k)
    size = np.abs(inverse).max()
    np.testing.assert_allclose(factor.inverse(), inverse, rtol=0, atol=1e-11 * size)
    np.testing.assert_allclose(factor.solve(b), inverse @ b, rtol=0, atol=1e-11 * size)
    np.testing.assert_allclose(factor.solve(columns), inverse @ columns, rtol=0, atol=1e-11 * size)
    np.testing.assert_allclose(factor.quadratic(b), b @ inverse @ b, rtol=1e-10)
    np.testing.assert_allclose(factor.quadratic(columns), np.diag(columns.T @ inverse @ columns), rtol=1e-10)
    np.testing.assert_allclose(factor.log_det, np.linalg.slogdet(k)[1], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(factor.half_solve(factor.multiply_half(b)), b, atol=1e-10)
    assert factor.info.status == CONVERGED
    assert factor.info.iterations == 1
    assert factor.info.jitter == 0.0


def test_large_inverse_takes_the_host_and_agrees():
    k = spd(1, 300)  # two tiles of the mirror, the second not full
    np.testing.assert_allclose(cholesky(k).inverse(), np.linalg.inv(k), atol=1e-11)


def test_singular_gram_matrix_gets_the_least_jitter_relative_to_its_diagonal():
    k = gram_with_duplicates()
    factor = cholesky(k)
    jitter = float(factor.info.jitter)
    assert np.isclose(jitter / 9.0, 10.0 ** np.round(np.log10(jitter / 9.0)), rtol=1e-12)
    assert 9e-12 * 0.99 < jitter < 9e-10
    assert factor.info.iterations == 2 + round(np.log10(jitter / 9e-12))
    np.testing.assert_allclose(factor.matrix, k + jitter * np.eye(N), atol=1e-14 * 9)
    certificate = certify(factor.info, "exact", "test")
    assert certificate.jitter == jitter
    assert certificate.condition > 1e9


def test_slightly_indefinite_matrix_gets_more_jitter():
    k = np.diag([2.0, 1.0 + 3e-8, -3e-8])  # mean of |diagonal| is 1
    factor = cholesky(k)
    np.testing.assert_allclose(factor.info.jitter, 1e-7 * (3.0 + 6e-8) / 3)
    assert factor.info.iterations == 7


@pytest.mark.parametrize(("diagonal", "condition"), [([1.0, 1.0, 1.0], 1.0), ([1.0, 1e-6, 1e-2], 1e6)])
def test_condition_of_diagonal_matrices_is_exact(diagonal, condition):
    np.testing.assert_allclose(cholesky(np.diag(diagonal)).info.condition, condition, rtol=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
def test_condition_estimate_is_between_its_bounds(seed):
    k = spd(seed, ridge=1e-3)
    eigenvalues = np.linalg.eigvalsh(k)
    estimate = float(cholesky(k).info.condition)
    assert eigenvalues[-1] / np.min(np.diag(np.linalg.cholesky(k))) ** 2 * (1 - 1e-9) <= estimate
    assert estimate <= np.sqrt(N) * eigenvalues[-1] / eigenvalues[0] * (1 + 1e-9)


def test_batch_jit_and_vmap_agree_each_with_its_own_jitter():
    batch = np.stack([spd(3), gram_with_duplicates(), 4.0 * spd(4)])
    b = np.random.default_rng(0).normal(size=(3, N))
    batched = cholesky(batch)
    mapped = jax.jit(jax.vmap(cholesky))(batch)
    np.testing.assert_allclose(batched.lower, mapped.lower, rtol=1e-12, atol=1e-14)
    assert (np.asarray(batched.info.jitter) > 0).tolist() == [False, True, False]
    np.testing.assert_allclose(batched.solve(b)[0], np.linalg.solve(batch[0], b[0]), rtol=1e-9)
    np.testing.assert_allclose(batched.solve(b), jax.vmap(lambda f, v: f.solve(v))(mapped, b), rtol=1e-7)
    np.testing.assert_allclose(batched.inverse()[2], np.linalg.inv(batch[2]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(batched.quadratic(b)[2], b[2] @ np.linalg.solve(batch[2], b[2]), rtol=1e-9)


def test_inside_jit_status_and_not_an_exception_reports_failure():
    infos = jax.jit(jax.vmap(lambda k: cholesky(k).info))(np.stack([spd(0), -np.eye(N), np.full((N, N), np.nan)]))
    assert infos.status.tolist() == [CONVERGED, FAILED, FAILED]
    assert infos.iterations.tolist() == [1, 10, 10]
    assert np.isinf(infos.condition[1])


def test_second_call_of_the_same_shape_does_not_compile():
    from credo.numerics.cholesky import _factorize_and_report

    cholesky(spd(0))
    before = _factorize_and_report._cache_size()
    cholesky(spd(1))
    cholesky(gram_with_duplicates())
    assert _factorize_and_report._cache_size() == before


def test_gradients_agree_with_finite_differences_and_with_plain_autodiff():
    b = np.random.default_rng(5).normal(size=N)
    mix = np.random.default_rng(6).normal(size=(N, N))

    def ours(k):
        factor = cholesky(k)
        return factor.log_det + factor.quadratic(b) + jnp.sum(mix * factor.inverse()) + jnp.sum(jnp.sin(factor.lower))

    def plain(k):
        k = 0.5 * (k + k.T)
        return (
            jnp.linalg.slogdet(k)[1]
            + b @ jnp.linalg.solve(k, b)
            + jnp.sum(mix * jnp.linalg.inv(k))
            + jnp.sum(jnp.sin(jnp.linalg.cholesky(k)))
        )

    k = jnp.asarray(spd(7, ridge=1.0))
    direction, step = jnp.asarray(spd(8)), 1e-5

    @functools.partial(jax.jit, static_argnums=0)
    def derivatives(f, k):
        slope = (f(k + step * direction) - f(k - step * direction)) / (2 * step)
        return jax.grad(f)(k), slope, jax.hessian(lambda t: f(k + t * direction))(0.1)

    gradient, slope, curvature = derivatives(ours, k)
    expected_gradient, _, expected_curvature = derivatives(plain, k)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-7)
    np.testing.assert_allclose(curvature, expected_curvature, rtol=1e-8)


def test_gradient_with_jitter_is_that_of_the_jittered_matrix():
    k = jnp.asarray(gram_with_duplicates())
    gradient = jax.grad(lambda k: cholesky(k).log_det)(k)
    jittered = k + cholesky(k).info.jitter * jnp.eye(N)
    np.testing.assert_allclose(gradient, np.linalg.inv(jittered), rtol=1e-2)  # a condition of 1e12 leaves few digits


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.ones((2, 3)), "shape (2, 3)"),
        (np.ones(3), "shape (3,)"),
        (np.ones((0, 0)), "empty"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "2 of 4 entries"),
        (np.array([[np.inf, 0.0], [0.0, 1.0]]), "1 of 4 entries"),
        (np.array([[2.0, 1.0], [0.0, 2.0]]), "not symmetric"),
        (np.eye(2) * 1j, "complex128"),
    ],
)
def test_bad_matrices_are_refused_by_name(matrix, words):
    with pytest.raises(InputError, match=r"^GP: ") as caught:
        cholesky(matrix, who="GP")
    assert words in str(caught.value)


def test_indefinite_matrix_is_refused_with_its_smallest_eigenvalue_and_a_cause():
    with pytest.raises(
        NotPositiveDefiniteError, match=r"^GP: .*smallest eigenvalue is -1.*duplicates.*noise"
    ) as caught:
        cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), who="GP")
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("shape", [(N + 1,), (N, 2, 2), ()])
def test_wrong_right_hand_sides_are_refused(shape):
    with pytest.raises(InputError, match=r"b has shape"):
        Factor(jnp.eye(N), Info()).solve(np.ones(shape))


def test_integers_and_float32_are_computed_in_float64():
    assert cholesky(np.array([[4, 2], [2, 3]])).lower.dtype == jnp.float64
    assert cholesky(np.eye(2, dtype=np.float32)).lower.dtype == jnp.float64
