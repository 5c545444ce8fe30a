"""The Gaussian log density against scipy and plain automatic differentiation, small (XLA) and large (host)."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from credo.errors import InputError, NotPositiveDefiniteError
from credo.numerics import gaussian_log_density
from credo.numerics.lapack import HOST_FROM

SMALL, LARGE = 6, HOST_FROM + 5


def problem(seed: int, n: int) -> tuple[jax.Array, jax.Array]:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n))
    return jnp.asarray(a @ a.T / n + 0.1 * np.eye(n)), jnp.asarray(rng.normal(size=n))


def textbook(k: jax.Array, y: jax.Array) -> jax.Array:
    k = 0.5 * (k + k.T)
    return -0.5 * (y @ jnp.linalg.solve(k, y) + jnp.linalg.slogdet(k)[1] + y.shape[0] * jnp.log(2 * jnp.pi))


@given(seed=st.integers(0, 2**32 - 1))
def test_small_values_agree_with_scipy(seed):
    k, y = problem(seed, SMALL)
    np.testing.assert_allclose(
        gaussian_log_density(k, y), multivariate_normal(np.zeros(SMALL), k).logpdf(y), rtol=1e-11
    )


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_value_and_gradient_agree_with_textbook(n):
    k, y = problem(1, n)
    value, gradient = jax.jit(jax.value_and_grad(gaussian_log_density, argnums=(0, 1)))(k, y)
    np.testing.assert_allclose(value, multivariate_normal(np.zeros(n), k).logpdf(y), rtol=1e-12)
    np.testing.assert_allclose(value, gaussian_log_density(k, y), rtol=1e-12)
    for ours, theirs in zip(gradient, jax.jit(jax.grad(textbook, argnums=(0, 1)))(k, y), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_gradient_agrees_with_finite_differences(n):
    k, y = problem(2, n)
    direction, step = jnp.outer(y, y) / n, 1e-5
    along = lambda t: gaussian_log_density(k + t * direction, y * (1.0 + t))  # noqa: E731
    gradient, forward = jax.jit(lambda t: (jax.grad(along)(t), jax.jvp(along, (t,), (1.0,))[1]))(0.0)
    np.testing.assert_allclose(gradient, (along(step) - along(-step)) / (2 * step), rtol=1e-7)
    np.testing.assert_allclose(forward, gradient, rtol=1e-12)


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_second_derivatives_in_every_mode(n):
    k, y = problem(3, n)
    along = lambda f: lambda t: f(k + t * jnp.outer(y, y) + t**2 * jnp.eye(n), y * (1.0 + t))  # noqa: E731
    ours = along(gaussian_log_density)
    expected = jax.jit(jax.hessian(along(textbook)))(0.1)
    forward, reverse = jax.jit(lambda t: (jax.hessian(ours)(t), jax.grad(jax.grad(ours))(t)))(0.1)
    np.testing.assert_allclose(forward, expected, rtol=1e-8)
    np.testing.assert_allclose(reverse, expected, rtol=1e-8)


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_noise_on_the_diagonal_given_apart(n):
    k, y = problem(12, n)
    apart = lambda noise: gaussian_log_density(k, y * noise[0], noise=noise)  # noqa: E731
    inside = lambda noise: gaussian_log_density(k + jnp.diag(noise), y * noise[0])  # noqa: E731
    noise = jnp.linspace(0.1, 0.5, n)
    np.testing.assert_allclose(apart(noise), inside(noise), rtol=1e-13)

    @functools.partial(jax.jit, static_argnums=0)
    def derivatives(f):
        return *jax.value_and_grad(f)(noise), jax.jvp(jax.grad(f), (noise,), (y,))[1]

    for ours, expected in zip(derivatives(apart), derivatives(inside), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(gaussian_log_density(k, y, noise=0.3), gaussian_log_density(k + 0.3 * jnp.eye(n), y))


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_vmap_and_batches_equal_a_loop(n):
    ks, ys = (jnp.stack(parts) for parts in zip(*(problem(seed, n) for seed in (4, 5, 6)), strict=True))
    both = jax.jit(jax.value_and_grad(gaussian_log_density))
    values, gradients = jax.jit(jax.vmap(jax.value_and_grad(gaussian_log_density)))(ks, ys)
    np.testing.assert_allclose(values, gaussian_log_density(ks, ys), rtol=1e-12)
    for i in range(3):
        value, gradient = both(ks[i], ys[i])
        np.testing.assert_allclose(values[i], value, rtol=1e-12)
        np.testing.assert_allclose(gradients[i], gradient, rtol=1e-8, atol=1e-10)


def test_large_and_small_path_agree_across_the_threshold():
    k, y = problem(7, LARGE)
    n = HOST_FROM - 1
    padded = jax.value_and_grad(lambda k, y: gaussian_log_density(k, y, weights=jnp.arange(LARGE) < n))(k, y)
    alone = jax.value_and_grad(gaussian_log_density)(k[:n, :n], y[:n])
    np.testing.assert_allclose(padded[0], alone[0], rtol=1e-12)
    np.testing.assert_allclose(padded[1][:n, :n], alone[1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_rows_of_weight_zero_are_inert_whatever_they_hold(n):
    k, y = problem(8, n)
    absent = np.arange(n) % 3 == 1
    weights = np.where(absent, 0.0, 1.0)
    dirty_k = jnp.where(absent[:, None] | absent[None, :], jnp.nan, k)
    dirty_y = jnp.where(absent, jnp.nan, y)
    density = lambda k, y: gaussian_log_density(k, y, weights=weights)  # noqa: E731
    value, (by_k, by_y) = jax.jit(jax.value_and_grad(density, argnums=(0, 1)))(dirty_k, dirty_y)
    kept = np.flatnonzero(~absent)
    alone_k, alone_y = k[np.ix_(kept, kept)], y[kept]
    np.testing.assert_allclose(
        density(dirty_k, dirty_y), multivariate_normal(np.zeros(len(kept)), alone_k).logpdf(alone_y), rtol=1e-11
    )
    np.testing.assert_allclose(value, density(dirty_k, dirty_y), rtol=1e-12)
    expected_k, expected_y = jax.jit(jax.grad(textbook, argnums=(0, 1)))(alone_k, alone_y)
    np.testing.assert_allclose(by_k[np.ix_(kept, kept)], expected_k, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(by_y[kept], expected_y, rtol=1e-9)
    assert not np.any(by_k[absent])
    assert not np.any(by_k[:, absent])
    assert not np.any(by_y[absent])


def duplicated(n: int) -> tuple[jax.Array, jax.Array]:
    x = np.repeat(np.linspace(0.0, 1.0, (n + 1) // 2), 2)[:n]
    return jnp.asarray(np.exp(-0.5 * (x[:, None] - x) ** 2 / 0.01**2)), jnp.asarray(np.sin(5 * x))


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_duplicate_rows_get_the_same_jitter_on_every_path(n):
    k, y = duplicated(n)  # y is equal where the rows are, so the density is that of the jittered matrix to many digits
    from credo.numerics import cholesky

    factor = cholesky(k)
    assert factor.info.jitter > 0
    expected = -0.5 * (factor.quadratic(y) + factor.log_det + n * np.log(2 * np.pi))
    np.testing.assert_allclose(gaussian_log_density(k, y), expected, rtol=1e-6)
    value, gradient = jax.value_and_grad(gaussian_log_density)(k, y)
    np.testing.assert_allclose(value, expected, rtol=1e-3)
    assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize("n", [SMALL, LARGE])
@pytest.mark.parametrize("scale", [1e-8, 1e6])
def test_padding_is_inert_where_jitter_is_needed_at_any_scale(n, scale):
    """Two equal rows in three, so the jitter decides the value, and padding must not change what it is relative to."""
    k, y = scale * jnp.array([[2.0, 2.0, 0.5], [2.0, 2.0, 0.5], [0.5, 0.5, 1.0]]), jnp.sqrt(scale) * jnp.ones(3)
    jitter = 1e-12 * scale * 5 / 3
    # The difference of the equal rows has variance 2 ε: the density factorizes into that of it and of the others.
    rotation = np.array([[np.sqrt(0.5), -np.sqrt(0.5), 0.0], [np.sqrt(0.5), np.sqrt(0.5), 0.0], [0.0, 0.0, 1.0]])
    rotated, z = rotation @ np.asarray(k) @ rotation.T, rotation @ np.asarray(y)
    expected = multivariate_normal(0.0, jitter).logpdf(z[0])
    expected += multivariate_normal(np.zeros(2), rotated[1:, 1:]).logpdf(z[1:])
    rows = np.array([1, 3, n - 1])
    padded_k, padded_y = jnp.full((n, n), jnp.nan).at[np.ix_(rows, rows)].set(k), jnp.zeros(n).at[rows].set(y)
    density = functools.partial(gaussian_log_density, weights=jnp.zeros(n).at[rows].set(1.0))
    value, (by_k, by_y) = jax.value_and_grad(density, argnums=(0, 1))(padded_k, padded_y)
    alone = jax.grad(gaussian_log_density, argnums=(0, 1))(k, y)
    np.testing.assert_allclose([gaussian_log_density(k, y), value, density(padded_k, padded_y)], expected, rtol=1e-5)
    np.testing.assert_allclose(by_k[np.ix_(rows, rows)], alone[0], rtol=1e-3)
    np.testing.assert_allclose(by_y[rows], alone[1], rtol=1e-3)
    assert np.count_nonzero(by_k) <= 9


def test_no_row_at_all_has_density_one():
    nothing = functools.partial(gaussian_log_density, weights=np.zeros(SMALL))
    value, gradient = jax.value_and_grad(nothing)(*problem(13, SMALL))
    assert value == nothing(*problem(13, SMALL)) == 0.0
    assert not np.any(gradient)


@pytest.mark.parametrize("bad", [2.0, 0.5, -1.0, np.nan])
def test_weights_that_are_no_zeros_and_ones_have_density_zero_inside_jit(bad):
    k, y = problem(14, SMALL)
    weights = jnp.ones(SMALL).at[2].set(bad)
    value, gradient = weighted_value_and_gradient(k, y, weights)
    assert value == -np.inf
    assert not np.any(gradient)
    assert np.isfinite(weighted_value_and_gradient(k, y, weights.at[2].set(0.0))[0])


@jax.jit
@jax.value_and_grad
def weighted_value_and_gradient(k, y, weights):
    return gaussian_log_density(k, y, weights=weights)


def test_padding_does_not_hide_an_indefinite_covariance_of_small_scale():
    k = jnp.eye(8).at[:2, :2].set(1e-8 * jnp.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(NotPositiveDefiniteError, match=r"smallest eigenvalue is -1e-08"):
        gaussian_log_density(k, np.ones(8), weights=np.arange(8) < 2)


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_indefinite_covariance_raises_on_arrays_and_is_minus_infinity_inside_jit(n):
    k, y = problem(9, n)
    with pytest.raises(NotPositiveDefiniteError, match=r"^gaussian_log_density: .*smallest eigenvalue"):
        gaussian_log_density(k - 5.0 * jnp.eye(n), y)
    value, gradient = jax.jit(jax.value_and_grad(lambda t: gaussian_log_density(k - t * jnp.eye(n), y)))(5.0)
    assert value == -np.inf
    assert gradient == 0.0
    assert jax.jit(gaussian_log_density)(k - 5.0 * jnp.eye(n), y) == -np.inf


def test_an_enormous_y_is_not_blamed_on_the_covariance():
    assert gaussian_log_density(np.eye(2), np.array([1e200, 0.0])) == -np.inf


@pytest.mark.parametrize(("noise", "words"), [(-0.1, "smallest noise is -0.1"), (np.ones(3), "noise has shape (3,)")])
def test_bad_noise_is_refused(noise, words):
    with pytest.raises(InputError, match=r"^gaussian_log_density: ") as caught:
        gaussian_log_density(np.eye(2), np.ones(2), noise=noise)
    assert words in str(caught.value)


def test_second_call_of_the_same_shape_does_not_compile():
    from credo.numerics.gaussian import _batched_log_density

    gaussian_log_density(*problem(10, SMALL))
    before = _batched_log_density._cache_size()
    gaussian_log_density(*problem(11, SMALL))
    assert _batched_log_density._cache_size() == before


@pytest.mark.parametrize(
    ("k", "y", "weights", "words"),
    [
        (np.eye(3), np.ones(2), None, "y has shape (2,)"),
        (np.eye(3), np.ones((3, 1)), None, "y has shape (3, 1)"),
        (np.ones((2, 3)), np.ones(3), None, "shape (2, 3)"),
        (np.eye(2), np.array([1.0, np.nan]), None, "y has NaN"),
        (np.full((2, 2), np.nan), np.ones(2), None, "4 of 4 entries"),
        (np.array([[1.0, 0.5], [0.0, 1.0]]), np.ones(2), None, "not symmetric"),
        (np.eye(2), np.ones(2), np.array([1.0, 2.0]), "other than 0 and 1"),
        (np.eye(2), np.ones(2), np.array([1.0]), "weights have shape (1,)"),
        (np.zeros((0, 0)), np.zeros(0), None, "empty"),
    ],
)
def test_bad_input_is_refused(k, y, weights, words):
    with pytest.raises(InputError, match=r"^gaussian_log_density: ") as caught:
        gaussian_log_density(k, y, weights=weights)
    assert words in str(caught.value)
