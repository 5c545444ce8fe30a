"""Shifted Sobol points: uniform each, even together, and the error of their averages against independent points."""

import jax
import jax.numpy as jnp
import numpy as np

from credo.kernels.sobol import shifted_sobol

COUNT, COLUMNS, KEYS = 128, 3, 256


@jax.jit
def _sets(keys):
    return jax.vmap(lambda key: shifted_sobol(key, COUNT, COLUMNS))(keys)


SETS = np.asarray(_sets(jax.random.split(jax.random.key(1), KEYS)))


def test_one_point_in_every_stratum_of_every_column():
    strata = np.sort((COUNT * SETS).astype(int), axis=1)
    np.testing.assert_array_equal(strata, np.broadcast_to(np.arange(COUNT)[:, None], strata.shape))


def test_inside_the_open_cube():
    assert SETS.min() > 0.0
    assert SETS.max() < 1.0


def test_every_point_is_uniform():
    """The empirical distribution of each row over keys stays within the 1e-6 band of Kolmogorov's statistic."""
    ordered = np.sort(SETS, axis=0)
    steps = (np.arange(KEYS) + 0.5)[:, None, None] / KEYS
    furthest = np.max(np.abs(ordered - steps), axis=0)
    assert np.sqrt(KEYS) * furthest.max() < np.sqrt(0.5 * np.log(2.0 / 1e-6))


def test_averages_are_unbiased_and_better_than_of_independent_points():
    def function(points):
        return np.prod(np.exp(points), axis=-1)

    truth = (np.e - 1.0) ** COLUMNS
    averages = function(SETS).mean(axis=1)
    assert abs(averages.mean() - truth) < 4.0 * averages.std(ddof=1) / np.sqrt(KEYS)
    independent = np.random.default_rng(0).random((KEYS, COUNT, COLUMNS))
    assert averages.std() < 0.1 * function(independent).mean(axis=1).std()


def test_any_number_of_points():
    few = shifted_sobol(jax.random.key(0), 5, 2)
    assert few.shape == (5, 2)
    assert jnp.unique((8 * few[:, 0]).astype(int)).size == 5
