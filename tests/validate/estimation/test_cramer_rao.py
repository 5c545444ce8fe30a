"""The bound by hand, for known biases, and that information with an error passes it on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError, NumericalError
from credo.numerics import Certificate
from credo.validate.estimation import Information, cramer_rao, expected_information


def test_unbiased_is_the_inverse():
    matrix = np.array([[2.0, 0.3], [0.3, 1.0]])
    bound = cramer_rao(matrix, [0.0, 1.0], rows=5)
    np.testing.assert_allclose(bound.covariance, np.linalg.inv(5.0 * matrix))
    np.testing.assert_allclose(bound.mean_squared_error, bound.covariance)
    assert bound.certificate.kind == "exact"


def test_shrinkage_attains_the_biased_bound():
    # c x̄ has bias (c − 1)μ and mean squared error c²σ²/n + (1 − c)²μ²: of all with that bias none is better.
    c, mean, variance, n = 0.7, 1.3, 2.0, 12
    bound = cramer_rao([[1.0 / variance]], mean, rows=n, bias=lambda t: (c - 1.0) * t)
    np.testing.assert_allclose(bound.covariance, [[c**2 * variance / n]])
    np.testing.assert_allclose(bound.mean_squared_error, [[c**2 * variance / n + (1 - c) ** 2 * mean**2]])


def test_a_function_of_the_parameters():
    # The coefficient of variation of a normal, by the chain rule on I = diag(1, 2)/σ².
    mean, scale, n = 2.0, 0.5, 30
    information = np.diag([1.0, 2.0]) / scale**2
    bound = cramer_rao(information, [mean, scale], rows=n, estimand=lambda t: t[1] / t[0])
    gradient = np.array([-scale / mean**2, 1.0 / mean])
    np.testing.assert_allclose(bound.covariance, [[gradient @ np.linalg.inv(n * information) @ gradient]])


def test_a_bias_that_varies_mixes_parameters():
    matrix = np.diag([4.0, 1.0])
    bound = cramer_rao(matrix, [1.0, 2.0], bias=lambda t: jnp.array([t[1] ** 2, 0.0]))
    slope = np.array([[1.0, 4.0], [0.0, 1.0]])  # I + b'
    expected = slope @ np.diag([0.25, 1.0]) @ slope.T
    np.testing.assert_allclose(bound.covariance, expected)
    np.testing.assert_allclose(bound.mean_squared_error, expected + np.diag([16.0, 0.0]))


def test_the_error_of_the_information_is_passed_on():
    def rate(theta, x):
        return jnp.log(theta[0]) - theta[0] * x

    n, truth = 10, 2.0
    found = [
        expected_information(
            rate, truth, sampler=lambda t, m, key: jax.random.exponential(key, (m,)) / t[0], draws=500, random_state=i
        )
        for i in range(40)
    ]
    bounds = [cramer_rao(one, truth, rows=n) for one in found]
    spread = np.std([b.covariance[0, 0] for b in bounds], ddof=1)
    stated = np.mean([b.certificate.error for b in bounds])
    assert 0.7 < stated / spread < 1.4  # of one parameter the bound on the error is the error
    assert abs(np.mean([b.covariance[0, 0] for b in bounds]) - truth**2 / n) < 4 * spread / np.sqrt(40) + 0.01
    assert bounds[0].certificate.kind == "estimated"


def test_what_is_refused():
    with pytest.raises(NumericalError, match="cramer_rao: the information is not positive definite"):
        cramer_rao([[1.0, 1.0], [1.0, 1.0]], [0.0, 0.0])
    with pytest.raises(InputError, match="for 3 parameters"):
        cramer_rao(np.eye(2), [0.0, 0.0, 0.0])
    with pytest.raises(InputError, match="rows is 0"):
        cramer_rao(np.eye(2), [0.0, 0.0], rows=0)
    with pytest.raises(InputError, match="a bias of shape"):
        cramer_rao(np.eye(2), [0.0, 0.0], bias=lambda t: t[0])
    with pytest.raises(InputError, match="not finite"):
        cramer_rao([[1.0]], 0.0, estimand=jnp.sqrt)
    exact = Information(np.eye(1), np.zeros((1, 1)), Certificate("exact"))
    np.testing.assert_allclose(cramer_rao(exact, 1.0).covariance, 1.0)
