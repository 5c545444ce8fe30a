"""The arc-cosine kernel against the integral that defines it, and close to coincident points against many digits."""

import jax
import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

from credo.errors import InputError
from credo.kernels import ArcCosine

WEIGHT, BIAS = 0.6, 0.9


def hidden_layer(x, z, order):
    """2 E max(0, w·x)^n max(0, w·z)^n over standard normal w in the plane of (input, bias), in polar coordinates."""
    vectors = [np.array([np.sqrt(WEIGHT) * point, np.sqrt(BIAS)]) for point in (x, z)]
    lengths = [np.linalg.norm(v) for v in vectors]
    angles = [np.arctan2(v[1], v[0]) for v in vectors]
    low, high = max(angles) - np.pi / 2, min(angles) + np.pi / 2  # where both are active
    around, _ = quad(lambda a: (np.cos(a - angles[0]) * np.cos(a - angles[1])) ** order, low, high, epsabs=1e-13)
    radius = (1.0, 2.0, 8.0)[order]  # the mean of r^(2n) in the plane
    return 2.0 * radius * (lengths[0] * lengths[1]) ** order * around / (2.0 * np.pi)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_is_twice_the_mean_product_of_two_hidden_units(order):
    points = np.array([[-2.0], [-0.1], [0.5], [3.0]])
    kernel = ArcCosine(order, 1.5, WEIGHT, BIAS)
    expected = [[1.5 * hidden_layer(x, z, order) for z in points[:, 0]] for x in points[:, 0]]
    np.testing.assert_allclose(kernel(points), expected, rtol=1e-11)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_close_to_coincident_points_against_many_digits(order):
    x, h = 0.3, 1e-7

    def exact(t):
        x1, x2 = mpmath.mpf(x), mpmath.mpf(x) + t
        product = WEIGHT * x1 * x2 + BIAS
        lengths = mpmath.sqrt(WEIGHT * x1**2 + BIAS) * mpmath.sqrt(WEIGHT * x2**2 + BIAS)
        theta = mpmath.acos(product / lengths)
        sin, cos, rest = mpmath.sin(theta), mpmath.cos(theta), mpmath.pi - theta
        return lengths**order * (rest, sin + rest * cos, 3 * sin * cos + rest * (1 + 2 * cos**2))[order] / mpmath.pi

    with mpmath.workdps(60):
        wanted = [float(mpmath.diff(exact, mpmath.mpf(h), n)) for n in range(3 if order else 2)]
    kernel = ArcCosine(order, 1.0, WEIGHT, BIAS)
    function = lambda z: kernel.of(x, z)  # noqa: E731
    found = jax.jit(lambda z: (function(z), jax.grad(function)(z), jax.grad(jax.grad(function))(z)))(x + h)
    np.testing.assert_allclose(found[: len(wanted)], wanted, rtol=1e-8)  # h itself has nine digits in x + h


def test_at_coincident_points_order_zero_has_the_symmetric_derivative():
    kernel = ArcCosine(0, 1.0, WEIGHT, BIAS)
    assert float(jax.jit(jax.grad(lambda x: kernel.of(x, 0.3)))(0.3)) == 0.0


def test_opposite_directions_meet_no_common_unit():
    kernel = ArcCosine(1, bias_variance=1e-30)
    np.testing.assert_allclose(kernel([[1.0]], [[-1.0]]), 0.0, atol=1e-15)


def test_what_is_refused():
    with pytest.raises(InputError, match="order=3"):
        ArcCosine(3)
    with pytest.raises(InputError, match="3 weight variances"):
        ArcCosine(weight_variance=np.ones(3))(np.zeros((2, 2)))
