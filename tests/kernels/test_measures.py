"""Measures over points: moments and characteristic functions against integrals of their densities."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from credo.beliefs import LogNormal, MultivariateNormal, Normal, Uniform
from credo.errors import InputError
from credo.kernels.measures import (
    as_measure,
    columns_of,
    damping,
    has_independent_columns,
    marginal,
    mean_and_covariance,
    raw_moments,
)

COVARIANCE = np.array([[1.0, 0.4, 0.1], [0.4, 0.5, 0.0], [0.1, 0.0, 2.0]])
NORMAL = Normal([0.2, -1.0], [0.7, 1.5])
BOX = Uniform([-1.0, 0.5], [2.0, 0.6])
FULL = MultivariateNormal([0.2, -0.3, 1.0], COVARIANCE)


def expected(function, measure, column):
    """The mean of a function of one column, by integration against scipy's density."""
    if isinstance(measure, Normal):
        low, high = (float(measure.loc[column] + side * 12.0 * measure.scale[column]) for side in (-1, 1))
        density = stats.norm(float(measure.loc[column]), float(measure.scale[column])).pdf
    else:
        low, high = float(measure.low[column]), float(measure.high[column])
        density = stats.uniform(low, high - low).pdf
    return quad(lambda z: function(z) * density(z), low, high, limit=200, epsabs=1e-12)[0]


@pytest.mark.parametrize("measure", [NORMAL, BOX], ids=["normal", "box"])
def test_moments(measure):
    moments = raw_moments(measure, 6)
    for column in range(2):
        powers = [expected(lambda z, k=k: z**k, measure, column) for k in range(7)]
        np.testing.assert_allclose(moments[:, column], powers, rtol=1e-8)
    assert raw_moments(measure, 0).shape == (1, 2)


def test_moments_of_a_narrow_box_do_not_cancel():
    moments = raw_moments(Uniform([1.0], [1.0 + 1e-9]), 5)[:, 0]
    np.testing.assert_allclose(moments, (1.0 + 0.5e-9) ** np.arange(6.0), rtol=1e-15)


@pytest.mark.parametrize("measure", [NORMAL, BOX], ids=["normal", "box"])
def test_damping_is_the_characteristic_function_around_the_mean(measure):
    omega = np.array([[0.0, 0.0], [1.3, -0.7], [4.0, 2.0]])
    parts = np.ones(3)
    for column in range(2):
        center = float(measure.mean[column])
        waves = [expected(lambda z, w=row[column], c=center: np.cos(w * (z - c)), measure, column) for row in omega]
        parts = parts * np.array(waves)
    np.testing.assert_allclose(damping(measure, jnp.asarray(omega)), parts, atol=1e-9)


def test_damping_with_dependent_columns():
    omega = np.array([[1.3, -0.7, 0.2]])
    np.testing.assert_allclose(
        damping(FULL, jnp.asarray(omega)), np.exp(-0.5 * np.diag(omega @ COVARIANCE @ omega.T)), rtol=1e-12
    )


def test_marginals():
    pair = marginal(FULL, (2, 0))
    np.testing.assert_allclose(pair.loc, [1.0, 0.2])
    np.testing.assert_allclose(pair.covariance, COVARIANCE[np.ix_([2, 0], [2, 0])])
    single = marginal(FULL, (1,))
    assert isinstance(single, Normal)
    np.testing.assert_allclose(single.variance, [0.5])
    np.testing.assert_allclose(marginal(BOX, (1,)).low, [0.5])


def test_first_two_moments():
    mean, covariance = mean_and_covariance(NORMAL)
    np.testing.assert_allclose(mean, NORMAL.loc)
    np.testing.assert_allclose(covariance, np.diag(NORMAL.scale**2))
    np.testing.assert_allclose(mean_and_covariance(FULL)[1], COVARIANCE)


def test_columns():
    assert [columns_of(as_measure(m, "x")) for m in (Normal(0.0, 1.0), BOX, FULL)] == [1, 2, 3]
    assert [has_independent_columns(as_measure(m, "x")) for m in (NORMAL, BOX, FULL)] == [True, True, False]
    assert isinstance(as_measure(MultivariateNormal([0.0], [[4.0]]), "x"), Normal)


def test_refuses_what_is_no_single_measure():
    with pytest.raises(InputError, match="LogNormal is no measure over points"):
        as_measure(LogNormal(0.0, 1.0), "kernel_mean")
    with pytest.raises(InputError, match=r"batch shape of the measure is \(2, 2\)"):
        as_measure(Normal(np.zeros((2, 2)), 1.0), "kernel_mean")
    with pytest.raises(InputError, match=r"batch shape of the measure is \(3,\)"):
        as_measure(MultivariateNormal(np.zeros((3, 2)), np.eye(2)), "kernel_mean")
