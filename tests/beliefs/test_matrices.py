import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs.matrices import (
    condition_on_entries,
    finite_array,
    half_solve,
    nan_through,
    require,
    require_positive_definite,
    spd_solve,
    split_indices,
    support_factor,
    unvech,
    unvech_dual,
    vech,
    vech_dual,
)
from credo.errors import InputError

rng = np.random.default_rng(0)


def spd(*shape):
    x = rng.normal(size=(*shape, shape[-1] + 2))
    return x @ np.swapaxes(x, -1, -2)


def test_vech_and_back():
    matrix = spd(4, 3)
    half = vech(jnp.asarray(matrix))
    assert half.shape == (4, 6)
    np.testing.assert_array_equal(unvech(half), matrix)
    np.testing.assert_array_equal(unvech_dual(vech_dual(jnp.asarray(matrix))), matrix)


def test_dual_pairs_to_the_trace():
    a, b = spd(4), spd(4)
    np.testing.assert_allclose(vech_dual(jnp.asarray(a)) @ vech(jnp.asarray(b)), np.trace(a @ b), rtol=1e-13)


@pytest.mark.parametrize(("factor_batch", "rows"), [((), (5, 2)), ((2,), (5, 2)), ((5, 2), (2,)), ((2,), ())])
def test_half_solve_broadcasts(factor_batch, rows):
    lower = np.linalg.cholesky(spd(*factor_batch, 3))
    x = rng.normal(size=(*rows, 3))
    np.testing.assert_allclose(
        half_solve(jnp.asarray(lower), jnp.asarray(x)), np.linalg.solve(lower, x[..., None])[..., 0], atol=1e-12
    )


def test_solve_against_numpy():
    matrix, x = spd(2, 3), rng.normal(size=(7, 2, 3))
    expected = np.linalg.solve(matrix, x[..., None])[..., 0]
    np.testing.assert_allclose(spd_solve(jnp.asarray(matrix), jnp.asarray(x)), expected, rtol=1e-9)


def test_conditioning_against_the_dense_inverse():
    matrix, loc, values = spd(5), rng.normal(size=5), np.array([0.3, -1.0])
    precision = np.linalg.inv(matrix)
    left, known = [0, 2, 4], [3, 1]
    covariance = np.linalg.inv(precision[np.ix_(left, left)])
    mean = loc[left] - covariance @ precision[np.ix_(left, known)] @ (values - loc[known])
    got = condition_on_entries("x", jnp.asarray(loc), jnp.asarray(matrix), known, values)
    np.testing.assert_allclose(got[0], mean, rtol=1e-9)
    np.testing.assert_allclose(got[1], covariance, rtol=1e-9)
    gap = values - loc[known]
    np.testing.assert_allclose(got[2], gap @ np.linalg.solve(matrix[np.ix_(known, known)], gap), rtol=1e-10)


def test_support():
    inside = np.array([[2.0, 1.0], [1.0, 2.0]])
    batch = np.stack([inside, [[1.0, 2.0], [2.0, 1.0]], [[2.0, 1.0], [0.0, 2.0]], np.full((2, 2), np.nan)])
    factor, where = support_factor(jnp.asarray(batch))
    assert where.tolist() == [True, False, False, False]
    np.testing.assert_allclose(factor[0], np.linalg.cholesky(inside))
    np.testing.assert_array_equal(factor[1], np.eye(2))


@pytest.mark.parametrize("indices", [[], [3], [-4], [0, 0], [0, -3], [0.5]])
def test_bad_indices_are_refused(indices):
    with pytest.raises(InputError, match="positions"):
        split_indices("x", indices, 3)


def test_indices_count_from_the_end():
    chosen, others = split_indices("x", [-1, 0], 4)
    assert chosen.tolist() == [3, 0]
    assert others.tolist() == [1, 2]


def test_checks_speak_on_the_host_and_are_silent_in_jit():
    with pytest.raises(InputError, match="x: no"):
        require(jnp.array([True, False]), "x", "no")
    with pytest.raises(InputError, match="not finite"):
        finite_array("x", "y", [1.0, np.nan])
    with pytest.raises(InputError, match="not numeric"):
        finite_array("x", "y", ["a"])
    with pytest.raises(InputError, match="not numeric"):
        finite_array("x", "y", 1j)
    with pytest.raises(InputError, match="last axes"):
        finite_array("x", "y", [1.0], (2,))
    with pytest.raises(InputError, match="symmetric positive definite"):
        require_positive_definite("x", "y", jnp.array([[1.0, 1.0], [1.0, 1.0]]))

    @jax.jit
    def silent(x):
        require(x > 0, "x", "no")
        require_positive_definite("x", "y", x)
        return finite_array("x", "y", x)

    assert silent(-jnp.eye(2)).shape == (2, 2)


def test_nan_goes_through():
    x = jnp.array([[1.0, jnp.nan], [1.0, 2.0]])
    np.testing.assert_array_equal(nan_through(x, jnp.zeros(2), 1), [np.nan, 0.0])
