r"""Inverses of the incomplete gamma and beta functions and of the normal tail, inside jit, and of a cdf on the
integers.

In the coordinate $u = \log x$ (gamma) or $u = \operatorname{logit} x$ (beta) both tails are log-concave, so Newton on
the logarithm of the smaller tail converges from one side; a bracket that holds for all parameters catches the rest.
Both tail probabilities are arguments, because $1 - p$ has lost the digits of a small $p$.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.scipy.special import expit, gammainc, gammaincc, gammaln, ndtri
from jaxtyping import ArrayLike

from credo.beliefs.base import Belief
from credo.beliefs.incomplete_beta import incomplete_beta
from credo.beliefs.log_gamma import log_beta
from credo.numerics.normal_tails import inverse_mills, log_ndtr
from credo.numerics.scalar import LOG_2PI, log1mexp

__all__ = ["first_integer", "implicit", "increasing_root", "log_gamma_quantile", "logit_beta_quantile", "ndtri_exp"]

B = TypeVar("B", bound=Belief)
_ROUNDS = 120
_TOLERANCE = 1e-12  # on the last step; what is left after it is its square
_TINY = -40.0  # below, exp(u) is under the round-off of one
_ROUND_OFF = 32 * 2.0**-52
_CDF_ERROR = 1e-12  # what two compilations of one incomplete gamma or beta function may differ by, relative to the tail


def increasing_root(function: Callable[[Array], tuple[Array, Array]], start: Array, low: Array, high: Array) -> Array:
    """The root of an increasing function (given with its slope), elementwise: Newton, and bisection where it leaves
    the bracket.
    """

    def unfinished(state: tuple[Array, Array, Array, Array, Array]) -> Array:
        *_, finished, rounds = state
        return ~jnp.all(finished) & (rounds < _ROUNDS)

    def step(state: tuple[Array, Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array, Array]:
        u, low, high, finished, rounds = state
        value, slope = function(u)
        low, high = jnp.where(value < 0, u, low), jnp.where(value < 0, high, u)
        newton = u - value / slope
        proposed = jnp.where((newton >= low) & (newton <= high), newton, 0.5 * (low + high))
        proposed = jnp.where(value == 0, u, proposed)
        close = jnp.abs(proposed - u) <= _TOLERANCE * jnp.maximum(1.0, jnp.abs(u))
        return jnp.where(finished, u, proposed), low, high, finished | close, rounds + 1

    start = jnp.clip(start, low, high)
    state = (start, low, high, jnp.isnan(start), jnp.zeros((), dtype=jnp.int32))
    return lax.while_loop(unfinished, step, state)[0]


def _tails(lower: ArrayLike, upper: ArrayLike, *others: ArrayLike) -> list[Array]:
    return jnp.broadcast_arrays(*(jnp.asarray(x, dtype=jnp.float64) for x in (lower, upper, *others)))


def _at_the_ends(u: Array, lower: Array, upper: Array) -> Array:
    return jnp.where(lower == 0, -jnp.inf, jnp.where(upper == 0, jnp.inf, u))


def _inside(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Probabilities to compute with where the true ones are 0 and 1."""
    at_end = (lower == 0) | (upper == 0)
    return jnp.where(at_end, 0.5, lower), jnp.where(at_end, 0.5, upper)


@jax.jit
def log_gamma_quantile(shape: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Array:
    r"""$\log x$ with $P(a, x)$ = `lower` and $Q(a, x)$ = `upper`: the quantile of a Gamma of rate one, in logarithms.

    `upper` is 1 − `lower`, both given so that neither is rounded. Minus infinity and infinity at the ends. About 6
    rounds.

    >>> f"{jnp.exp(log_gamma_quantile(1.0, 0.5, 0.5)):.10f}"
    '0.6931471806'
    """
    lower, upper, a = _tails(lower, upper, shape)
    p, q = _inside(lower, upper)
    below = p < q
    # The density of u is at most exp(a u) / Γ(a); above, a sub-gamma tail bound (Boucheron et al. 2013, section 2.4).
    low = (jnp.log(p) + gammaln(a + 1.0)) / a
    high = jnp.log(a + jnp.sqrt(-2.0 * a * jnp.log(q)) - jnp.log(q)) + 1e-9
    cube = (
        1.0 - 1.0 / (9.0 * a) + jnp.where(below, ndtri(p), -ndtri(q)) / (3.0 * jnp.sqrt(a))
    )  # Wilson and Hilferty (1931)
    start = jnp.where((a > 0.5) & (cube > 0.1), jnp.log(a) + 3.0 * jnp.log(jnp.maximum(cube, 0.1)), low)

    def tail(u: Array) -> tuple[Array, Array]:
        x = jnp.exp(u)
        log_lower = jnp.where(u < _TINY, a * u - gammaln(a + 1.0), jnp.log(gammainc(a, x)))
        log_upper = jnp.log(gammaincc(a, x))
        log_density = a * u - x - gammaln(a)
        value = jnp.where(below, log_lower - jnp.log(p), jnp.log(q) - log_upper)
        return value, jnp.exp(log_density - jnp.where(below, log_lower, log_upper))

    return _at_the_ends(increasing_root(tail, start, low, jnp.maximum(low, high)), lower, upper)


@jax.jit
def logit_beta_quantile(a: ArrayLike, b: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Array:
    r"""$\operatorname{logit} x$ with $I_x(a, b)$ = `lower` and $1 - I_x(a, b)$ = `upper`: the quantile of a Beta, as
    a log odds.

    `upper` is 1 − `lower`, both given so that neither is rounded. Minus infinity and infinity at the ends.

    >>> f"{expit(logit_beta_quantile(1.0, 2.0, 0.75, 0.25)):.10f}"
    '0.5000000000'
    """
    lower, upper, a, b = _tails(lower, upper, a, b)
    p, q = _inside(lower, upper)
    # By symmetry the wanted tail is always the lower one.
    flip = p > q
    sign = jnp.where(flip, -1.0, 1.0)
    p, q = jnp.where(flip, q, p), jnp.where(flip, p, q)
    first, second = jnp.where(flip, b, a), jnp.where(flip, a, b)
    log_normalizer = log_beta(first, second)
    # The density of u is at most exp(a u) / B and at most exp(-b u) / B.
    low = (jnp.log(p) + jnp.log(first) + log_normalizer) / first
    high = -(jnp.log(q) + jnp.log(second) + log_normalizer) / second
    middle = jnp.log(first / second)
    spread = jnp.sqrt(1.0 / first + 1.0 / second)
    start = jnp.where((first > 1.0) & (second > 1.0), middle + ndtri(p) * spread, jnp.where(first <= 1.0, low, middle))

    def tail(u: Array) -> tuple[Array, Array]:
        log_lower = _log_betainc(first, second, u, beyond=-jnp.log(p))
        log_density = -first * jnp.logaddexp(0.0, -u) - second * jnp.logaddexp(0.0, u) - log_normalizer
        return log_lower - jnp.log(p), jnp.exp(log_density - log_lower)

    return _at_the_ends(sign * increasing_root(tail, start, low, jnp.maximum(low, high)), lower, upper)


def _log_betainc(a: Array, b: Array, u: Array, beyond: Array) -> Array:
    """log I_x(a, b) at the log odds u of x; where u > `beyond` through the complement, since x rounds to one there."""
    switch = u > beyond
    v = jnp.where(switch, -u, u)
    first, second = jnp.where(switch, b, a), jnp.where(switch, a, b)
    leading = first * v - jnp.log(first) - log_beta(first, second)  # x below the round-off of one
    lower = jnp.where(v < _TINY, leading, jnp.log(incomplete_beta(first, second, expit(v), expit(-v))))
    return jnp.where(switch, log1mexp(jnp.where(switch, lower, -1.0)), lower)


@jax.jit
def ndtri_exp(log_p: ArrayLike) -> Array:
    r"""$\Phi^{-1}(e^y)$ for a log probability y: a normal quantile where the probability itself would underflow.

    Newton on the concave $\log\Phi$ from the leading terms of its expansion; relative error of some 1e-15 for $y \le
    -0.7$. Above, where $e^y$ is near one, the complement is the better argument.

    >>> f"{ndtri_exp(-5000.0):.6f}"
    '-99.944748'
    """
    y = jnp.asarray(log_p, dtype=jnp.float64)
    finite = jnp.where(jnp.isinf(y), -1.0, y)
    deep = jnp.minimum(finite, -20.0)
    expansion = -jnp.sqrt(-2.0 * deep - LOG_2PI - jnp.log(-2.0 * deep))
    z = jnp.where(finite < -20.0, expansion, ndtri(jnp.exp(jnp.maximum(finite, -20.0))))

    def newton(_: ArrayLike, z: Array) -> Array:
        return z - (log_ndtr(z) - finite) / inverse_mills(z)

    z = lax.fori_loop(0, 4, newton, jnp.where(finite < -0.5, z, -0.5))
    z = jnp.where(finite < -0.5, z, ndtri(jnp.exp(finite)))
    return jnp.where(y == -jnp.inf, -jnp.inf, z)


def first_integer(cdf: Callable[[Array], Array], p: Array, low: ArrayLike, high: ArrayLike) -> Array:
    """The smallest integer k ≥ `low` with cdf(k) ≥ p, to within round-off of p, so that the cdf of k leads back to k.

    Infinite where p is 1 and `high` is infinite; `low` where p is 0. Doubling, then bisection: 2 log₂ k evaluations.
    """
    p, low, high = jnp.broadcast_arrays(*(jnp.asarray(x, dtype=jnp.float64) for x in (p, low, high)))
    endless = (p >= 1.0) & jnp.isinf(high)
    wanted = jnp.where(endless, 0.0, p * (1.0 - _ROUND_OFF - _CDF_ERROR * (1.0 - p)))

    def enough(k: Array) -> Array:
        return (cdf(k) >= wanted) | (k >= high)

    def far_enough(reach: Array) -> Array:
        return enough(jnp.minimum(low + reach, high))

    reach = lax.while_loop(
        lambda reach: jnp.any(~far_enough(reach)),
        lambda reach: jnp.where(far_enough(reach), reach, 2.0 * reach),
        jnp.ones_like(p),
    )

    def halve(ends: tuple[Array, Array]) -> tuple[Array, Array]:
        below, above = ends
        middle = jnp.floor(0.5 * (below + above))
        there = enough(middle) & (middle > below)  # a row that is done stays done while others go on
        return jnp.where(there, below, middle), jnp.where(there, middle, above)

    ends = (jnp.where(enough(low), low - 1.0, low), jnp.where(enough(low), low, jnp.minimum(low + reach, high)))
    _, found = lax.while_loop(lambda ends: jnp.any(ends[1] - ends[0] > 1.0), halve, ends)
    return jnp.where(jnp.isnan(p), jnp.nan, jnp.where(endless, jnp.inf, found))


@eqx.filter_custom_jvp
def implicit(solve: Callable[[B, Array], Array], belief: B, p: Array) -> Array:
    r"""``solve(belief, p)``, a quantile, with the derivative of $F(x; \theta) = p$ in place of that of the solver.

    $dx = (dp - \partial_\theta F\,d\theta) / f(x)$: exact, and nothing is differentiated through an iteration. Zero
    where x is infinite or the density there is.
    """
    return solve(belief, p)


@implicit.def_jvp
def _implicit_jvp(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Array, Array]:
    solve, belief, p = primals
    _, belief_tangent, p_tangent = tangents
    x = implicit(solve, belief, p)
    usable = jnp.isfinite(x)
    anchor = jnp.where(usable, x, belief.quantile(0.5))
    density = jnp.exp(belief.log_prob(anchor))
    moved = jnp.zeros_like(x) if p_tangent is None else p_tangent
    if any(leaf is not None for leaf in jax.tree.leaves(belief_tangent)):
        _, rise = eqx.filter_jvp(lambda b: b.cdf(anchor), (belief,), (belief_tangent,))
        moved = moved - rise
    usable = usable & (density > 0) & jnp.isfinite(density)
    return x, jnp.where(usable, moved / jnp.where(usable, density, 1.0), 0.0)
