"""Expected growth of the volume against draws, against mpmath, and of one objective against expected improvement."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from credo.decide.acquisitions import LogExpectedImprovement, Surface
from credo.decide.acquisitions.hypervolume import LogExpectedHypervolumeImprovement, log_expected_overlap
from credo.decide.acquisitions.maximize import _values, evaluated
from credo.decide.acquisitions.pareto import dominated_boxes, hypervolume
from credo.errors import InputError
from credo.numerics.concrete import placed

RNG = np.random.default_rng(0)
FRONTS = {
    2: np.array([[0.1, 0.9], [0.5, 0.5], [0.8, 0.2]]),
    3: np.array([[0.1, 0.9, 0.5], [0.5, 0.5, 0.4], [0.8, 0.2, 0.6], [0.7, 0.7, 0.1]]),
}

SLOPES = jax.jit(jax.vmap(jax.value_and_grad(log_expected_overlap), in_axes=(0, None, None, None)))


class Given(Surface):
    """Moments that are known, moved by column 0."""

    mean: jax.Array
    variance: jax.Array

    def moments(self, X):
        return X[:, :1] + self.mean, jnp.broadcast_to(self.variance, (X.shape[0], len(self.variance)))


def given(means, stds):
    return [Given(placed(np.atleast_1d(m)), placed(np.atleast_1d(s) ** 2)) for m, s in zip(means, stds, strict=True)]


def at_zero(gain):
    return evaluated(gain, np.zeros((1, 1)))[0]


def overlap(mean, std, low, high):
    with mp.workdps(450):
        mean, std, low, high = (mp.mpf(float(x)) for x in (mean, std, low, high))
        a, b = (low - mean) / std, (high - mean) / std
        h = lambda z: mp.npdf(z) + z * mp.erfc(-z / mp.sqrt(2)) / 2  # noqa: E731
        gain = h(b) - h(a)
        slope = -(mp.erfc(-b / mp.sqrt(2)) - mp.erfc(-a / mp.sqrt(2))) / 2 / std / gain
        return float(mp.log(std * gain)), float(slope)


@pytest.mark.parametrize("length", [1e-6, 0.02, 0.5, 30.0])
@pytest.mark.parametrize("std", [1e-2, 1.0])
def test_an_overlap_and_its_slope_are_mpmaths_over_thirty_deviations(length, std):
    means = -std * np.linspace(-30.0, 30.0, 13)
    values, slopes = SLOPES(jnp.asarray(means), std, 0.0, length * std)
    wanted = np.array([overlap(mean, std, 0.0, length * std) for mean in means])
    np.testing.assert_allclose(values, wanted[:, 0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(slopes, wanted[:, 1], rtol=1e-9, atol=1e-200)


@pytest.mark.parametrize("m", [2, 3])
def test_is_the_mean_growth_of_the_volume_over_draws(m):
    front, reference = FRONTS[m], np.full(m, 1.0)
    means, stds = np.array([0.5, 0.6, 0.3])[:m], np.array([0.3, 0.2, 0.4])[:m]
    found = np.exp(at_zero(LogExpectedHypervolumeImprovement.of(given(means, stds), [front], reference)))
    draws = means + stds * RNG.normal(size=(100_000, m))
    gains = np.prod(np.maximum(reference - draws, 0.0), axis=1)
    for lower, upper in zip(*dominated_boxes(front, reference), strict=True):  # what is not new
        gains -= np.prod(np.maximum(upper - np.maximum(lower, draws), 0.0), axis=1)
    few = [hypervolume(np.concatenate([front, draw[None]]), reference) for draw in draws[:20]]
    np.testing.assert_allclose(gains[:20], np.array(few) - hypervolume(front, reference), atol=1e-12)
    assert found == pytest.approx(np.mean(gains), abs=4.0 * np.std(gains) / len(gains) ** 0.5)


def test_of_two_objectives_is_the_formula_of_strips():
    """The sum over the strips between neighbors of the front, written out."""
    front, (r1, r2) = FRONTS[2], (1.0, 1.0)
    (m1, m2), (s1, s2) = (0.4, 0.3), (0.3, 0.5)
    h = lambda u, m, s: (u - m) * stats.norm.cdf(u, m, s) + s**2 * stats.norm.pdf(u, m, s)  # noqa: E731
    edges, heights = [-np.inf, *front[:, 0], r1], [r2, *front[:, 1]]
    wanted = sum(
        (h(edges[i + 1], m1, s1) - (h(edges[i], m1, s1) if i else 0.0)) * h(heights[i], m2, s2) for i in range(4)
    )
    gain = LogExpectedHypervolumeImprovement.of(given((m1, m2), (s1, s2)), [front], np.array([r1, r2]))
    assert np.exp(at_zero(gain)) == pytest.approx(wanted, rel=1e-12)


def test_of_one_objective_is_expected_improvement_in_every_belief():
    rows = RNG.random((5, 2))
    two, bests = Given(jnp.asarray([0.1, -0.4]), jnp.asarray([0.5, 2.0])), np.array([0.0, 0.3])
    gain = LogExpectedHypervolumeImprovement.of([two], [bests[:1, None], bests[1:, None]], np.array([5.0]))
    wanted = evaluated(LogExpectedImprovement(two, jnp.asarray(bests)), rows)
    np.testing.assert_allclose(evaluated(gain, rows), wanted, rtol=1e-10)


def test_of_several_beliefs_the_gain_is_averaged():
    means, stds = RNG.normal(size=(2, 3)), RNG.uniform(0.1, 1.0, size=(2, 3))
    whole = LogExpectedHypervolumeImprovement.of(given(means, stds), [FRONTS[2]], np.ones(2))
    parts = [
        LogExpectedHypervolumeImprovement.of(given(means[:, s], stds[:, s]), [FRONTS[2]], np.ones(2)) for s in range(3)
    ]
    together, alone = at_zero(whole), [np.exp(at_zero(part)) for part in parts]
    assert np.exp(together) == pytest.approx(np.mean(alone), rel=1e-12)


def test_thirty_deviations_away_value_and_slope_are_finite():
    gain = LogExpectedHypervolumeImprovement.of(given(np.zeros(3), np.full(3, 0.1)), [FRONTS[3]], np.ones(3))
    both = jax.jit(jax.vmap(jax.value_and_grad(lambda x: gain(x[None])[0])))
    values, slopes = both(jnp.asarray([[-3.0], [3.0]]))
    assert np.all(np.isfinite(values))
    assert np.all(np.isfinite(slopes))
    assert np.all(slopes < 0.0)


def test_a_front_that_grows_compiles_nothing():
    rows = jnp.zeros((16, 1))
    for n in (3, 4, 9, 14):
        front = np.linspace(0.0, 0.9, n)[:, None] * np.array([1.0, -1.0]) + np.array([0.0, 0.9])
        gain = LogExpectedHypervolumeImprovement.of(given((0.3, 0.3), (0.1, 0.2)), [front], np.ones(2))
        size = _values._cached._cache_size()
        _values(gain, rows)
        assert n == 3 or _values._cached._cache_size() == size


def test_an_objective_without_a_surface_is_refused():
    with pytest.raises(InputError, match="2 surfaces, 3 numbers"):
        LogExpectedHypervolumeImprovement.of(given((0.0, 0.0), (1.0, 1.0)), [FRONTS[2]], np.ones(3))
