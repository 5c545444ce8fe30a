"""The default surrogate by NumPy against the same by JAX, its slopes against differences, and what it leaves to JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import ConfidenceBound, LogExpectedImprovement, surface_of
from credo.decide.acquisitions.quick import quick_improvement, quick_surface
from credo.decide.study.surrogate import learn_objective
from credo.kernels import Matern32
from credo.models import GPRegressor
from credo.represent.space import Choice, Integer, Real, Space
from small_process import fitted, measured

SPACES = {
    "box": Space({"a": Real(0, 1), "b": Real(0, 1)}),
    "mixed": Space({"a": Real(0, 1), "kind": Choice("x", "y", "z"), "n": Integer(1, 5), "other": Choice("u", "v")}),
    "choices": Space({"kind": Choice("x", "y", "z"), "other": Choice("u", "v")}),
}


@pytest.fixture(params=SPACES)
def learned(request):
    space = SPACES[request.param]
    rows = np.unique(space.sample_rows(21, 0), axis=0)
    values = np.sin(5.0 * rows[:, 0]) + rows[:, -1] * rows[:, 0] + 0.1 * np.cos(40.0 * np.arange(len(rows)))
    return space, learn_objective(space, rows, values, restarts=1, seed=0).surface


def test_moments_are_those_of_jax(learned):
    space, surface = learned
    rows = space.sample_rows(64, 1)
    mean, variance = quick_surface(surface).moments(rows)
    wanted = surface.moments(jnp.asarray(rows))
    np.testing.assert_allclose(mean, wanted[0][:, 0], atol=1e-9)
    np.testing.assert_allclose(variance, wanted[1][:, 0], rtol=1e-6, atol=1e-12)


def test_the_gain_and_its_gradient_are_those_of_jax(learned):
    space, surface = learned
    gain = LogExpectedImprovement(surface, jnp.asarray([-0.9]))
    rows = space.sample_rows(32, 2)
    value, slope = quick_improvement(gain).with_slopes(rows)
    np.testing.assert_allclose(quick_improvement(gain).values(rows), value, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(value, gain(jnp.asarray(rows)), rtol=1e-7, atol=1e-7)
    wanted = jax.vmap(jax.grad(lambda x: gain(x[None])[0]))(jnp.asarray(rows))
    np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-5)


def test_knows_a_process_that_a_regressor_fitted():
    X, y = measured(seed=0)
    surface = surface_of(fitted(X, y))
    mean, variance = quick_surface(surface).moments(X[:5] + 0.01)
    wanted = surface.moments(jnp.asarray(X[:5] + 0.01))
    np.testing.assert_allclose(mean, wanted[0][:, 0], atol=1e-9)
    np.testing.assert_allclose(variance, wanted[1][:, 0], rtol=1e-6, atol=1e-12)


def test_leaves_other_kernels_means_and_acquisitions_to_jax():
    X, y = measured(seed=0)
    settings = {"n_restarts": 0, "random_state": 0}
    assert quick_surface(surface_of(GPRegressor(kernel=Matern32(), **settings).fit(X, y))) is None
    assert quick_surface(surface_of(GPRegressor(mean="constant", **settings).fit(X, y))) is None
    surface = surface_of(fitted(X, y))
    assert quick_improvement(ConfidenceBound(surface, jnp.asarray(2.0))) is None
    assert quick_improvement(LogExpectedImprovement(surface, jnp.asarray([0.0, 1.0]))) is None
