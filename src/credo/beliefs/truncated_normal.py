"""The normal distribution restricted to an interval."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.beliefs.inverse import implicit, ndtri_exp
from credo.beliefs.matrices import require
from credo.numerics.constraints import Extended, Positive, Real
from credo.numerics.normal_tails import log_ndtr
from credo.numerics.parameters import parameter
from credo.numerics.scalar import LOG_2PI, log_diff_exp

__all__ = ["TruncatedNormal"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_NEGLIGIBLE = 90.0  # twice the drop of the log density from the mode at which the moments' quadrature stops


class TruncatedNormal(Belief):
    r"""A normal of `loc` and `scale` given that it lies between `low` and `high`; either end may be infinite.

    `loc` and `scale` are those of the parent, before truncation. scipy: ``truncnorm((low - loc)/scale, (high -
    loc)/scale, loc, scale)``. Accurate however far the interval is from `loc`: masses are differences of logarithms
    of tails, moments are integrals of the density relative to its mode (Gauss–Legendre with 64 nodes, relative error
    below 1e-13). Fitting does not move the ends.

    >>> f"{TruncatedNormal(0.0, 1.0, 30.0, jnp.inf).mean:.6f}"
    '30.033260'
    """

    loc: Float[Array, "*batch"] = parameter(Real())
    scale: Float[Array, "*batch"] = parameter(Positive())
    low: Float[Array, "*batch"] = parameter(Extended(), default=-np.inf)
    high: Float[Array, "*batch"] = parameter(Extended(), default=np.inf)

    def __check_init__(self) -> None:
        ordered = (self.low < self.high) & (self.low < jnp.inf) & (self.high > -jnp.inf)
        who = "TruncatedNormal"
        require(
            ordered, who, f"low={self.low} is not below high={self.high}", "The ends are swapped or equal", "Swap them"
        )

    @property
    def mean(self) -> Array:
        return self._moments()[0]

    @property
    def variance(self) -> Array:
        return self._moments()[1]

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        outside = (x < self.low) | (x > self.high) | jnp.isinf(x)
        z = (jnp.where(outside, self.loc, x) - self.loc) / self.scale
        inside = -0.5 * z**2 - 0.5 * LOG_2PI - jnp.log(self.scale) - log_mass(*self.standard_ends)
        return jnp.where(outside, -jnp.inf, inside)

    def cdf(self, x: ArrayLike) -> Array:
        x = jnp.clip(jnp.asarray(x, dtype=jnp.float64), self.low, self.high)
        below, above = self.standard_ends
        z = self._standardized(x)
        # The smaller of the two parts is computed, the other is its complement.
        whole = log_mass(below, above)
        left, right = log_mass(below, z) - whole, log_mass(z, above) - whole
        return jnp.where(left < right, jnp.exp(left), -jnp.expm1(right))

    def quantile(self, p: ArrayLike) -> Array:
        return implicit(_quantile, self, self._checked(p))

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        uniform = jax.random.uniform(key, shape + self.batch_shape, dtype=jnp.float64)
        return self.quantile(uniform)

    def _standardized(self, x: Array) -> Array:
        """(x − loc) / scale, where an infinite x has no gradient."""
        infinite = jnp.isinf(x)
        return jnp.where(infinite, x, (jnp.where(infinite, 0.0, x) - self.loc) / self.scale)

    @property
    def standard_ends(self) -> tuple[Array, Array]:
        """(low − loc) / scale and (high − loc) / scale."""
        return self._standardized(self.low), self._standardized(self.high)

    def _moments(self) -> tuple[Array, Array]:
        """Mean and variance from the density relative to its mode, over the range in which it is not negligible."""
        below, above = self.standard_ends
        mode = jnp.clip(0.0, below, above)
        reach = _NEGLIGIBLE / (jnp.sqrt(mode**2 + _NEGLIGIBLE) + jnp.abs(mode))
        # Distances from the mode, so that nothing cancels where the interval is far out and the belief narrow.
        left, right = jnp.maximum(below - mode, -reach), jnp.minimum(above - mode, reach)
        half = 0.5 * (right - left)[..., None]
        distance = left[..., None] + half * (1.0 + _NODES)
        weight = _WEIGHTS * jnp.exp(-distance * (mode[..., None] + 0.5 * distance))
        weight = weight / jnp.sum(weight, axis=-1, keepdims=True)
        offset = jnp.sum(weight * distance, axis=-1)
        variance = jnp.sum(weight * (distance - offset[..., None]) ** 2, axis=-1)
        return self.loc + self.scale * (mode + offset), self.scale**2 * variance


def log_mass(below: Array, above: Array) -> Array:
    """log(Φ(above) − Φ(below)), accurate in the tails and for narrow intervals."""
    below, above = jnp.broadcast_arrays(below, above)
    # By symmetry to the side where the interval, or its larger part, is on the left of zero.
    flip = below + above > 0
    lower, upper = jnp.where(flip, -above, below), jnp.where(flip, -below, above)
    width = jnp.where(jnp.isinf(upper - lower), 1.0, upper - lower)
    middle = jnp.where(jnp.isinf(upper - lower), 1.0, 0.5 * (upper + lower))
    narrow = width * (1.0 + jnp.abs(middle)) < 0.2
    wide = log_diff_exp(log_ndtr(jnp.where(narrow, 1.0, upper)), log_ndtr(jnp.where(narrow, 0.0, lower)))
    return jnp.where(narrow, _log_narrow_mass(middle, jnp.where(narrow, width, 0.1)), wide)


def _log_narrow_mass(middle: Array, width: Array) -> Array:
    """The mass of a narrow interval: density at its middle times width, with the Hermite series of the correction to
    8th order.
    """
    m2, h2 = middle**2, 0.25 * width**2
    sixth = ((m2 - 15.0) * m2 + 45.0) * m2 - 15.0
    eighth = (((m2 - 28.0) * m2 + 210.0) * m2 - 420.0) * m2 + 105.0
    series = sixth / 5040.0 + h2 * eighth / 362880.0
    series = (m2 - 1.0) / 6.0 + h2 * (((m2 - 6.0) * m2 + 3.0) / 120.0 + h2 * series)
    return -0.5 * m2 - 0.5 * LOG_2PI + jnp.log(width) + jnp.log1p(h2 * series)


def _quantile(belief: TruncatedNormal, p: Array) -> Array:
    z = _standard_quantile(*belief.standard_ends, p)
    return jnp.clip(belief.loc + belief.scale * z, belief.low, belief.high)


@jax.jit
def _standard_quantile(below: Array, above: Array, p: Array) -> Array:
    """From the smaller of the two tail probabilities of the parent, in logarithms."""
    below, above, p = jnp.broadcast_arrays(below, above, p)
    mass = log_mass(below, above)
    lower = jnp.logaddexp(log_ndtr(below), jnp.log(p) + mass)
    upper = jnp.logaddexp(log_ndtr(-above), jnp.log1p(-p) + mass)
    z = jnp.where(lower < upper, ndtri_exp(jnp.minimum(lower, upper)), -ndtri_exp(jnp.minimum(lower, upper)))
    # One Newton step on the mass between z and an end, which has digits where the parent's tails are nearly equal.
    z = jnp.clip(z, below, above)
    density = jnp.exp(-0.5 * z**2 - 0.5 * LOG_2PI - mass)
    short = jnp.where(p < 0.5, p - jnp.exp(log_mass(below, z) - mass), jnp.exp(log_mass(z, above) - mass) - (1.0 - p))
    z = jnp.where((density > 0) & (p > 0) & (p < 1), z + short / density, z)
    return jnp.where(p == 0, below, jnp.where(p == 1, above, z))
