r"""The Gaussian that stands in for a probit label in expectation propagation, entry by entry.

Given the cavity $\mathcal N(\mu, v)$, what all other labels say, the site $e^{\nu f - \tau f^2/2}$ is the Gaussian
factor whose product with the cavity has the mean and variance of $\mathcal N(f \mid \mu, v)\,\Phi(s f)^p$.
For $p = 1$ these are known in closed form, and with $r = \varphi/\Phi$, $g = z + r$, $t = 1 - r g$ at
$z = s\mu/\sqrt{1 + v}$ the site is a quotient of positive terms, in which nothing cancels. For $p < 1$, a label of
weight below one, they are quadratures.
References: Rasmussen and Williams (2006) eqs. 3.58 and 3.59; Minka (2004) for the power p.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jax.nn import softmax
from jax.scipy.special import logsumexp
from jaxtyping import Float

from credo.numerics.normal_tails import inverse_mills, log_ndtr, truncated_gap, truncated_variance
from credo.numerics.quadrature import gauss_legendre
from credo.numerics.scalar import LOG_2PI, safe_log

__all__ = ["Site", "probit_site"]

_SMALLEST = 1e-12  # cavity variance; below, the cavity is a point to Φ
_REACH = 9.0  # standard deviations; the normal mass beyond is 1e-19
_BEND = 8.0  # Φ is 1 above, to 6e-16


class Site(NamedTuple):
    r"""τ and ν of one whole label, and the logarithm of $\int \mathcal N(f \mid \mu, v)\,\Phi(s f)^p\,df$."""

    precision: Float[Array, " n"]
    shift: Float[Array, " n"]
    log_normalizer: Float[Array, " n"]


def probit_site(
    sign: Float[Array, " n"], mean: Float[Array, " n"], variance: Float[Array, " n"], power: Float[Array, " n"]
) -> Site:
    r"""The site of each label, given its cavity and the power p, above zero and at most one.

    >>> site = probit_site(jnp.ones(1), jnp.zeros(1), jnp.ones(1), jnp.ones(1))
    >>> round(float(site.precision[0]), 6), round(float(jnp.exp(site.log_normalizer[0])), 6)
    (0.466942, 0.5)
    """
    return lax.cond(jnp.any(power < 1.0), _any_site, _whole_site, sign, mean, variance, power)


def _any_site(sign: Array, mean: Array, variance: Array, power: Array) -> Site:
    whole, part = _whole_site(sign, mean, variance, power), _part_site(sign, mean, variance, power)
    return Site(*(jnp.where(power < 1.0, b, a) for a, b in zip(whole, part, strict=True)))


def _whole_site(sign: Array, mean: Array, variance: Array, _: Array) -> Site:
    spread = jnp.sqrt(1.0 + variance)
    z = sign * mean / spread
    ratio, gap, left = inverse_mills(z), truncated_gap(z), truncated_variance(z)
    below = 1.0 + variance * left
    return Site(ratio * gap / below, sign * spread * ratio * (left + gap**2) / below, log_ndtr(z))


def _part_site(sign: Array, mean: Array, variance: Array, power: Array) -> Site:
    r"""With β and −γ the derivatives of the log normalizer in μ: $\tau = \gamma/(1 - v\gamma)$, and so on."""
    toward, variance = sign * mean, jnp.maximum(variance, _SMALLEST)
    log_normalizer, slope, bend = _log_derivatives(*_pieces(toward, variance, power))
    below = power * (1.0 - variance * bend)
    return Site(bend / below, sign * (slope + toward * bend) / below, log_normalizer)


def _pieces(mean: Array, variance: Array, power: Array) -> tuple[Array, Array, Array]:
    r"""The integral of $\mathcal N(f \mid \mu, v)\,\Phi(f)^p$ as a sum of positive terms.

    For each: its logarithm, and $p\,r$ and $p\,r\,g$ at f, whose means are the derivatives. The integrand is close to
    Gaussian below −8, has the bend of Φ between −8 and 8, and has Φ = 1 above. Its mode is less than
    $p v/(1 + p v)$ above $\mu/(1 + p v)$ where μ < 0, and near μ elsewhere; its curvature is at least $1/v$, and at
    least $1/v + 0.6\,p$ left of zero.
    """
    std = jnp.sqrt(variance)
    center = jnp.where(mean < 0.0, mean / (1.0 + power * variance), mean)
    narrow = _REACH / jnp.sqrt(1.0 / variance + 0.6 * power)
    low = jnp.maximum(center - _REACH * std, jnp.minimum(center, 0.0) - narrow)
    high = center + power * variance / (1.0 + power * variance) + _REACH * std
    rule = gauss_legendre(64, 0.0, 1.0)
    ends = ((low, jnp.clip(high, low, -_BEND)), (jnp.maximum(low, -_BEND), jnp.minimum(high, _BEND)))
    widths = jnp.stack([jnp.maximum(b - jnp.minimum(a, b), 0.0) for a, b in ends], axis=1)
    starts = jnp.stack([a for a, _ in ends], axis=1)
    f = (starts[:, :, None] + widths[:, :, None] * rule.nodes).reshape(len(mean), -1)
    share = (widths[:, :, None] * rule.weights).reshape(len(mean), -1)
    density = -0.5 * ((f - mean[:, None]) / std[:, None]) ** 2 - jnp.log(std)[:, None] - 0.5 * LOG_2PI
    terms = safe_log(share) + density + power[:, None] * log_ndtr(f)
    ratio = power[:, None] * inverse_mills(f)
    above = log_ndtr((mean - _BEND) / std)[:, None]
    nothing = jnp.zeros_like(above)
    return tuple(  # type: ignore[return-value]
        jnp.concatenate(parts, axis=1)
        for parts in ((terms, above), (ratio, nothing), (ratio * truncated_gap(f), nothing))
    )


def _log_derivatives(terms: Array, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """Of log Σ exp(terms) in μ: itself, its first and minus its second derivative, from those of each term."""
    total, share = logsumexp(terms, axis=1), softmax(terms, axis=1)
    slope = jnp.sum(share * first, axis=1)
    return total, slope, jnp.sum(share * second, axis=1) - jnp.sum(share * (first - slope[:, None]) ** 2, axis=1)
