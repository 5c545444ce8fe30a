"""Fisher information: textbook values, one way against another, and the refusal where there is none."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from credo.beliefs import Gamma, Laplace, MultivariateNormal, Normal, Poisson, StudentT
from credo.errors import InputError
from credo.validate.estimation import expected_information, family_information


def test_families_in_their_own_parameters():
    scale = 1.7
    np.testing.assert_allclose(
        family_information(lambda t: Normal(t[0], t[1]), [0.3, scale]).value,
        np.diag([1.0, 2.0]) / scale**2,
        atol=1e-12,
    )
    np.testing.assert_allclose(family_information(Poisson, 2.5).value, [[1 / 2.5]])
    a, rate = 3.0, 2.0
    expected = [[special.polygamma(1, a), -1 / rate], [-1 / rate, a / rate**2]]
    found = family_information(lambda t: Gamma(t[0], t[1]), [a, rate])
    np.testing.assert_allclose(found.value, expected, rtol=1e-10)
    assert found.certificate.kind == "exact"


def test_a_vector_valued_family():
    cov = np.array([[2.0, 0.5], [0.5, 1.0]])
    found = family_information(lambda t: MultivariateNormal(t, cov), [1.0, -1.0])
    np.testing.assert_allclose(found.value, np.linalg.inv(cov), atol=1e-10)


def poisson(theta, k):
    return k * jnp.log(theta[0]) - theta[0] - jax.scipy.special.gammaln(k + 1.0)


def test_listing_the_values():
    found = expected_information(poisson, 2.5, support=np.arange(60))
    np.testing.assert_allclose(found.value, [[1 / 2.5]], rtol=1e-9)
    assert found.certificate.kind == "exact"
    with pytest.raises(InputError, match="add up to"):
        expected_information(poisson, 2.5, support=np.arange(5))


@pytest.mark.parametrize("draws", [4000, 25_000])
def test_simulation_within_its_errors(draws):
    nu = 5.0
    student = family_information(lambda t: StudentT(nu, t[0], t[1]), [1.0, 2.0], draws=draws, random_state=0)
    # Lange, Little & Taylor (1989), appendix B, per unit of scale.
    expected = np.diag([(nu + 1) / (nu + 3), 2 * nu / (nu + 3)]) / 4.0
    assert np.all(np.abs(student.value - expected) < 4.0 * student.standard_error)
    assert student.certificate.kind == "estimated"
    assert 0.0 < student.certificate.error < 1.0 / np.sqrt(draws)


def test_errors_are_those_of_repetition():
    def found(seed):
        return expected_information(
            poisson, 2.0, sampler=lambda t, n, key: jax.random.poisson(key, t[0], (n,)), draws=200, random_state=seed
        )

    many = [found(seed) for seed in range(60)]
    spread = np.std([f.value[0, 0] for f in many], ddof=1)
    assert 0.7 < np.mean([f.standard_error[0, 0] for f in many]) / spread < 1.4


def test_a_score_that_jumps():
    # Second derivatives of a Laplace density say zero; the information about its location is 1/b².
    found = family_information(lambda t: Laplace(t[0], 2.0), 0.0, draws=500, random_state=0)
    np.testing.assert_allclose(found.value, [[0.25]])


def test_no_information_where_there_is_none():
    def uniform(theta, x):
        return jnp.where(x <= theta[0], -jnp.log(theta[0]), -jnp.inf)

    with pytest.raises(InputError, match="mean score of parameter 0"):
        expected_information(uniform, 2.0, sampler=lambda t, n, key: t[0] * jax.random.uniform(key, (n,)))
    with pytest.raises(InputError, match="another distribution"):
        expected_information(poisson, 2.0, sampler=lambda t, n, key: jax.random.poisson(key, 3.0, (n,)))


def test_what_is_refused():
    with pytest.raises(InputError, match="both given, or neither"):
        expected_information(poisson, 2.0)
    draw = lambda t, n, key: jax.random.poisson(key, t[0], (n,))  # noqa: E731
    with pytest.raises(InputError, match="draws is 1"):
        expected_information(poisson, 2.0, sampler=draw, draws=1)
    with pytest.raises(InputError, match="7 rows for n=50"):
        expected_information(poisson, 2.0, sampler=lambda t, n, key: draw(t, 7, key), draws=50)
    with pytest.raises(InputError, match="one number a row"):
        expected_information(lambda t, k: jnp.sum(poisson(t, k)), 2.0, sampler=draw)
    with pytest.raises(InputError, match="a batch of several"):
        family_information(lambda t: Normal(t, 1.0), [0.0, 1.0])
