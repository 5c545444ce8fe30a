"""The stationary kernels against scikit-learn, and their derivatives at coincident points against the textbook."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from sklearn.gaussian_process import kernels as peers

from credo.errors import InputError
from credo.kernels import RBF, Matern12, Matern32, Matern52, RationalQuadratic

SCALES = np.array([0.7, 2.0])
X = np.random.default_rng(0).normal(size=(9, 2))
Z = np.random.default_rng(1).normal(size=(4, 2))


@pytest.mark.parametrize(
    ("kernel", "peer"),
    [
        (RBF(1.5, SCALES), 1.5 * peers.RBF(SCALES)),
        (Matern12(1.5, SCALES), 1.5 * peers.Matern(SCALES, nu=0.5)),
        (Matern32(1.5, SCALES), 1.5 * peers.Matern(SCALES, nu=1.5)),
        (Matern52(1.5, SCALES), 1.5 * peers.Matern(SCALES, nu=2.5)),
        (RationalQuadratic(1.5, 0.7, alpha=0.6), 1.5 * peers.RationalQuadratic(0.7, alpha=0.6)),
    ],
    ids=lambda kernel: type(kernel).__name__,
)
def test_equals_scikit_learn(kernel, peer):
    np.testing.assert_allclose(kernel(X, Z), peer(X, Z), rtol=1e-13)
    np.testing.assert_allclose(kernel(X), peer(X), rtol=1e-13)


@pytest.mark.parametrize(
    ("kernel", "second", "fourth"),
    [
        # ρ as a series in r: 1 - a r²/2 + b r⁴/24 + ..., with b where there is a fourth derivative
        (RBF(2.0, 0.5), 1.0, 3.0),
        (Matern32(2.0, 0.5), 3.0, None),
        (Matern52(2.0, 0.5), 5.0 / 3.0, 25.0),
        (RationalQuadratic(2.0, 0.5, alpha=0.6), 1.0, 3.0 * (1.0 + 1.0 / 0.6)),
    ],
    ids=lambda kernel: type(kernel).__name__,
)
def test_derivatives_at_coincident_points_are_those_of_the_series(kernel, second, fourth):
    def slopes(k):
        return jax.grad(jax.grad(k, 0), 1)

    of_slopes = slopes(kernel.of)
    found, of_curvatures = jax.jit(lambda x, z: (of_slopes(x, z), slopes(of_slopes)(x, z)))(0.3, 0.3)
    np.testing.assert_allclose(found, 2.0 * second / 0.5**2, rtol=1e-13)
    if fourth is not None:
        np.testing.assert_allclose(of_curvatures, 2.0 * fourth / 0.5**4, rtol=1e-12)


def test_matern32_close_to_coincident_points_against_many_digits():
    """Through a square root of the distance, half of the digits would be lost."""
    r = 1e-9

    def exact(h):
        return (1 + mpmath.sqrt(3) * abs(h)) * mpmath.exp(-mpmath.sqrt(3) * abs(h))

    with mpmath.workdps(60):
        wanted = [float(mpmath.diff(exact, mpmath.mpf(r), n)) for n in (0, 1, 2)]
    function = lambda x: Matern32().of(x, 0.0)  # noqa: E731
    found = jax.jit(lambda x: (function(x), jax.grad(function)(x), jax.grad(jax.grad(function))(x)))(r)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_matern12_has_the_symmetric_derivative_at_coincident_points():
    assert float(jax.jit(jax.grad(lambda x: Matern12().of(x, 0.5)))(0.5)) == 0.0


def test_length_scales_and_columns_that_do_not_fit():
    with pytest.raises(InputError, match="Matern52: X has 2 columns, but the kernel was given 3 length-scales"):
        Matern52(lengthscale=np.ones(3))(X)
    with pytest.raises(InputError, match=r"RBF: lengthscale is -1\.?, but must be positive"):
        RBF(lengthscale=-1.0)


@pytest.mark.parametrize("kernel", [Matern12, Matern32, Matern52])
def test_coincident_points_however_it_is_compiled(kernel):
    """XLA computes a distance again wherever it is used, and may round it differently there."""
    points = jnp.asarray(X[:, :1])

    def covariance(u):
        return u[0] * kernel().of_squared_distance((points / u[1] - points.T / u[1]) ** 2)

    jacobian = jax.jit(jax.vmap(jax.jacfwd(covariance)))(jnp.array([[0.8, 0.9], [0.5, 0.4]]))
    np.testing.assert_allclose(jnp.diagonal(jacobian[..., 0], axis1=1, axis2=2), 1.0, rtol=1e-14)
    np.testing.assert_allclose(jnp.diagonal(jacobian[..., 1], axis1=1, axis2=2), 0.0, atol=1e-14)
