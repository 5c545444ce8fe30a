"""InverseGaussian: tails that the textbook formula loses, and first passage."""

import mpmath
import numpy as np
import pytest

from credo.beliefs import InverseGaussian

CASES = [(1.0, 1e5, 1.001), (1.0, 400.0, 2.0), (2.0, 0.01, 1e3), (3.0, 5.0, 0.05)]


@pytest.mark.parametrize(("mean", "shape", "x"), CASES)
def test_both_tails_keep_their_digits(mean, shape, x):
    with mpmath.workdps(60):
        m, s, t = mpmath.mpf(mean), mpmath.mpf(shape), mpmath.mpf(x)
        root = mpmath.sqrt(s / t)
        lower = mpmath.ncdf(root * (t / m - 1)) + mpmath.exp(2 * s / m) * mpmath.ncdf(-root * (t / m + 1))
    belief = InverseGaussian(mean, shape)
    np.testing.assert_allclose(belief.cdf(x), float(lower), rtol=1e-11)
    if lower < 1 - 1e-9:  # above, a probability has not the digits
        np.testing.assert_allclose(belief.quantile(float(lower)), x, rtol=1e-9)


def test_ends():
    belief = InverseGaussian(1.0, 2.0)
    np.testing.assert_array_equal(belief.quantile(np.array([0.0, 1.0])), [0.0, np.inf])
    np.testing.assert_array_equal(belief.cdf(np.array([-1.0, 0.0, np.inf])), [0.0, 0.0, 1.0])


def test_sum_of_first_passages_is_the_passage_of_the_sum():
    """Levels a and b one after the other: IG(a/v, a²) + IG(b/v, b²) = IG((a+b)/v, (a+b)²)."""
    first, second, both = (InverseGaussian(level / 0.5, level**2) for level in (1.0, 2.0, 3.0))
    draws = np.asarray(first.sample(20_000, random_state=0) + second.sample(20_000, random_state=1))
    shares = np.mean(draws[:, None] <= np.asarray(both.quantile(np.array([0.1, 0.5, 0.9]))), axis=0)
    np.testing.assert_allclose(shares, [0.1, 0.5, 0.9], atol=4 * 0.5 / np.sqrt(20_000))
