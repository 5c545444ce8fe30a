"""The incomplete Beta function against quadrature in 30 digits and against SciPy, small to very large parameters."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest
import scipy.special
import scipy.stats

from credo.beliefs import Beta, Binomial, NegativeBinomial
from credo.beliefs.incomplete_beta import incomplete_beta

compiled = jax.jit(incomplete_beta)
SIZE = 200  # times 48 nodes is more than XLA puts into one plain loop


def exact_tails(a, b, x):
    """I_x(a, b) and 1 − I_x(a, b) in 30 digits: the smaller by quadrature in log odds, in panels of growing length."""
    with mp.workdps(30):
        a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
        u, log_b = mp.log(x / (1 - x)), mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
        below = x <= a / (a + b)
        sign, slow = (-1, a) if below else (1, b)
        ends, step = [mp.mpf(0)], 1 / mp.sqrt(x * (1 - x) * (a + b))
        while ends[-1] < 80 / slow + 40 / mp.sqrt(x * (1 - x) * (a + b)):
            ends.append(ends[-1] + step)
            step *= 1.3
        density = lambda t: mp.exp(-a * mp.log1p(mp.exp(-t)) - b * mp.log1p(mp.exp(t)) - log_b)  # noqa: E731
        tail = mp.quad(lambda t: density(u + sign * t), ends)
        lower, upper = (tail, 1 - tail) if below else (1 - tail, tail)
        return float(lower), float(upper)


@pytest.mark.parametrize(
    ("a", "b"), [(101.0, 100.0), (0.5, 1e6), (1e6, 3.0), (1e6, 1e6), (1e7, 2e7), (1e-3, 1e6), (7.9, 1e4)]
)
def test_both_tails_against_30_digits(a, b):
    mean, error = a / (a + b), []
    for z in (-3.0, 0.0, 0.4, 2.0):
        x = mean + z * np.sqrt(mean * (1 - mean) / (a + b + 1))
        x = mean * 0.1 if x <= 0.0 else 1 - (1 - mean) * 0.1 if x >= 1.0 else x
        lower, upper = exact_tails(a, b, x)
        error += [compiled(a, b, x, 1 - x) / lower - 1, compiled(b, a, 1 - x, x) / upper - 1]
    assert np.max(np.abs(error)) < 1e-16 * (1000 + 4 * np.sqrt(a + b))


def grid(size):
    rng = np.random.default_rng(0)
    a, b = 10.0 ** rng.uniform(-2, 7, (2, size))
    x = rng.beta(a, b)
    inside = (x > 1e-300) & (x < 1.0)
    return a[inside], b[inside], x[inside]


def test_many_parameters_against_scipy():
    """Both lose a few units of the last place of x times √(a + b)."""
    a, b, x = grid(5000)
    np.testing.assert_allclose(compiled(a, b, x, 1 - x), scipy.special.betainc(a, b, x), rtol=3e-12, atol=3e-12)


@pytest.mark.parametrize("shape", [(), (3,), (SIZE,), (SIZE, 3)])
def test_one_by_one_is_all_at_once(shape):
    """Fused into one sum, two logarithms of different numbers came out as one of them (jaxlib 0.10.2)."""
    a, b = np.full(shape, 2e5), np.full(shape, 3e5)
    x = np.broadcast_to(np.linspace(0.398, 0.402, 7)[np.arange(np.prod(shape, dtype=int)).reshape(shape) % 7], shape)
    np.testing.assert_allclose(compiled(a, b, x, 1 - x), scipy.special.betainc(a, b, x), rtol=1e-12)


def test_ends_and_missing_values():
    x = np.array([0.0, 1.0, np.nan, 1e-300])
    for a, b in [(2e4, 3e4), (0.01, 3e4), (2.0, 3.0)]:
        expected = scipy.special.betainc(a, b, x)
        np.testing.assert_allclose(compiled(np.full(4, a), np.full(4, b), x, 1 - x), expected, rtol=1e-13)


def test_it_rises_everywhere_and_meets_itself_where_the_methods_meet():
    x = jnp.linspace(0.45, 0.55, 4001)
    assert np.all(np.diff(compiled(1e5, 1e5, x, 1 - x)) >= 0.0)
    a = jnp.array([100.0, 100.0 * (1 + 1e-15)])
    np.testing.assert_allclose(*compiled(a, 40.0, 0.7, 0.3), rtol=1e-12)


def test_the_derivative_in_x_is_the_density():
    x = np.array([0.398, 0.4, 0.4005])
    slope = jax.jit(jax.vmap(jax.grad(lambda x: incomplete_beta(2e5, 3e5, x, 1.0 - x))))(x)
    np.testing.assert_allclose(slope, scipy.stats.beta(2e5, 3e5).pdf(x), rtol=1e-9)


def test_the_families_with_a_million_of_everything():
    """Reference values from 30 digits, by the identities of Johnson, Kemp and Kotz (2005), eqs. 3.37 and 5.31."""
    n, k, p = 2_000_000, 1_000_500, 0.5
    lower, _ = exact_tails(n - k, k + 1, 1 - p)
    np.testing.assert_allclose(Binomial(n, p).cdf(k), lower, rtol=1e-12)
    r, k, p = 1e6, 999_000, 0.5
    np.testing.assert_allclose(NegativeBinomial(r, p).cdf(k), exact_tails(r, k + 1, p)[0], rtol=1e-12)
    a, b, x = 1e6, 3e6, 0.2502
    np.testing.assert_allclose(Beta(a, b).cdf(x), exact_tails(a, b, x)[0], rtol=1e-12)
    np.testing.assert_allclose(Beta(a, b).quantile(Beta(a, b).cdf(x)), x, rtol=1e-13)
