"""Rules are exact to the degree they claim, against moments written another way, and stay so when they are large."""

import numpy as np
import pytest
from scipy import integrate
from scipy.special import eval_chebyt, eval_chebyu, eval_legendre, gammaln

from credo.errors import InputError
from credo.numerics import (
    clenshaw_curtis,
    gauss_chebyshev,
    gauss_hermite,
    gauss_laguerre,
    gauss_legendre,
    gauss_normal,
    tensor_rule,
)

SIZES = [1, 2, 3, 7, 20, 64, 500]


def relative_moments(rule, degrees, log_moment):
    """Σ w |x|^k / moment in logarithms, so that degree 999 does not overflow."""
    kept = rule.weights > 0
    with np.errstate(divide="ignore"):
        log_x = np.where(rule.nodes[kept] == 0, -np.inf, np.log(np.abs(rule.nodes[kept])))
    powers = np.where(degrees[:, None] == 0, 0.0, degrees[:, None] * np.where(degrees[:, None] == 0, 0.0, log_x))
    return np.sum(np.exp(np.log(rule.weights[kept]) + powers - log_moment(degrees)[:, None]), axis=1)


@pytest.mark.parametrize("n", SIZES)
def test_hermite_has_the_moments_of_the_normal(n):
    def log_normal_moment(k):  # (k - 1)!! for even k
        return gammaln(k + 1) - gammaln(k / 2 + 1) - 0.5 * k * np.log(2.0)

    degrees = np.arange(0, 2 * n, 2, dtype=float)
    normal = gauss_normal(n)
    np.testing.assert_allclose(relative_moments(normal, degrees, log_normal_moment), 1.0, rtol=1e-14 * (20 + 4 * n))
    physicists = gauss_hermite(n)
    log_moment = lambda k: gammaln(0.5 * (k + 1))  # noqa: E731  ∫ |x|^k exp(-x²) dx
    np.testing.assert_allclose(relative_moments(physicists, degrees, log_moment), 1.0, rtol=1e-14 * (20 + 4 * n))
    for rule in (normal, physicists):  # odd moments vanish by symmetry
        np.testing.assert_allclose(rule.nodes, -rule.nodes[::-1], atol=1e-12)
        np.testing.assert_allclose(rule.weights, rule.weights[::-1], rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("alpha", [0.0, 2.5, -0.5])
def test_laguerre_has_the_moments_of_the_gamma(n, alpha):
    degrees = np.arange(min(2 * n, 400), dtype=float)  # beyond, the mass lies where weights are below 1e-308
    moments = relative_moments(gauss_laguerre(n, alpha), degrees, lambda k: gammaln(k + alpha + 1.0))
    np.testing.assert_allclose(moments, 1.0, rtol=1e-14 * (20 + 20 * n))


@pytest.mark.parametrize("n", [150, 151, 152])
def test_laguerre_does_not_jump_where_the_method_changes(n):
    value = gauss_laguerre(n, 0.5).integrate(np.cos)
    exact = np.real(np.exp(gammaln(1.5)) * (1.0 - 1.0j) ** -1.5)  # ∫ x^½ e^{-x} e^{ix} dx = Γ(3/2) (1 - i)^(-3/2)
    np.testing.assert_allclose(value, exact, rtol=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_legendre_integrates_legendre_polynomials_on_any_interval(n):
    low, high = -0.7, 3.1
    rule = gauss_legendre(n, low, high)
    unit = 2.0 * (rule.nodes - low) / (high - low) - 1.0
    k = np.arange(min(2 * n, 300))
    sums = eval_legendre(k[:, None], unit[None, :]) @ rule.weights
    np.testing.assert_allclose(sums, np.where(k == 0, high - low, 0.0), atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_chebyshev_integrates_its_own_polynomials(n):
    k = np.arange(2 * n)
    first, second = gauss_chebyshev(n, 1), gauss_chebyshev(n, 2)
    np.testing.assert_allclose(eval_chebyt(k[:, None], first.nodes) @ first.weights, np.pi * (k == 0), atol=1e-11)
    np.testing.assert_allclose(
        eval_chebyu(k[:, None], second.nodes) @ second.weights, 0.5 * np.pi * (k == 0), atol=1e-11
    )


@pytest.mark.parametrize("n", SIZES[1:])
def test_clenshaw_curtis_integrates_chebyshev_polynomials(n):
    rule = clenshaw_curtis(n)
    k = np.arange(n + n % 2)
    even = np.where(k % 2 == 0, k, 0)
    exact = np.where(k % 2 == 0, 2.0 / (1.0 - even**2), 0.0)
    np.testing.assert_allclose(eval_chebyt(k[:, None], rule.nodes) @ rule.weights, exact, atol=1e-13)
    assert (rule.nodes[0], rule.nodes[-1]) == (-1.0, 1.0)


def test_clenshaw_curtis_is_nested():
    coarse, fine = clenshaw_curtis(9, 0.0, 2.0), clenshaw_curtis(17, 0.0, 2.0)
    np.testing.assert_allclose(coarse.nodes, fine.nodes[::2], atol=1e-15)


@pytest.mark.parametrize("rule", [gauss_legendre(40, 0.0, 2.0), clenshaw_curtis(60, 0.0, 2.0)])
def test_rules_agree_with_adaptive_quadrature_on_a_function_that_is_no_polynomial(rule):
    f = lambda x: np.exp(-x) * np.sin(3 * x) / (1 + x**2)  # noqa: E731
    np.testing.assert_allclose(rule.integrate(f), integrate.quad(f, 0.0, 2.0, epsabs=1e-14)[0], rtol=1e-12)


def test_nodes_ascend_and_weights_are_positive():
    small = [gauss_normal(9), gauss_hermite(9), gauss_legendre(9), gauss_laguerre(9), gauss_laguerre(200)]
    for rule in [*small, gauss_chebyshev(9), gauss_chebyshev(9, 2), clenshaw_curtis(9), clenshaw_curtis(10)]:
        assert np.all(np.diff(rule.nodes) > 0)
        assert np.all(rule.weights >= 0)


def test_a_tensor_rule_is_the_expectation_of_independent_normals():
    rule = tensor_rule([gauss_normal(6), gauss_normal(5), gauss_normal(4)])
    value = rule.integrate(lambda z: z[:, 0] ** 4 * z[:, 1] ** 2 * (1.0 + z[:, 2]))
    np.testing.assert_allclose(value, 3.0, rtol=1e-13)
    np.testing.assert_allclose(np.sum(rule.weights), 1.0, rtol=1e-14)


def test_rules_are_shared_so_they_cannot_be_written():
    assert gauss_normal(5).nodes is gauss_normal(5).nodes
    with pytest.raises(ValueError, match="read-only"):
        gauss_normal(5).weights[0] = 1.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: gauss_normal(0),
        lambda: gauss_hermite(-1),
        lambda: gauss_legendre(5, 1.0, 1.0),
        lambda: gauss_legendre(5, 0.0, np.inf),
        lambda: gauss_laguerre(5, -1.0),
        lambda: gauss_laguerre(5, np.nan),
        lambda: gauss_chebyshev(5, 3),
        lambda: clenshaw_curtis(1),
        lambda: clenshaw_curtis(5, 2.0, 1.0),
        lambda: tensor_rule([]),
    ],
)
def test_sizes_and_ranges_that_make_no_rule_are_refused(call):
    with pytest.raises(InputError):
        call()
