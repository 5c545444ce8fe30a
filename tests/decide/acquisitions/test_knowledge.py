"""The knowledge gradient against measurements that are simulated one by one."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import surface_of
from credo.decide.acquisitions.knowledge import KnowledgeGradient
from small_process import NOISE, conditioned, fitted, measured

X, Y = measured()


def test_is_the_mean_drop_of_the_least_mean_over_simulated_measurements():
    rng = np.random.default_rng(1)
    points, here = rng.random((12, 2)), np.array([[0.9, 0.1]])
    found = np.exp(KnowledgeGradient(surface_of(fitted(X, Y)), jnp.asarray(points))(jnp.asarray(here)))[0]
    everywhere = np.concatenate([points, here])
    before, _ = conditioned(X, Y, everywhere)
    mean, covariance = conditioned(X, Y, here)
    seen = mean[0] + np.sqrt(covariance[0, 0] + NOISE) * rng.normal(size=4000)
    drops = [
        np.min(before) - np.min(conditioned(np.concatenate([X, here]), np.append(Y, y), everywhere)[0]) for y in seen
    ]
    assert found == pytest.approx(np.mean(drops), abs=4.0 * np.std(drops) / 4000**0.5)


def test_a_point_that_is_known_has_nothing_to_give():
    known = fitted(np.repeat(X[:1], 400, axis=0), np.full(400, 0.3))
    gradient = KnowledgeGradient(surface_of(known), jnp.asarray(X))
    assert gradient(jnp.asarray(X[:1]))[0] < gradient(jnp.asarray(X[3:4]))[0] - 2.0
