"""Information about the least value against entropies computed by quadrature."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from credo.decide.acquisitions import surface_of
from credo.decide.acquisitions.entropy import MaxValueEntropy, least_values
from small_process import fitted, measured


def entropy_above(low, mean, std):
    """Of a normal that is known to be above a number."""
    normal = stats.norm(mean, std)
    density = lambda f: normal.pdf(f) / normal.sf(low)  # noqa: E731
    top = max(low, mean) + 12.0 * std
    return integrate.quad(lambda f: -density(f) * np.log(density(f)), low, top, epsabs=1e-12, limit=200)[0]


def test_information_is_the_entropy_that_a_least_value_takes_away():
    surface = surface_of(fitted(*measured()))
    Z = 1.0 + np.random.default_rng(1).random((5, 2))  # away from what was measured
    least = np.array([[-1.2], [-0.7], [-2.0]])
    found = np.exp(MaxValueEntropy(surface, jnp.asarray(least))(jnp.asarray(Z)))
    mean, variance = (np.asarray(part)[:, 0] for part in surface.moments(jnp.asarray(Z)))
    for m, s, gain in zip(mean, np.sqrt(variance), found, strict=True):
        cut = [entropy_above(low, m, s) for low in least[:, 0]]
        assert gain == pytest.approx(stats.norm(m, s).entropy() - np.mean(cut), rel=1e-6)


def test_nothing_is_learnt_where_the_function_is_far_above():
    surface = surface_of(fitted(*measured()))
    far = MaxValueEntropy(surface, jnp.asarray([[-50.0]]))(jnp.zeros((1, 2)))
    assert np.isfinite(far[0])
    assert far[0] < -100.0


def test_least_values_are_below_the_best():
    paths = np.array([[0.3, -1.0, 2.0], [0.5, 0.4, 0.9]])
    found = least_values(paths, best=0.2, spread=1.0)
    assert found[0] == -1.0
    assert 0.19 < found[1] < 0.2
