"""The knowledge gradient against measurements that are simulated one by one."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import AveragedSurface, Surface, imagined, surface_of
from credo.decide.acquisitions.composed import PerCost
from credo.decide.acquisitions.knowledge import KnowledgeGradient
from credo.decide.acquisitions.maximize import _values, evaluated
from credo.decide.acquisitions.robust import PerturbedSurface, normal_perturbations
from credo.kernels import Matern52
from credo.models import GPRegressor
from credo.numerics.concrete import placed
from small_process import NOISE, conditioned, fitted, measured

X, Y = measured()


def simulated_drops(points, here, there, rng, noise=NOISE, rows=X, values=Y, count=4000):
    """Of the least mean over points and `there`, by measurements at `here` that are simulated, the process refitted."""
    everywhere = np.concatenate([points, there])
    before, _ = conditioned(rows, values, everywhere)
    mean, covariance = conditioned(rows, values, here)
    seen = mean[0] + np.sqrt(covariance[0, 0] + noise) * rng.normal(size=count)
    more = np.concatenate([rows, here])
    # The mean is linear in what is seen.
    low, high = (conditioned(more, np.append(values, y), everywhere)[0] for y in (0.0, 1.0))
    after = low[:, None] + (high - low)[:, None] * seen
    return np.min(before) - np.min(after, axis=0)


def test_is_the_mean_drop_of_the_least_mean_over_simulated_measurements():
    rng = np.random.default_rng(1)
    points, here = rng.random((12, 2)), np.array([[0.9, 0.1]])
    found = np.exp(evaluated(KnowledgeGradient.of(surface_of(fitted(X, Y)), points), here))[0]
    drops = simulated_drops(points, here, here, rng)
    assert found == pytest.approx(np.mean(drops), abs=4.0 * np.std(drops) / 4000**0.5)


def test_at_a_lower_fidelity_counts_the_least_mean_at_the_one_that_is_meant():
    """Column 1 is the fidelity, and one is meant."""
    rng = np.random.default_rng(2)
    points, here = rng.random((12, 2)), np.array([[0.9, 0.3]])
    target, columns = np.array([np.nan, 1.0]), np.array([False, True])
    gradient = KnowledgeGradient.of(surface_of(fitted(X, Y)), points, target=target, columns=columns)
    at_target = np.where(columns, 1.0, points)
    drops = simulated_drops(at_target, here, np.array([[0.9, 1.0]]), rng)
    found = np.exp(evaluated(gradient, here))[0]
    assert found == pytest.approx(np.mean(drops), abs=4.0 * np.std(drops) / 4000**0.5)
    slope = jax.jit(jax.grad(lambda x: gradient(x[None])[0]))(placed(here[0]))
    step = 1e-5 * np.eye(2)
    above, below = (evaluated(gradient, here + sign * step) for sign in (1.0, -1.0))
    np.testing.assert_allclose(slope, (above - below) / 2e-5, rtol=1e-3, atol=1e-5)


def test_for_each_unit_of_cost_the_cheap_fidelity_wins_where_it_tells_nearly_as_much():
    class LogCost(Surface):
        def moments(self, X):
            return jnp.log(0.01 + X[:, 1:]), jnp.zeros((X.shape[0], 1))

    target, columns = np.array([0.0, 1.0]), np.array([False, True])
    points = np.random.default_rng(2).random((12, 2))
    gain = KnowledgeGradient.of(surface_of(fitted(X, Y)), points, target=target, columns=columns)
    rows = np.array([[0.9, 0.6], [0.9, 1.0]])
    alone, by_cost = evaluated(gain, rows), evaluated(PerCost(gain, LogCost()), rows)
    np.testing.assert_allclose(alone - by_cost, np.log([0.61, 1.01]), rtol=1e-9)
    assert alone[0] < alone[1]
    assert by_cost[0] - by_cost[1] > alone[0] - alone[1]


def test_of_an_average_counts_its_least_mean_after_a_measurement_of_the_function():
    """The process refitted for each simulated measurement, its mean then averaged around the points and around x."""
    rng = np.random.default_rng(3)
    points, here = rng.random((12, 2)), np.array([[0.9, 0.1]])
    shifts, weights = normal_perturbations(np.array([0.2, 0.0]))
    average = PerturbedSurface(surface_of(fitted(X, Y)), placed(shifts), placed(weights))
    found = np.exp(evaluated(KnowledgeGradient.of_average(average, points), here))[0]
    around = (np.concatenate([points, here])[:, None] + shifts).reshape(-1, 2)
    mean, covariance = conditioned(X, Y, here)
    seen = mean[0] + np.sqrt(covariance[0, 0] + NOISE) * rng.normal(size=4000)
    low, high = (conditioned(np.concatenate([X, here]), np.append(Y, y), around)[0] for y in (0.0, 1.0))
    before, low, high = (part.reshape(13, -1) @ weights for part in (conditioned(X, Y, around)[0], low, high))
    drops = np.min(before) - np.min(low[:, None] + (high - low)[:, None] * seen, axis=0)
    assert found == pytest.approx(np.mean(drops), abs=4.0 * np.std(drops) / 4000**0.5)


def test_small_drops_keep_their_digits_and_have_a_slope():
    """At a point whose drop is less than the last digit of the least mean."""
    rows, values = np.array([[0.1, 0.1], [0.9, 0.9]]), np.array([-5.0, 5.0])
    known = surface_of(fitted(np.repeat(rows, 50, axis=0), np.repeat(values, 50)))
    gradient = KnowledgeGradient.of(known, rows)
    far, near = evaluated(gradient, np.array([[0.7, 0.7], [0.68, 0.68]]))
    assert -200.0 < far < near < np.log(1e-16)
    slope = jax.jit(jax.grad(lambda x: gradient(x[None])[0]))(placed(np.array([0.7, 0.7])))
    assert np.all(np.isfinite(slope))
    assert np.sum(slope) < 0.0


def test_of_several_processes_the_drop_is_averaged():
    other = GPRegressor(kernel=Matern52(0.7, [0.2, 0.9]), noise_variance=0.1, inference=None, standardize=False)
    surfaces = [surface_of(fitted(X, Y)), surface_of(other.fit(X, Y))]
    both = jax.tree.map(lambda *leaves: np.stack(leaves) if eqx.is_array(leaves[0]) else leaves[0], *surfaces)
    surface = AveragedSurface(jax.tree.map(jnp.asarray, both.posterior), surfaces[0].shift, surfaces[0].scale)
    points, here = np.random.default_rng(1).random((12, 2)), np.array([[0.9, 0.1], [0.2, 0.4]])
    found = np.exp(evaluated(KnowledgeGradient.of(surface, points), here))
    each = [np.exp(evaluated(KnowledgeGradient.of(one, points), here)) for one in surfaces]
    np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=1e-6)


def test_in_a_fantasy_what_is_imagined_is_known():
    rows = np.array([[0.9, 0.1]])
    points = np.random.default_rng(1).random((12, 2))
    surface, values = imagined(surface_of(fitted(X, Y)), rows, np.zeros((1, 1)), noisy=True)
    whole = surface_of(fitted(np.concatenate([X, rows]), np.append(Y, np.asarray(values)[0, 0])))
    here = np.array([[0.9, 0.2], [0.2, 0.4]])
    found, wanted = (evaluated(KnowledgeGradient.of(each, points), here) for each in (surface, whole))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_point_that_is_known_has_nothing_to_give():
    known = fitted(np.repeat(X[:1], 400, axis=0), np.full(400, 0.3))
    at_known, elsewhere = evaluated(KnowledgeGradient.of(surface_of(known), X), X[[0, 3]])
    assert at_known < elsewhere - 2.0


def test_further_points_compile_nothing():
    surface, rows, sizes = surface_of(fitted(X, Y)), placed(np.zeros((16, 2))), set()
    for a in (3, 5, 16):
        _values(KnowledgeGradient.of(surface, np.random.default_rng(0).random((a, 2))), rows)
        sizes.add(_values._cached._cache_size())
    assert len(sizes) == 1
