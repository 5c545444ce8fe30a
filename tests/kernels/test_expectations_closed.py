"""Closed forms of kernel averages against adaptive integration."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad

from credo.beliefs import MultivariateNormal, Normal, Uniform
from credo.kernels import (
    RBF,
    Cosine,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    On,
    Periodic,
    RationalQuadratic,
    White,
)
from credo.kernels.expectations_closed import closed_double_mean, closed_mean

X = jnp.array([[-1.5], [0.2], [0.7], [3.0]])
MEASURES = {"normal": Normal([0.3], [0.8]), "box": Uniform([-0.5], [1.4])}
ROOT3, ROOT5 = np.sqrt(3.0) / 0.7, np.sqrt(5.0) / 0.7
# A kernel of one column and its value at a lag, written out again.
LAGS = {
    "matern12": (Matern12(2.0, 0.7), lambda r: 2.0 * np.exp(-abs(r) / 0.7)),
    "matern32": (Matern32(2.0, [0.7]), lambda r: 2.0 * (1.0 + ROOT3 * abs(r)) * np.exp(-ROOT3 * abs(r))),
    "matern52": (
        Matern52(2.0, 0.7),
        lambda r: 2.0 * (1.0 + ROOT5 * abs(r) + (ROOT5 * r) ** 2 / 3.0) * np.exp(-ROOT5 * abs(r)),
    ),
    "cosine": (Cosine(2.0, period=1.7), lambda r: 2.0 * np.cos(2.0 * np.pi * r / 1.7)),
    "periodic": (
        Periodic(2.0, lengthscale=0.6, period=1.7),
        lambda r: 2.0 * np.exp(-2.0 * np.sin(np.pi * r / 1.7) ** 2 / 0.36),
    ),
}
_mean, _double = map(eqx.filter_jit, (closed_mean, closed_double_mean))


def average(function, measure, cuts=()):
    if isinstance(measure, Normal):
        m, s = float(measure.loc[0]), float(measure.scale[0])
        low, high = m - 9.0 * s, m + 9.0 * s
        density = lambda z: np.exp(-0.5 * ((z - m) / s) ** 2) / (s * np.sqrt(2.0 * np.pi))  # noqa: E731
    else:
        low, high = float(measure.low[0]), float(measure.high[0])
        density = lambda z: 1.0 / (high - low)  # noqa: E731
    inside = [cut for cut in cuts if low < cut < high]
    return quad(lambda z: function(z) * density(z), low, high, points=inside or None, epsabs=1e-12, limit=200)[0]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", LAGS)
def test_mean_in_one_column(name, measure):
    kernel, at_lag = LAGS[name]
    expected = [average(lambda z, x=x: at_lag(x - z), MEASURES[measure], cuts=[x]) for x in np.asarray(X)[:, 0]]
    np.testing.assert_allclose(_mean(kernel, X, MEASURES[measure]), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pair", [("normal", "normal"), ("box", "box")], ids=str)
@pytest.mark.parametrize("name", LAGS)
def test_double_mean_in_one_column(name, pair):
    """Integrated by Gauss rules over one measure of the mean over the other, which the test above knows to be right."""
    kernel, _ = LAGS[name]
    first = MEASURES[pair[0]]
    second = Normal([-0.2], [0.4]) if pair[1] == "normal" else Uniform([0.1], [0.9])
    nodes, weights = np.polynomial.legendre.leggauss(120)
    low, high = (-4.2, 3.8) if pair[1] == "normal" else (0.1, 0.9)
    z = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    inner = np.asarray(_mean(kernel, jnp.asarray(z)[:, None], first))
    density = np.exp(np.asarray(second.log_prob(z[:, None]))[:, 0])
    expected = 0.5 * (high - low) * np.sum(weights * density * inner)
    np.testing.assert_allclose(_double(kernel, first, second), expected, rtol=1e-9)


def test_cosine_in_the_plane():
    """A plane wave of a Gaussian point is damped by its variance along the wave."""
    kernel, full = Cosine(period=[2.0, 3.0]), MultivariateNormal([0.2, -0.3], [[1.0, 0.4], [0.4, 0.5]])
    x = jnp.array([[0.3, 0.1]])
    omega = 2.0 * np.pi / np.array([2.0, 3.0])
    damped = np.exp(-0.5 * omega @ np.asarray(full.covariance) @ omega)
    np.testing.assert_allclose(_mean(kernel, x, full), np.cos((x - full.loc) @ omega) * damped, rtol=1e-12)
    np.testing.assert_allclose(_double(kernel, full, full), damped**2, rtol=1e-12)


def test_linear_takes_means():
    kernel, mean = Linear([1.0, 2.0], [0.3, 0.1]), np.array([0.2, -0.3])
    other = Uniform([-1.0, 0.0], [2.0, 0.7])
    x = jnp.array([[0.5, 0.6], [1.0, -1.0]])
    for measure in (Normal(mean, [1.0, 2.0]), MultivariateNormal(mean, np.eye(2) + 0.3)):
        np.testing.assert_allclose(_mean(kernel, x, measure), kernel(x, mean[None])[:, 0], rtol=1e-12)
        expected = kernel(mean[None], np.asarray(other.mean)[None])[0, 0]
        np.testing.assert_allclose(_double(kernel, measure, other), expected, rtol=1e-12)


def test_white_noise_averages_to_nothing():
    assert not np.any(_mean(White(), X, MEASURES["box"]))
    assert float(_double(White(), MEASURES["box"], MEASURES["box"])) == 0.0


def test_columns_in_another_order():
    kernel, measure = On(Linear([1.0, 2.0]), [1, 0]), Normal([0.2, -0.3], [1.0, 2.0])
    x = jnp.array([[0.5, 0.6]])
    np.testing.assert_allclose(_mean(kernel, x, measure), kernel(x, measure.loc[None])[:, 0], rtol=1e-12)
    np.testing.assert_allclose(_double(kernel, measure, measure), kernel(measure.loc[None])[0, 0], rtol=1e-12)
    assert closed_mean(On(Linear(), [0, 0]), x, measure) is None
    assert closed_double_mean(On(Linear(), [0, 0]), measure, measure) is None


def test_no_closed_form():
    plane = Normal([0.0, 0.0], [1.0, 1.0])
    x = jnp.zeros((1, 2))
    for kernel in (RationalQuadratic(), Matern12(), Periodic(), RBF()):  # the last is among the windows
        assert closed_mean(kernel, x, plane) is None
        assert closed_double_mean(kernel, plane, plane) is None
    assert closed_double_mean(Matern12(), MEASURES["box"], MEASURES["normal"]) is None
