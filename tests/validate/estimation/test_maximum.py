"""Maximum likelihood against closed forms and statsmodels, free and restricted."""

import jax.numpy as jnp
import numpy as np
import pytest
import statsmodels.api as sm

from credo.errors import ConvergenceWarning, InputError, NumericalError
from credo.validate.estimation import maximum_likelihood
from credo.validate.estimation.likelihood import as_data, as_theta
from credo.validate.estimation.maximum import information_at, maximize
from credo.validate.estimation.restrictions import as_restriction

RNG = np.random.default_rng(0)
Z = np.column_stack([np.ones(120), RNG.normal(size=(120, 2))])
Y = (RNG.random(120) < 1 / (1 + np.exp(-Z @ [0.2, 1.0, -0.5]))).astype(float)


def logistic(beta, data):
    Z, y = data
    eta = Z @ beta
    return y * eta - jnp.logaddexp(0.0, eta)


def normal(theta, x):
    """Mean and log scale."""
    return -theta[1] - 0.5 * ((x - theta[0]) / jnp.exp(theta[1])) ** 2


def test_like_statsmodels():
    mine = maximum_likelihood(logistic, (Z, Y), np.zeros(3), names=["one", "a", "b"])
    theirs = sm.Logit(Y, Z).fit(disp=0, tol=1e-12)
    np.testing.assert_allclose(mine.value.values, theirs.params, rtol=1e-7)
    np.testing.assert_allclose(mine.value.covariance, theirs.cov_params(), rtol=1e-6)
    np.testing.assert_allclose(mine.info["log_likelihood"], theirs.llf, rtol=1e-10)
    assert mine.value.names == ("one", "a", "b")
    assert mine.certificate.converged


def test_which_information():
    x = RNG.normal(3.0, 2.0, size=200)
    mean, scale = np.mean(x), np.std(x)
    expected = {"observed": np.diag([1 / scale**2, 2.0]) * 200}
    z = (x - mean) / scale
    rows = np.column_stack([z / scale, z**2 - 1.0])
    expected["scores"] = rows.T @ rows
    for kind, matrix in expected.items():
        found = maximum_likelihood(normal, x, [0.0, 0.0], information=kind)
        np.testing.assert_allclose(found.value.values, [mean, np.log(scale)], rtol=1e-8)
        np.testing.assert_allclose(found.value.covariance, np.linalg.inv(matrix), rtol=1e-5, atol=1e-12)
    by_hand = maximum_likelihood(normal, x, [0.0, 0.0], information=lambda t: np.diag([np.exp(-2 * t[1]), 2.0]) * 200)
    np.testing.assert_allclose(by_hand.value.covariance, np.linalg.inv(expected["observed"]), rtol=1e-7)


def test_restricted_to_a_line_and_to_a_curve():
    x = RNG.normal(1.0, 2.0, size=80)
    rows, start = as_data("t", x), as_theta("t", [0.0, 0.0])
    line = maximize("t", normal, rows, start, as_restriction("t", [[1.0, 0.0]], 0.5, start))
    np.testing.assert_allclose(line.theta, [0.5, 0.5 * np.log(np.mean((x - 0.5) ** 2))], rtol=1e-9)
    # Mean equal to scale: σ² + σ x̄ = mean of x² (set the derivative of the likelihood along the curve to zero).
    curve = maximize("t", normal, rows, start, as_restriction("t", lambda t: t[0] - jnp.exp(t[1]), 0.0, start))
    sigma = 0.5 * (-np.mean(x) + np.sqrt(np.mean(x) ** 2 + 4 * np.mean(x**2)))
    np.testing.assert_allclose(curve.theta, [sigma, np.log(sigma)], rtol=1e-8)
    point = maximize("t", normal, rows, start, as_restriction("t", np.eye(2), [1.0, 0.3], start))
    np.testing.assert_allclose(point.theta, [1.0, 0.3])


def test_no_finite_maximum_is_told():
    x = np.linspace(-1.0, 1.0, 20)
    data = (x[:, None], (x > 0.0).astype(float))  # separated: the slope wants to be infinite
    with pytest.warns(ConvergenceWarning):
        found = maximum_likelihood(logistic, data, [0.0])
    assert not found.certificate.converged


def test_what_is_refused():
    x = np.array([1.0, 2.0, 4.0])
    with pytest.raises(InputError, match="names for 2"):
        maximum_likelihood(normal, x, [0.0, 0.0], names=["a"])
    with pytest.raises(NumericalError, match="not positive definite"):  # only the sum of the two is told
        maximum_likelihood(lambda t, x: -0.5 * (x - t[0] - t[1]) ** 2, x, [0.0, 0.0])
    with pytest.raises(NumericalError):
        maximum_likelihood(lambda t, x: jnp.log(t[0]) - t[0] * x, x, [-1.0])
    with pytest.raises(InputError, match="is not known"):
        information_at(normal, np.zeros(2), as_data("t", x), "hessian")
