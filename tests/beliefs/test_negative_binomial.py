"""NegativeBinomial: as a mixture of Poissons, by its mean, and its limit."""

import numpy as np
import pytest

from credo.beliefs import Gamma, NegativeBinomial, Poisson
from credo.errors import InputError


def test_it_is_a_poisson_with_a_gamma_rate():
    rates = Gamma(2.5, 0.8)
    belief = NegativeBinomial(2.5, 0.8 / 1.8)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    rate = 30.0 * (1.0 + nodes)
    for k in (0.0, 3.0, 12.0):
        mixed = np.sum(30.0 * weights * np.exp(rates.log_prob(rate) + Poisson(rate).log_prob(k)))
        np.testing.assert_allclose(np.exp(belief.log_prob(k)), mixed, rtol=1e-6)


def test_from_mean_and_dispersion():
    belief = NegativeBinomial.from_mean(np.array([1.0, 7.0]), 0.25)
    np.testing.assert_allclose(belief.mean, [1.0, 7.0], rtol=1e-13)
    np.testing.assert_allclose(belief.variance, [1.0 + 0.25, 7.0 + 0.25 * 49.0], rtol=1e-13)
    with pytest.raises(InputError):
        NegativeBinomial.from_mean(1.0, -0.5)


def test_no_dispersion_is_the_poisson():
    k = np.arange(30.0)
    nearly = NegativeBinomial.from_mean(6.0, 1e-10)
    np.testing.assert_allclose(nearly.log_prob(k), Poisson(6.0).log_prob(k), atol=1e-6)


@pytest.mark.slow
def test_quantile_steps_exactly_at_the_cdf():
    belief = NegativeBinomial(1.5, 0.3)
    k = np.arange(20.0)
    np.testing.assert_array_equal(belief.quantile(belief.cdf(k)), k)
    np.testing.assert_array_equal(belief.quantile(np.asarray(belief.cdf(k)) * (1 + 1e-9)), k + 1)
