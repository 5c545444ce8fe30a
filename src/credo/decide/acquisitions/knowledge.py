r"""How much lower the least posterior mean is expected to be after a measurement: the knowledge gradient.

$\min_a\mu(a) - \mathbb E_z\min_a\left[\mu(a) + \tilde\sigma(a, x)\,z\right]$ over points a and x itself, with
$\tilde\sigma(a, x) = \operatorname{Cov}(f(a), f(x))/\sqrt{\operatorname{Var}f(x) + \sigma^2}$ and z standard normal
(Frazier, Powell & Dayanik 2009). The expectation over z is Gauss–Hermite's, so that gradients pass through.

Where a column is a fidelity, what counts is the least mean at the fidelity that is meant, also of a measurement at a
cheaper one: points a are there, and in place of x itself there is x at that fidelity (Poloczek, Wang & Frazier 2017).
Divided by the cost it says which fidelity to measure at.

Where settings will be missed, what counts is the least mean of the average around a point, $g(a) = \mathbb E_\delta
f(a + \delta)$, and a measurement of f at x tells about it by $\operatorname{Cov}(g(a), f(x))$.
"""

from typing import Self

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float

from credo.decide.acquisitions.improvement import Acquisition, averaged
from credo.decide.acquisitions.joint import covariances, noises
from credo.decide.acquisitions.robust import PerturbedSurface
from credo.decide.acquisitions.surface import Surface
from credo.numerics.concrete import placed
from credo.numerics.padding import filled
from credo.numerics.quadrature import gauss_normal
from credo.numerics.rows import map_rows

__all__ = ["KnowledgeGradient"]

_NODES = 64
_LEAST = 1e-300


class KnowledgeGradient(Acquisition):
    """The logarithm of the expected drop of the least posterior mean over `points` by one measurement.

    With `target`, the `columns` of it that are True are those of the fidelity that is meant, at which the points are.
    With `average`, which has `surface` as its base, the mean is that of the average; measured is the function itself.
    Of several beliefs the drop is averaged: it is that of an optimizer who knows which of them holds, a little more
    than of one who does not. O(a (n² + nodes)) a row, for a points.
    """

    surface: Surface
    points: Float[Array, "a d"]
    target: Float[Array, " d"] | None = None
    columns: Bool[Array, " d"] | None = None
    average: PerturbedSurface | None = None

    @classmethod
    def of(
        cls,
        surface: Surface,
        points: Float[np.ndarray, "a d"],
        *,
        target: Float[np.ndarray, " d"] | None = None,
        columns: Bool[np.ndarray, " d"] | None = None,
    ) -> Self:
        """On points at any fidelity, which are taken to that of the target, and as many that a further one compiles
        nothing."""
        if target is None or columns is None:
            return cls(surface, placed(filled(points)))
        there = np.where(columns, target, points)
        return cls(surface, placed(filled(there)), placed(np.where(columns, target, 0.0)), placed(columns))

    @classmethod
    def of_average(cls, average: PerturbedSurface, points: Float[np.ndarray, "a d"]) -> Self:
        """About the average around the points, by measurements of the function itself."""
        return cls(average.base, placed(filled(points)), average=average)

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        there, _ = (self.surface if self.average is None else self.average).moments(self.points)
        return map_rows(lambda rows: self._of_rows(rows, there), X, cost=_NODES * there.size)

    def _of_rows(self, X: Float[Array, "m d"], there: Float[Array, "a s"]) -> Float[Array, " m"]:
        rule = gauss_normal(_NODES)
        nodes, weights = jnp.asarray(rule.nodes), jnp.asarray(rule.weights)
        here, own = self._at_target(X)
        seen = jnp.sqrt(self.surface.moments(X)[1] + noises(self.surface, X))
        slopes = jnp.moveaxis(self._across(X, self.points), 0, 2) / seen[:, None, :]
        # At x itself, which may be the least after the measurement.
        means = jnp.concatenate([jnp.broadcast_to(there, slopes.shape[:2] + there.shape[1:]), here[:, None]], axis=1)
        slopes = jnp.concatenate([slopes, (own / seen)[:, None]], axis=1)
        lines = means[..., None] + slopes[..., None] * nodes
        # The line of the least mean has that mean on average. Taken node by node no digits cancel, however small it is.
        chosen = jnp.argmin(jax.lax.stop_gradient(means), axis=1, keepdims=True)
        before = jnp.take_along_axis(lines, chosen[..., None], axis=1)[:, 0]
        drop = (before - _least(lines, axis=1)) @ weights
        return averaged(jnp.log(jnp.maximum(drop, _LEAST)))

    def _at_target(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m s"], Float[Array, "m s"]]:
        """The mean of what counts at each row taken to the target, and its covariance with the row."""
        if self.average is None and (self.target is None or self.columns is None):
            return self.surface.moments(X)
        counted = self.surface if self.average is None else self.average
        moved = X if self.target is None or self.columns is None else jnp.where(self.columns, self.target, X)
        mean, _ = counted.moments(moved)
        pair = lambda x, z: self._across(x[None], z[None])[:, 0, 0]  # noqa: E731
        return mean, jnp.broadcast_to(jax.vmap(pair)(X, moved), mean.shape)

    def _across(self, X: Float[Array, "m d"], Z: Float[Array, "k d"]) -> Float[Array, "c m k"]:
        """Of a measurement at X and what counts at Z."""
        return covariances(self.surface, X, Z) if self.average is None else self.average.covariances_with_base(X, Z)


def _least(values: Array, axis: int) -> Array:
    """The least along an axis. The slope of `jnp.min` compares with values that XLA may compute a second time, to
    another last digit, and divides by how many are equal, which can be none."""
    chosen = jnp.argmin(jax.lax.stop_gradient(values), axis=axis)
    return jnp.squeeze(jnp.take_along_axis(values, jnp.expand_dims(chosen, axis), axis=axis), axis)
