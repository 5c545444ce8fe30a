r"""Newton's method for the mode of a latent Gaussian vector under a concave log likelihood.

The objective $\psi = \log p(y \mid f) - \tfrac12 (f - m)^\top K^{-1} (f - m)$ is climbed in $\alpha = K^{-1}(f - m)$,
so that K is multiplied by and never inverted. With several latent functions of one covariance, f has a column for each.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import ArrayLike, Bool, Float, Int

from credo.numerics.certificate import CONVERGED, FAILED, STOPPED

__all__ = ["Direction", "LatentMode", "SolvedMode", "latent_newton", "solved_mode"]

_HALVINGS = 2.0 ** -np.arange(12)
_ROUND_OFF = 1e-6  # a decrement below this that no longer shrinks is round-off


class Direction(NamedTuple):
    r"""The gradient $g = \nabla\log p - \alpha$, Newton's step $(I + W K)^{-1} g$ in α, and the jitter it took."""

    gradient: Float[Array, "n *c"]
    step: Float[Array, "n *c"]
    jitter: Float[Array, ""]


class LatentMode(NamedTuple):
    r"""Where the iteration stands: α, $f = m + K\alpha$, the decrement of the last step and of the one before.

    The decrement $\sqrt{g^\top (K^{-1} + W)^{-1} g}$ is the length of the step in standard deviations of the belief.
    """

    alpha: Float[Array, "n *c"]
    latent: Float[Array, "n *c"]
    decrement: Float[Array, ""]
    previous: Float[Array, ""]
    iterations: Int[Array, ""]
    jitter: Float[Array, ""]
    stuck: Bool[Array, ""]


class SolvedMode(NamedTuple):
    """α at the mode, the log evidence there, and how the iteration ended."""

    alpha: Float[Array, "n *c"]
    log_evidence: Float[Array, ""]
    status: Int[Array, ""]
    iterations: Int[Array, ""]
    decrement: Float[Array, ""]
    jitter: Float[Array, ""]


def solved_mode(mode: LatentMode, log_evidence: Array, jitter: ArrayLike, tolerance: float) -> SolvedMode:
    """What is kept of a mode: without a finite evidence α is zero, the evidence minus infinity, the status FAILED."""
    failed = ~jnp.isfinite(log_evidence)
    status = jnp.where(mode.decrement <= tolerance, CONVERGED, STOPPED)
    return SolvedMode(
        jnp.where(failed, 0.0, mode.alpha),
        jnp.where(failed, -jnp.inf, log_evidence),
        jnp.where(failed, FAILED, status),
        mode.iterations,
        mode.decrement,
        jnp.maximum(mode.jitter, jitter),
    )


def latent_newton(
    covariance: Float[Array, "n n"],
    mean: Float[Array, "n *c"],
    log_likelihood: Callable[[Array], Array],
    direction: Callable[[Array, Array], Direction],
    max_iterations: int,
    tolerance: float,
) -> LatentMode:
    """The mode, from the prior mean; `direction` is a function of f and α. For use inside jit.

    A step is halved until the objective rises. It ends after the step whose decrement was at most `tolerance`, so that
    the error is of the order of its square; or where the decrement stays at the level of round-off, where no step
    helps, or where a value is not finite.
    """

    def keep_going(mode: LatentMode) -> Array:
        at_round_off = (mode.decrement < _ROUND_OFF) & (mode.decrement > 0.9 * mode.previous)
        done = (mode.decrement <= tolerance) | at_round_off | mode.stuck
        return ~done & (mode.iterations < max_iterations)

    far = jnp.asarray(jnp.inf)
    start = LatentMode(jnp.zeros_like(mean), mean, far, far, jnp.asarray(0), jnp.asarray(0.0), jnp.asarray(False))
    return lax.while_loop(keep_going, partial(_climb, covariance, mean, log_likelihood, direction), start)


def _climb(
    covariance: Array,
    mean: Array,
    log_likelihood: Callable[[Array], Array],
    direction: Callable[[Array, Array], Direction],
    mode: LatentMode,
) -> LatentMode:
    way = direction(mode.latent, mode.alpha)
    move = covariance @ way.step
    decrement = jnp.sqrt(jnp.maximum(jnp.sum(way.gradient * move), 0.0))

    def objective(size: Array) -> Array:
        alpha, latent = mode.alpha + size * way.step, mode.latent + size * move
        return log_likelihood(latent) - 0.5 * jnp.sum(alpha * (latent - mean))

    sizes = jnp.asarray(_HALVINGS)
    before = objective(jnp.asarray(0.0))
    # The objective has round-off of its own, which must not forbid the last steps.
    slack = 1e-13 * (1.0 + jnp.abs(before))
    rises = jax.vmap(objective)(sizes) >= before + 1e-4 * sizes * decrement**2 - slack
    size = sizes[jnp.argmax(rises)]
    stuck = ~jnp.any(rises) | ~jnp.isfinite(decrement)
    alpha = jnp.where(stuck, mode.alpha, mode.alpha + size * way.step)
    return LatentMode(
        alpha,
        mean + covariance @ alpha,
        jnp.where(jnp.isfinite(decrement), decrement, jnp.inf),
        mode.decrement,
        mode.iterations + 1,
        jnp.maximum(mode.jitter, way.jitter),
        stuck,
    )
