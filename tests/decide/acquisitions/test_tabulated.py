"""A belief of the host goes through a compiled acquisition as one that has slopes does."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import LogExpectedImprovement, Surface, log_expected_improvement, maximize_acquisition
from credo.decide.acquisitions.maximize import evaluated, moments_at
from credo.decide.acquisitions.tabulated import HostSurface, has_slopes, tabulated
from credo.errors import UndefinedError
from credo.represent.space import Real, Space


class Bowl(Surface):
    def moments(self, X):
        return jnp.sum((X - 0.3) ** 2, axis=1)[:, None], 0.01 + 0.0 * X[:, :1]


def on_the_host(rows):
    return np.sum((rows - 0.3) ** 2, axis=1)[:, None], np.full((len(rows), 1), 0.01)


HOST = LogExpectedImprovement(HostSurface(on_the_host), jnp.zeros(1))
ROWS = np.random.default_rng(0).random((20, 2))


def test_values_are_those_of_the_surface_itself():
    mean, variance = on_the_host(ROWS)
    expected = np.asarray(log_expected_improvement(mean[:, 0], np.sqrt(variance[:, 0]), 0.0))
    np.testing.assert_allclose(evaluated(HOST, ROWS), expected, rtol=1e-12)
    np.testing.assert_array_equal(moments_at(HOST.surface, ROWS)[0], mean)


def test_what_has_no_slopes_is_known_and_refused_inside():
    assert not has_slopes(HOST)
    assert has_slopes(LogExpectedImprovement(Bowl(), jnp.zeros(1)))
    assert has_slopes(tabulated(HOST, ROWS))
    with pytest.raises(UndefinedError):
        HOST(jnp.asarray(ROWS))


def test_it_is_maximized_without_slopes():
    space = Space({"a": Real(0, 1), "b": Real(0, 1)})
    found = maximize_acquisition(HOST, space, np.random.default_rng(0))
    np.testing.assert_allclose(found.row, [0.3, 0.3], atol=0.02)
