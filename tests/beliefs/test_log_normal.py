"""LogNormal: through its logarithm."""

import numpy as np

from credo.beliefs import LogNormal


def test_median_mean_and_mode_by_hand():
    belief = LogNormal(1.0, 0.5)
    np.testing.assert_allclose(belief.quantile(0.5), np.e, rtol=1e-14)
    np.testing.assert_allclose(belief.mean, np.exp(1.125), rtol=1e-14)
    mode = np.exp(1.0 - 0.25)
    assert belief.log_prob(mode) > max(belief.log_prob(mode * 0.99), belief.log_prob(mode * 1.01))


def test_small_scale_keeps_the_digits_of_the_variance():
    np.testing.assert_allclose(LogNormal(0.0, 1e-6).variance, 1e-12, rtol=1e-9)


def test_products_stay_in_the_family():
    first, second = LogNormal(0.3, 0.4), LogNormal(-0.1, 0.3)
    product = LogNormal(0.2, 0.5)
    draws = first.sample(20_000, random_state=0) * second.sample(20_000, random_state=1)
    at = product.quantile(np.array([0.1, 0.5, 0.9]))
    shares = np.mean(np.asarray(draws)[:, None] <= np.asarray(at), axis=0)
    np.testing.assert_allclose(shares, [0.1, 0.5, 0.9], atol=4 * 0.5 / np.sqrt(20_000))
