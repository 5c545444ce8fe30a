"""Pieces of batches against NumPy, and derivatives against those of XLA's own operations."""

import re
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import credo
from credo.numerics.batched_lapack import factor_lower, solve_lower, solve_square, symmetric_eigen

SIZES = [(1, 3), (7, 4), (40, 30), (5, 70)]  # the last two are split


def covariances(batch, n, seed=0):
    root = np.random.default_rng(seed).normal(size=(batch, n, n))
    return jnp.asarray(root @ np.swapaxes(root, -1, -2) + n * np.eye(n))


def right_sides(*shape):
    return jnp.asarray(np.random.default_rng(1).normal(size=shape))


@pytest.mark.parametrize(("batch", "n"), SIZES)
@pytest.mark.parametrize("over", [lambda f: f, jax.vmap, jax.jit], ids=["axes", "vmap", "jit"])
def test_batches_agree_with_numpy(batch, n, over):
    matrices = covariances(batch, n)
    sides = right_sides(batch, n, 2)
    lower = jnp.asarray(np.linalg.cholesky(matrices))
    np.testing.assert_allclose(over(factor_lower)(matrices), lower, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(over(solve_lower)(lower, sides), np.linalg.solve(lower, sides), rtol=1e-8, atol=1e-12)
    back = over(lambda factor, b: solve_lower(factor, b, transposed=True))(lower, sides)
    np.testing.assert_allclose(back, np.linalg.solve(np.swapaxes(lower, -1, -2), sides), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(over(solve_square)(matrices, sides), np.linalg.solve(matrices, sides), rtol=1e-8)
    values, vectors = over(symmetric_eigen)(matrices)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrices), rtol=1e-8)
    np.testing.assert_allclose((vectors * values[:, None]) @ np.swapaxes(vectors, -1, -2), matrices, atol=1e-9 * n)


def test_nested_batches_and_a_shared_matrix():
    lower, sides = jnp.asarray(np.linalg.cholesky(covariances(1, 20)[0])), right_sides(3, 30, 20, 2)
    twice = jax.vmap(jax.vmap(lambda b: solve_lower(lower, b)))(sides)
    np.testing.assert_allclose(twice, np.linalg.solve(lower, sides), rtol=1e-10)
    nested = covariances(6, 50).reshape(2, 3, 50, 50)
    np.testing.assert_allclose(jax.vmap(jax.vmap(factor_lower))(nested), np.linalg.cholesky(nested), atol=1e-10)


def xla_solve(lower, b, transposed):
    return lax.linalg.triangular_solve(lower, b, left_side=True, lower=True, transpose_a=transposed)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("batch", "n"), [(4, 5), (5, 70)])
def test_derivatives_are_those_of_xla(batch, n, transposed):
    matrices, sides = covariances(batch, n), right_sides(batch, n, 2)

    def ours(matrix, b):
        return jnp.sum(jnp.sin(solve_lower(factor_lower(matrix), b, transposed=transposed)))

    def theirs(matrix, b):
        return jnp.sum(jnp.sin(xla_solve(lax.linalg.cholesky(matrix), b, transposed)))

    def slopes(function):
        return jax.vmap(jax.grad(function, argnums=(0, 1)))

    def turns(function):  # of second order: the change of the slopes along the arguments themselves
        return jax.jvp(slopes(function), (matrices, sides), (matrices, sides))[1]

    for ours_is, theirs_is in zip(
        (*slopes(ours)(matrices, sides), *turns(ours)), (*slopes(theirs)(matrices, sides), *turns(theirs)), strict=True
    ):
        np.testing.assert_allclose(ours_is, theirs_is, rtol=1e-8, atol=1e-12)


def test_square_systems_have_the_slopes_of_xla():
    matrices, sides = covariances(5, 70) + jnp.triu(covariances(5, 70, seed=2)), right_sides(5, 70, 2)

    def slopes(solve):
        return jax.vmap(jax.grad(lambda matrix, b: jnp.sum(jnp.sin(solve(matrix, b))), argnums=(0, 1)))(matrices, sides)

    for ours, theirs in zip(slopes(solve_square), slopes(jnp.linalg.solve), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-12)


def test_no_factor_is_nan():
    assert np.all(np.isnan(np.diagonal(factor_lower(-jnp.eye(3)))[-1:]))


SIMULTANEOUS = """
import threading
import jax, numpy as np
import credo
from credo.numerics.batched_lapack import factor_lower, solve_lower
from credo.numerics.threads import OneBlasThread

both = jax.jit(jax.vmap(lambda m: solve_lower(factor_lower(m), m)))
matrices = np.eye(60) + np.zeros((64, 1, 1))
jax.block_until_ready(both(matrices))
work = lambda: [jax.block_until_ready(both(matrices)) for _ in range(10)]
threads = [threading.Thread(target=work) for _ in range(4)]
with OneBlasThread():  # the threads of BLAS wait for each other, too, but not forever
    [t.start() for t in threads], [t.join() for t in threads]
"""


def test_simultaneous_batches_end():
    """Four threads at once; batches of XLA's own operations wait for each other on a machine of few cores."""
    subprocess.run([sys.executable, "-c", SIMULTANEOUS], timeout=120, check=True)


def test_nothing_else_hands_batches_to_lapack():
    """A direct call would bring the deadlock back."""
    sources = Path(credo.__file__).parent.rglob("*.py")
    direct = re.compile(r"\b(jnp\.linalg|lax\.linalg|jax\.scipy\.linalg|jax\.numpy\.linalg)\b")
    users = {path.name for path in sources if direct.search(path.read_text(encoding="utf-8"))}
    assert users == {"batched_lapack.py"}
