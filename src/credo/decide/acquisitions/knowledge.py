r"""How much lower the least posterior mean is expected to be after a measurement: the knowledge gradient.

$\min_a\mu(a) - \mathbb E_z\min_a\left[\mu(a) + \tilde\sigma(a, x)\,z\right]$ over points a and x itself, with
$\tilde\sigma(a, x) = \operatorname{Cov}(f(a), f(x))/\sqrt{\operatorname{Var}f(x) + \sigma^2}$ and z standard normal
(Frazier, Powell & Dayanik 2009). The expectation over z is Gauss–Hermite's, so that gradients pass through.
"""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions.improvement import Acquisition
from credo.decide.acquisitions.surface import GPSurface
from credo.numerics.quadrature import gauss_normal

__all__ = ["KnowledgeGradient"]

_NODES = 64
_LEAST = 1e-300


class KnowledgeGradient(Acquisition):
    """The logarithm of the expected drop of the least posterior mean over `points` by one measurement."""

    surface: GPSurface
    points: Float[Array, "a d"]

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        rule = gauss_normal(_NODES)
        nodes, weights = jnp.asarray(rule.nodes), jnp.asarray(rule.weights)
        there, _ = self.surface.moments(self.points)
        here, variance = self.surface.moments(X)
        seen = jnp.sqrt(variance[:, 0] + self.surface.noise(X))
        slopes = self.surface.covariance(X, self.points) / seen[:, None]
        # At x itself, which may be the least after the measurement.
        means = jnp.concatenate([jnp.broadcast_to(there[:, 0], slopes.shape), here], axis=1)
        slopes = jnp.concatenate([slopes, variance / seen[:, None]], axis=1)
        lines = means[:, :, None] + slopes[:, :, None] * nodes
        after = _least(lines, axis=1) @ weights
        return jnp.log(jnp.maximum(_least(means, axis=1) - after, _LEAST))


def _least(values: Array, axis: int) -> Array:
    """The least along an axis. The slope of `jnp.min` compares with values that XLA may compute a second time, to
    another last digit, and divides by how many are equal, which can be none."""
    chosen = jnp.argmin(jax.lax.stop_gradient(values), axis=axis)
    return jnp.squeeze(jnp.take_along_axis(values, jnp.expand_dims(chosen, axis), axis=axis), axis)
