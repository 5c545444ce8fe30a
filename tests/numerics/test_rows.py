"""Blocks of rows."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.numerics.rows import map_rows

X = np.random.default_rng(0).normal(size=(11, 3))


@pytest.mark.parametrize("entries", [3, 6, 30, 1000])
def test_blocks_equal_the_whole(entries):
    fun = lambda x: {"norm": jnp.sum(x**2, axis=1), "outer": x[:, :, None] * x[:, None, :]}  # noqa: E731
    found = jax.jit(lambda x: map_rows(fun, x, cost=3, entries=entries))(X)
    np.testing.assert_allclose(found["norm"], np.sum(X**2, axis=1), rtol=1e-14)
    np.testing.assert_allclose(found["outer"], np.einsum("ni,nj->nij", X, X), rtol=1e-14)


def test_a_block_is_never_larger_than_allowed():
    seen = []

    def fun(x):
        seen.append(x.shape[0])
        return x[:, 0]

    map_rows(fun, jnp.asarray(X), cost=3, entries=12)
    assert max(seen) == 4
    map_rows(fun, jnp.asarray(X), cost=100, entries=12)
    assert seen[-1] == 1


def test_gradient_passes():
    total = lambda x: jnp.sum(map_rows(lambda r: jnp.sin(r[:, 0]), x, cost=3, entries=12))  # noqa: E731
    expected = np.zeros_like(X)
    expected[:, 0] = np.cos(X[:, 0])
    np.testing.assert_allclose(jax.grad(total)(jnp.asarray(X)), expected, rtol=1e-12)
