"""Scores and informations against derivatives by hand and by finite differences."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError, NumericalError
from credo.validate.estimation import covariance_of, observed_information, score, scores


def gamma(theta, x):
    """Gamma with log shape and log rate, without the part that has no parameter."""
    shape, rate = jnp.exp(theta[0]), jnp.exp(theta[1])
    from jax.scipy.special import gammaln

    return shape * jnp.log(rate) - gammaln(shape) + (shape - 1.0) * jnp.log(x) - rate * x


X = np.random.default_rng(0).gamma(2.0, size=50)
THETA = np.array([0.5, -0.2])


def by_scipy(theta):
    return np.sum(stats.gamma.logpdf(X, np.exp(theta[0]), scale=np.exp(-theta[1])))


def test_score_against_differences():
    step = 1e-5
    expected = [(by_scipy(THETA + step * e) - by_scipy(THETA - step * e)) / (2 * step) for e in np.eye(2)]
    np.testing.assert_allclose(score(gamma, THETA, X), expected, rtol=1e-7)
    np.testing.assert_allclose(scores(gamma, THETA, X).sum(axis=0), expected, rtol=1e-7)
    np.testing.assert_allclose(score(lambda t, x: jnp.sum(gamma(t, x)), THETA, X), expected, rtol=1e-7)


def test_information_against_differences():
    step = 1e-3

    def second(a, b):
        signs = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
        return sum(s * by_scipy(THETA + step * (i * a + j * b)) for i, j, s in signs) / (4 * step**2)

    units = np.eye(2)
    expected = [[-second(a, b) for b in units] for a in units]
    np.testing.assert_allclose(observed_information(gamma, THETA, X), expected, rtol=1e-5)


def test_data_may_be_columns():
    rng = np.random.default_rng(1)
    Z, y = rng.normal(size=(30, 2)), rng.normal(size=30)

    def normal(beta, data):
        return -0.5 * (data["y"] - data["Z"] @ beta) ** 2

    np.testing.assert_allclose(observed_information(normal, [0.0, 0.0], {"Z": Z, "y": list(y)}), Z.T @ Z)
    np.testing.assert_allclose(scores(normal, [0.0, 0.0], {"Z": Z, "y": y}), Z * y[:, None])


def test_covariance_is_the_inverse_in_any_units():
    rng = np.random.default_rng(2)
    half = rng.normal(size=(4, 4))
    matrix = half @ half.T + np.eye(4)
    np.testing.assert_allclose(covariance_of(matrix), np.linalg.inv(matrix))
    units = np.array([1e-8, 1.0, 1e6, 1e9])
    np.testing.assert_allclose(covariance_of(matrix * np.outer(units, units)) * np.outer(units, units),
                               np.linalg.inv(matrix), rtol=1e-9)  # fmt: skip


def test_what_is_refused():
    with pytest.raises(NumericalError, match="not positive definite"):
        covariance_of([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(NumericalError, match="not positive definite"):
        covariance_of([[-1.0]])
    with pytest.raises(InputError, match="p × p"):
        covariance_of(np.ones((2, 3)))
    with pytest.raises(NumericalError, match="NaN or infinite"):
        score(lambda t, x: jnp.log(t[0]) * x, -1.0, X)
    with pytest.raises(InputError, match="theta is"):
        score(gamma, [np.nan, 0.0], X)
    with pytest.raises(InputError, match="NaN entries"):
        score(gamma, THETA, [1.0, np.nan])
    with pytest.raises(InputError, match="dtype"):
        score(gamma, THETA, np.array(["a"]))
    with pytest.raises(InputError, match="one number a row"):
        scores(lambda t, x: jnp.sum(gamma(t, x)), THETA, X)
