r"""Tails of the normal distribution: accurate where naive formulas underflow or cancel, with accurate derivatives.

Four functions of one variable hang together. With $r(x) = \varphi(x)/\Phi(x)$ and $z \sim \mathcal{N}(0, 1)$,

- $(\log\Phi)' = r$ and $r' = -r\,(x + r)$;
- $x + r = x - \mathbb{E}[z \mid z < x]$, the gap, has derivative $1 - r\,(x + r) = \operatorname{Var}[z \mid z < x]$;
- $\log(\varphi + x\,\Phi) = \log\Phi + \log(x + r)$, whose derivative is $1/(x + r)$.

On the left, gap and variance are differences of nearly equal numbers. There they, and erfcx on the right, are Chebyshev
series in $(t - 4)/(t + 4)$ of functions scaled to a finite limit (the map of Shepherd and Laframboise 1981), with
coefficients computed in 60 digits: the error is a few units in the last place at every argument.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import ndtri as _ndtri
from jaxtyping import ArrayLike

from credo.numerics.scalar import log1m

__all__ = ["erfcx", "inverse_mills", "log_expected_excess", "log_ndtr", "ndtri", "truncated_gap", "truncated_variance"]

_SQRT_2 = float(np.sqrt(2.0))
_SQRT_PI = float(np.sqrt(np.pi))
_SQRT_2_PI = float(np.sqrt(2.0 * np.pi))
_ALL = 1e3  # beyond, exp(-x²/2) is 0 and its inverse infinite

# (1 + 2t) erfcx(t), (1 + t) (λ - t) and (1 + t)² (1 - λ (λ - t)) with λ = φ(t) / Φ(-t), for t ≥ 0.
# fmt: off
_ERFCX = (
    1.1774832005374487, -0.007260796620301901, -0.081265123236185, 0.06009212804122225,
    -0.02875393558027666, 0.01059566336347286, -0.003136927294554264, 0.0007456494372536184,
    -0.0001369696503010054, 1.7183861600300937e-05, -7.158364623450346e-07, -2.4261399442449534e-07,
    5.5765709395703566e-08, -2.1057869513809494e-09, -1.1717889351884957e-09, 1.9098355172456688e-10,
    1.408871764208813e-11, -6.901108320480815e-12, 9.1680e-14, 2.1454508286554553e-13,
    -1.4717e-14, -6.6687e-15, 7.5046e-16, 2.2201e-16,
    -3.1705e-17, -8.1936e-18,
)
_GAP = (
    1.0168805564426282, 0.06385599300140679, -0.11509035595355087, 0.038934029049955285,
    -0.003347370576381033, -0.0017736338770155734, 0.00054076040973986, 3.902404417582679e-05,
    -4.402617067828808e-05, 2.7612076544288964e-06, 2.8674097969311685e-06, -4.995282519092665e-07,
    -1.5806245994487862e-07, 4.938482308086009e-08, 7.114472972821824e-09, -3.943344498242817e-09,
    -2.0992695898584107e-10, 2.7542478232219564e-10, -3.29156814387016e-12, -1.716164405777426e-11,
    1.201559505276977e-12, 9.424312178713976e-13, -1.279271190378952e-13, -4.2965e-14,
    1.0403e-14, 1.2729e-15, -7.3966e-16, 2.5307e-17,
    4.8479e-17, -8.2229e-18,
)
_VARIANCE = (
    0.9017240602733058, 0.297417873196754, -0.24191156909202546, 0.028433794221056102,
    0.02261557416637179, -0.008422617142821135, -0.0006713234962598253, 0.0009543503867695071,
    -8.205385756899682e-05, -7.83322933566577e-05, 1.727926908788842e-05, 5.052688482745427e-06,
    -2.02841312921596e-06, -2.3992111474758224e-07, 1.891705666404533e-07, 4.460194198931867e-09,
    -1.5224600152972834e-08, 6.925900860646091e-10, 1.0852935257663216e-09, -1.1560102536348501e-10,
    -6.834873649636475e-11, 1.1737128486703735e-11, 3.658397389757329e-12, -9.642393791924143e-13,
    -1.4355931014525982e-13, 6.8861e-14, 6.9270e-16, -4.4075e-15,
    6.2522e-16, 2.5824e-16, -8.4823e-17, -1.4133e-17,
)
# fmt: on


def _series(coefficients: tuple[float, ...], t: Array) -> Array:
    """The Chebyshev series at y = (t - 4) / (t + 4) by Clenshaw's recurrence; t ≥ 0, infinity included."""
    y = 1.0 - 8.0 / (t + 4.0)
    later = last = jnp.zeros_like(y)
    for c in coefficients[:0:-1]:
        later, last = c + 2.0 * y * later - last, later
    return coefficients[0] + y * later - last


def _exp_of_square(x: Array, factor: float) -> Array:
    """exp(factor · x²) without the relative error x² · eps that rounding the square would bring."""
    x = jnp.clip(x, -_ALL, _ALL)
    coarse = jnp.round(16.0 * x) / 16.0
    bulk = jnp.exp(factor * coarse**2)
    return bulk * (1.0 + jnp.expm1(factor * (x - coarse) * (x + coarse)))  # XLA would merge a product of two exp


@partial(jax.jit, static_argnums=0)
def _compiled(function: Callable[[Array], Array], x: Array) -> Array:
    return function(x)


def _apply(function: Callable[[Array], Array], x: ArrayLike) -> Array:
    """One compiled call: outside jit, a hundred small operations would each be sent on their own."""
    return _compiled(function, jnp.asarray(x, dtype=jnp.float64))


def erfcx(x: ArrayLike) -> Array:
    r"""The scaled complementary error function $e^{x^2}\operatorname{erfc}(x)$; infinite below about -26.6.

    >>> f"{erfcx(1e10):.6e}"
    '5.641896e-11'
    """
    return _apply(_erfcx, x)


@jax.custom_jvp
def _erfcx(x: Array) -> Array:
    t = jnp.abs(x)
    right = _series(_ERFCX, t) / (1.0 + 2.0 * t)
    return jnp.where(x < 0, 2.0 * _exp_of_square(x, 1.0) - right, right)


@_erfcx.defjvp
def _erfcx_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    """d erfcx = 2x erfcx − 2/√π; on the right that is −(2/√π) times the gap, scaled, which does not cancel."""
    (x,), (dx,) = primals, tangents
    value = _erfcx(x)
    u = -_SQRT_2 * jnp.where(x < 0, 0.0, x)
    right = -(2.0 / _SQRT_PI) * _truncated_gap(u) / _inverse_mills(u)
    return value, dx * jnp.where(x < 0, 2.0 * x * value - 2.0 / _SQRT_PI, right)


def log_ndtr(x: ArrayLike) -> Array:
    r"""$\log\Phi(x)$, with a small relative error in both tails.

    >>> f"{log_ndtr(-1e4):.6f}"
    '-50000010.129279'
    """
    return _apply(_log_ndtr, x)


@jax.custom_jvp
def _log_ndtr(x: Array) -> Array:
    half = 0.5 * _erfcx(jnp.abs(x) / _SQRT_2)  # the smaller tail without its factor exp(-x²/2)
    left = jnp.log(half) - 0.5 * x**2
    right = log1m(half * _exp_of_square(x, -0.5))
    return jnp.where(x < 0, left, right)


def inverse_mills(x: ArrayLike) -> Array:
    r"""$\varphi(x)/\Phi(x)$, the derivative of $\log\Phi$ and minus the mean of a normal truncated to lie below x."""
    return _apply(_inverse_mills, x)


@jax.custom_jvp
def _inverse_mills(x: Array) -> Array:
    scaled_tail = _erfcx(jnp.abs(x) / _SQRT_2)
    density = _exp_of_square(x, -0.5)
    right = density / _SQRT_2_PI / (1.0 - 0.5 * scaled_tail * density)
    return jnp.where(x < 0, 2.0 / _SQRT_2_PI / scaled_tail, right)


def truncated_gap(x: ArrayLike) -> Array:
    r"""$x + \varphi(x)/\Phi(x)$: how far below the cut x a truncated normal has its mean; about $-1/x$ on the left."""
    return _apply(_truncated_gap, x)


@jax.custom_jvp
def _truncated_gap(x: Array) -> Array:
    t = jnp.abs(x)
    return jnp.where(x < 0, _series(_GAP, t) / (1.0 + t), x + _inverse_mills(x))


def truncated_variance(x: ArrayLike) -> Array:
    r"""$\operatorname{Var}[z \mid z < x] = 1 - r\,(x + r)$, $r = \varphi/\Phi$; about $1/x^2$ on the left."""
    return _apply(_truncated_variance, x)


@jax.custom_jvp
def _truncated_variance(x: Array) -> Array:
    t, right = jnp.abs(x), jnp.minimum(x, _ALL)
    return jnp.where(x < 0, _series(_VARIANCE, t) / (1.0 + t) ** 2, 1.0 - _inverse_mills(right) * _truncated_gap(right))


def log_expected_excess(x: ArrayLike) -> Array:
    r"""$\log\mathbb{E}\,(x + z)_+ = \log(\varphi(x) + x\,\Phi(x))$, stable in both tails with its derivatives.

    The logarithm of expected improvement at standardized improvement x, called $\log h$ by Ament et al. (2023, eq. 9).

    >>> f"{log_expected_excess(-100.0):.6f}"
    '-5010.129579'
    """
    return _apply(_log_expected_excess, x)


@jax.custom_jvp
def _log_expected_excess(x: Array) -> Array:
    return _log_ndtr(x) + jnp.log(_truncated_gap(x))


def ndtri(p: ArrayLike) -> Array:
    r"""$\Phi^{-1}(p)$: the quantile of the standard normal, infinite at 0 and 1, NaN outside."""
    return _apply(_ndtri, p)


# The derivatives of these functions are these functions.
_log_ndtr.defjvps(lambda dx, _, x: dx * _inverse_mills(x))
_inverse_mills.defjvps(lambda dx, r, x: -dx * r * _truncated_gap(x))
_truncated_gap.defjvps(lambda dx, _, x: dx * _truncated_variance(x))
_truncated_variance.defjvps(lambda dx, v, x: dx * _inverse_mills(x) * (_truncated_gap(jnp.minimum(x, _ALL)) ** 2 - v))
_log_expected_excess.defjvps(lambda dx, _, x: dx / _truncated_gap(x))
