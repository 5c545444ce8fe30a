"""Averages over intervals and normals on the line, against adaptive integration of textbook correlations."""

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from credo.kernels import RBF, Matern12, Matern32, Matern52
from credo.kernels.expectations_interval import gaussian_mean, interval_double_mean, interval_mean

ROOT3, ROOT5 = mpmath.sqrt(3), mpmath.sqrt(5)
CORRELATIONS = {
    RBF: lambda t: mpmath.exp(-(t**2) / 2),
    Matern12: lambda t: mpmath.exp(-t),
    Matern32: lambda t: (1 + ROOT3 * t) * mpmath.exp(-ROOT3 * t),
    Matern52: lambda t: (1 + ROOT5 * t + 5 * t**2 / 3) * mpmath.exp(-ROOT5 * t),
}
on_kernels = pytest.mark.parametrize(
    "kernel", [RBF(), Matern12(), Matern32(), Matern52()], ids=lambda k: type(k).__name__
)
ROUGH = [Matern12(), Matern32(), Matern52()]

# (x, low, high): inside and outside, narrow and wide, at an end.
POINTS = [(0.3, 0, 1e-6), (0, 0, 1e-4), (5e-5, 0, 1e-4), (0.3, 0.1, 0.6), (0.3, 0.1, 4), (-3, 0, 2), (5, 0, 0.5)]
# Two intervals: the same, overlapping, apart; narrow and wide.
PAIRS = [
    ((0, 1e-3), (0, 1e-3)),
    ((0, 3), (0, 3)),
    ((0, 0.5), (0.2, 3)),
    ((0.2, 3), (0, 0.5)),
    ((0, 0.01), (0.005, 0.02)),
    ((0, 2), (5, 7)),
    ((0, 0.1), (2, 2.01)),
]
_mean, _double, _gaussian = map(eqx.filter_jit, (interval_mean, interval_double_mean, gaussian_mean))


def integral(correlation, x, low, high):
    cuts = [low, x, high] if low < x < high else [low, high]
    return mpmath.quad(lambda z: correlation(abs(x - z)), cuts)


@on_kernels
def test_mean_over_an_interval(kernel):
    x, low, high = (jnp.array(ends, dtype=float) for ends in zip(*POINTS, strict=True))
    expected = [integral(CORRELATIONS[type(kernel)], *map(mpmath.mpf, p)) / (mpmath.mpf(p[2]) - p[1]) for p in POINTS]
    np.testing.assert_allclose(_mean(kernel, x, low, high), np.array(expected, dtype=float), rtol=1e-10, atol=1e-15)


@pytest.mark.slow
@on_kernels
def test_mean_over_two_intervals(kernel):
    correlation = CORRELATIONS[type(kernel)]

    def double(first, second):
        (a, b), (c, d) = (tuple(map(mpmath.mpf, ends)) for ends in (first, second))
        cuts = sorted({a, b} | {end for end in (c, d) if a < end < b})
        return mpmath.quad(lambda z: integral(correlation, z, c, d), cuts) / ((b - a) * (d - c))

    first, second = (tuple(np.array([p[i] for p in PAIRS], dtype=float).T) for i in (0, 1))
    got = _double(kernel, tuple(map(jnp.asarray, first)), tuple(map(jnp.asarray, second)))
    np.testing.assert_allclose(got, np.array([double(*p) for p in PAIRS], dtype=float), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kernel", ROUGH, ids=lambda k: type(k).__name__)
def test_mean_over_a_normal(kernel):
    cases = [(0.0, 1.0), (0.5, 1e-3), (0.5, 0.1), (-3.0, 0.5), (30.0, 100.0), (2.0, 5.0), (10.0, 0.01)]

    def expected(m, s):
        low, high = max(m - 12 * s, -60.0), min(m + 12 * s, 60.0)
        inner = [0, m, m - s, m + s, m - 3 * s, m + 3 * s, -1, 1, -5, 5, -20, 20]
        cuts = sorted({low, high} | {cut for cut in inner if low < cut < high})
        density = lambda t: mpmath.exp(-(((t - m) / s) ** 2) / 2) / (s * mpmath.sqrt(2 * mpmath.pi))  # noqa: E731
        return mpmath.quad(lambda t: CORRELATIONS[type(kernel)](abs(t)) * density(t), cuts)

    distance, scale = (jnp.array(values) for values in zip(*cases, strict=True))
    truth = np.array([expected(*case) for case in cases], dtype=float)
    np.testing.assert_allclose(_gaussian(kernel, distance, scale), truth, rtol=1e-12)
    np.testing.assert_allclose(_gaussian(kernel, -distance, scale), truth, rtol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(), Matern12()], ids=lambda k: type(k).__name__)
def test_derivatives_in_the_ends(kernel):
    """Of narrow and wide intervals, around x and beside it, by central differences; none is NaN in either branch."""

    def of(ends):
        x, low, high = ends
        single = interval_mean(kernel, x, low, high)
        return jnp.sum(single) + jnp.sum(interval_double_mean(kernel, (low, high), (low + 0.1, high + 0.3)))

    at = jnp.array([[0.3, 0.31, 0.9], [0.1, 0.1, 2.0], [0.5, 0.5, 5.0]])  # rows x, low, high; columns cases
    slopes = np.asarray(jax.jit(jax.grad(of))(at))
    value, step = jax.jit(of), 1e-6
    for i in range(3):
        for j in range(3):
            shift = jnp.zeros((3, 3)).at[i, j].set(step)
            difference = (value(at + shift) - value(at - shift)) / (2.0 * step)
            np.testing.assert_allclose(slopes[i, j], difference, rtol=1e-6, atol=1e-8)
