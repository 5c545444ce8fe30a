"""Efficiency by simulation: known ones, attained bounds, and that stated errors hold."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError, NumericalError
from credo.validate.estimation import cramer_rao, efficiency

N = 40


def normal(theta, n, key):
    return theta[0] + jax.random.normal(key, (n,))


def test_the_mean_of_a_normal_attains_it():
    found = efficiency(jnp.mean, normal, 1.5, [[1.0]], rows=N, simulations=4000, random_state=0)
    assert abs(found.efficiency[0] - 1.0) < 4.0 * found.efficiency_error[0]
    assert found.efficiency_error[0] < 0.03
    assert abs(found.bias[0]) < 4.0 * found.bias_error[0]
    np.testing.assert_allclose(found.bound, [1.0 / N])
    np.testing.assert_allclose(found.mean_squared_error, found.variance * 3999 / 4000 + found.bias**2)
    assert found.certificate.error == found.efficiency_error.max()


def test_the_median_has_two_over_pi():
    rows = 201
    found = efficiency(jnp.median, normal, 0.0, [[1.0]], rows=rows, simulations=3000, random_state=1)
    # As n grows it tends to 2/π, and at 201 rows is within 0.01 of it.
    assert abs(found.efficiency[0] - 2.0 / np.pi) < 4.0 * found.efficiency_error[0] + 0.01


def test_shrinkage_is_above_the_unbiased_bound_and_at_its_own():
    c, mean = 0.9, 0.1

    def shrunk(x):
        return c * jnp.mean(x)

    free = efficiency(shrunk, normal, mean, [[1.0]], rows=N, simulations=3000, random_state=0)
    own = efficiency(
        shrunk, normal, mean, [[1.0]], rows=N, simulations=3000, bias=lambda t: (c - 1.0) * t, random_state=0
    )
    assert free.efficiency[0] > 1.0 + 4.0 * free.efficiency_error[0]  # no unbiased one comes so near to 0.1
    assert abs(own.efficiency[0] - 1.0) < 4.0 * own.efficiency_error[0]
    np.testing.assert_allclose(
        own.bound, np.diagonal(cramer_rao([[1.0]], mean, rows=N, bias=lambda t: (c - 1.0) * t).mean_squared_error)
    )
    assert abs(own.bias[0] - (c - 1.0) * mean) < 4.0 * own.bias_error[0]


def test_several_parameters_by_numpy():
    information = np.diag([1.0, 2.0]) / 4.0

    def draw(theta, n, key):
        return theta[0] + theta[1] * jax.random.normal(key, (n,))

    def estimate(x):
        assert isinstance(x, np.ndarray)
        return np.array([np.mean(x), np.std(x)])

    slow = efficiency(estimate, draw, [1.0, 2.0], information, rows=N, simulations=300, jax_estimator=False,
                      random_state=0)  # fmt: skip
    fast = efficiency(lambda x: jnp.stack([jnp.mean(x), jnp.std(x)]), draw, [1.0, 2.0], information, rows=N,
                      simulations=300, random_state=0)  # fmt: skip
    np.testing.assert_allclose(slow.efficiency, fast.efficiency, rtol=1e-10)
    assert np.all(np.abs(slow.efficiency - 1.0) < 4.0 * slow.efficiency_error + 0.02)


def test_blocks_do_not_change_the_answer(monkeypatch):
    from importlib import import_module

    whole = efficiency(jnp.mean, normal, 0.0, [[1.0]], rows=N, simulations=50, random_state=3)
    module = import_module("credo.validate.estimation.efficiency")
    monkeypatch.setattr(module, "_ENTRIES", 10 * N)
    parts = efficiency(jnp.mean, normal, 0.0, [[1.0]], rows=N, simulations=50, random_state=3)
    np.testing.assert_allclose(parts.mean_squared_error, whole.mean_squared_error)


def test_what_is_refused():
    with pytest.raises(InputError, match="0 rows"):
        efficiency(jnp.mean, normal, 0.0, [[1.0]], rows=0)
    with pytest.raises(InputError, match="for 1 numbers"):
        efficiency(lambda x: x[:2], normal, 0.0, [[1.0]], rows=N, simulations=10)
    with pytest.raises(NumericalError, match="not finite"):
        efficiency(lambda x: jnp.log(jnp.mean(x)), normal, 0.0, [[1.0]], rows=N, simulations=50)
    with pytest.raises(NumericalError, match="knows the truth"):
        efficiency(lambda x: 0.0 * jnp.mean(x), normal, 0.0, [[1.0]], rows=N, simulations=10)
