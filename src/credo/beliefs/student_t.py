"""Student's t distribution of a number."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import betainc, ndtr, ndtri
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.beliefs.inverse import implicit, logit_beta_quantile
from credo.beliefs.log_gamma import log_gamma_ratio
from credo.numerics.concrete import is_known, placed
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["StudentT"]

_NEARLY_NORMAL = (
    1e4  # degrees of freedom from which Hill's expansion is exact to round-off and the Beta function is not
)
_LOG_PI = 1.1447298858494002


class StudentT(Belief):
    r"""$\mathrm{loc} + \mathrm{scale}\cdot t_\nu$ with `df` $\nu$ degrees of freedom, any positive number.

    The predictive of a normal whose variance was learnt from data. `scale` is not the standard deviation, which is
    $\mathrm{scale}\sqrt{\nu/(\nu-2)}$. The mean is infinite for $\nu \le 1$ and the variance for $\nu \le 2$, where
    they do not exist. The derivative of `cdf` and `quantile` in `df` is not available (JAX has none of the incomplete
    Beta function).

    >>> low, high = StudentT(3.0, 10.0, 2.0).interval(0.95)
    >>> f"{low:.2f} to {high:.2f}"
    '3.64 to 16.36'
    """

    df: Float[Array, "*batch"] = parameter(Positive())
    loc: Float[Array, "*batch"] = parameter(Real(), default=0.0)
    scale: Float[Array, "*batch"] = parameter(Positive(), default=1.0)

    @property
    def mean(self) -> Array:
        return jnp.where(self.df > 1.0, self.loc, jnp.inf)

    @property
    def variance(self) -> Array:
        exists = self.df > 2.0
        excess = jnp.where(exists, self.df - 2.0, 1.0)
        return jnp.where(exists, self.scale**2 * self.df / excess, jnp.inf)

    def log_prob(self, x: ArrayLike) -> Array:
        z = (x - self.loc) / self.scale
        kernel = -0.5 * (self.df + 1.0) * jnp.log1p(z**2 / self.df)
        return kernel + log_gamma_ratio(0.5 * self.df, 0.5) - 0.5 * (jnp.log(self.df) + _LOG_PI) - jnp.log(self.scale)

    def cdf(self, x: ArrayLike) -> Array:
        return _standard_cdf(self.df, (jnp.asarray(x, dtype=jnp.float64) - self.loc) / self.scale)

    def quantile(self, p: ArrayLike) -> Array:
        return implicit(_quantile, self, self._checked(p))

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        if not self.batch_shape or not is_known(self.df, self.loc, self.scale):
            return super().interval(level)
        df, loc, scale = (np.asarray(part) for part in (self.df, self.loc, self.scale))
        if df.min() != df.max():
            return super().interval(level)
        # One number of degrees for all rows, as in every linear model: one quantile serves, and no length compiles.
        low, high = (float(end) for end in StudentT(df.flat[0]).interval(level))
        return placed(loc + low * scale), placed(loc + high * scale)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return self.loc + self.scale * jax.random.t(key, self.df, shape + self.batch_shape, dtype=jnp.float64)


def _standard_cdf(df: Array, t: Array) -> Array:
    nearly_normal = df > _NEARLY_NORMAL
    few = jnp.where(nearly_normal, 1.0, df)
    center = jnp.abs(t) < 1e-8  # there the cdf is a straight line to round-off, and t² has no derivative to give it
    square = jnp.where(center, 0.25, t**2)
    ratio = jnp.where(jnp.isinf(t), 1.0, square / (few + jnp.where(jnp.isinf(t), 0.0, square)))
    # Near the middle the tail is one half minus a small number, further out it is the small number itself.
    middle = 0.5 - 0.5 * betainc(0.5, 0.5 * few, jnp.where(square < 1.0, ratio, 0.5))
    outer = 0.5 * betainc(0.5 * few, 0.5, jnp.where(square < 1.0, 0.5, few / (few + square)))
    tail = jnp.where(square < 1.0, middle, outer)
    line = 0.5 + t * jnp.exp(log_gamma_ratio(0.5 * df, 0.5) - 0.5 * (jnp.log(df) + _LOG_PI))
    away = jnp.where(nearly_normal, ndtr(_normal_score(df, t)), jnp.where(t < 0, tail, 1.0 - tail))
    return jnp.where(center, line, away)


def _normal_score(df: Array, t: Array) -> Array:
    """The z with Φ(z) = F(t), for many degrees of freedom (Hill 1970, algorithm 395)."""
    degrees = df - 0.5
    b = 48.0 * degrees**2
    y = degrees * jnp.log1p(t**2 / df)
    correction = (((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y**2 + 100.0 + b)
    # sqrt(y) with the sign of t and a derivative at t = 0, where y ~ t²
    root = t * jnp.sqrt(degrees / df * _log1p_ratio(t**2 / df))
    return jnp.where(jnp.isinf(t), t, root * (1.0 + (y + 3.0 + correction) / b))


def _log1p_ratio(x: Array) -> Array:
    """log(1 + x) / x, one at zero."""
    small = x < 1e-8
    return jnp.where(small, 1.0 - 0.5 * x, jnp.log1p(x) / jnp.where(small, 1.0, x))


def _quantile(belief: StudentT, p: Array) -> Array:
    return belief.loc + belief.scale * _standard_quantile(belief.df, p)


@jax.jit
def _standard_quantile(df: Array, p: Array) -> Array:
    """For few degrees of freedom from the Beta quantile as a log odds, which neither tail nor middle cancels in."""
    df, p = jnp.broadcast_arrays(df, p)
    tail = jnp.minimum(p, 1.0 - p)
    sign = jnp.sign(p - 0.5)
    odds = logit_beta_quantile(0.5 * jnp.minimum(df, _NEARLY_NORMAL), 0.5, 2.0 * tail, 1.0 - 2.0 * tail)
    few = sign * jnp.sqrt(df) * jnp.exp(-0.5 * odds)
    z = ndtri(tail)
    degrees = df - 0.5
    b = 48.0 * degrees**2
    y = (z / (1.0 + (z**2 + 3.0) / b)) ** 2
    many = sign * jnp.sqrt(df * jnp.expm1(y / degrees))
    t = jnp.where(df > _NEARLY_NORMAL, many, jnp.where(tail == 0.5, 0.0, few))
    return jnp.where(jnp.isnan(p), jnp.nan, t)
