"""The compiler adds up what it is told to: pyproject.toml excludes releases that do not, and this would notice."""

import jax
import jax.numpy as jnp
import numpy as np


def test_two_logarithms_in_one_sum_stay_two():
    t = np.random.default_rng(0).uniform(0.1, 0.5, (64, 64))
    summed = jax.jit(lambda t: jnp.sum(jnp.log1p(t) + jnp.log1p(-t), axis=-1))(t)
    np.testing.assert_allclose(summed, np.sum(np.log1p(t) + np.log1p(-t), axis=-1), rtol=1e-12)


def test_products_of_many_rows_keep_their_last_rows():
    x = np.zeros((16_385, 3))
    x[:, 0] = np.arange(len(x))
    squares = jax.jit(jax.vmap(lambda row: jnp.sum((jnp.eye(3) @ row) ** 2)))(x)
    np.testing.assert_allclose(squares, x[:, 0] ** 2, rtol=1e-15)
