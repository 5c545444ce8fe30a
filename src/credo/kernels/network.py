"""The covariance of a network with one infinitely wide hidden layer."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.base import Kernel
from credo.kernels.columns import require_one_each
from credo.kernels.distances import squared_distances
from credo.kernels.priors import VARIANCE
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter

__all__ = ["ArcCosine"]


class ArcCosine(Kernel):
    r"""$k(x, x') = \tfrac{\sigma^2}{\pi} |\tilde x|^n |\tilde x'|^n J_n(\theta)$: one hidden layer of infinite width.

    $\tilde x = (\sigma_w x, \sigma_b)$ with weight variances $\sigma_w^2$ (one, or one a column) and bias variance
    $\sigma_b^2$, θ the angle of $\tilde x$ and $\tilde x'$, and (Cho and Saul 2009, section 2)

    $J_0 = \pi - \theta$, $J_1 = \sin\theta + (\pi - \theta)\cos\theta$,
    $J_2 = 3 \sin\theta \cos\theta + (\pi - \theta)(1 + 2\cos^2\theta)$.

    The order n is the power in the activation $\max(0, a)^n$ of the hidden units: 0 steps, 1 rectified linear units
    (k is $2\sigma^2$ times the mean product of two of them), 2 their squares. Functions of order 0 are continuous only:
    at coincident points k has no derivative, and zero is given, the symmetric one.

    >>> print(ArcCosine()([[0.0], [1.0]]).round(6))
    [[1.      1.06831]
     [1.06831 2.     ]]
    """

    order: int = eqx.field(default=1, static=True)
    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)
    weight_variance: Float[Array, "..."] = parameter(Positive(prior=VARIANCE), default=1.0)
    bias_variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order not in (0, 1, 2):
            raise InputError("ArcCosine", f"order={self.order!r}", "There are steps, ramps and squares", "Try order=1")

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        (u, x_length), (v, z_length) = self._directions(X), self._directions(Z)
        lengths = (x_length[:, None] * z_length[None, :]) ** self.order
        return self.variance / jnp.pi * lengths * _OF_ORDER[self.order](squared_distances(u, v))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        _, length = self._directions(X)
        return (1.0, 1.0, 3.0)[self.order] * self.variance * length ** (2 * self.order)

    def _directions(self, X: Array) -> tuple[Array, Array]:
        bias = jnp.broadcast_to(jnp.sqrt(self.bias_variance), (X.shape[0], 1))
        extended = jnp.concatenate([X * jnp.sqrt(self.weight_variance), bias], axis=1)
        length = jnp.sqrt(jnp.sum(extended**2, axis=1))  # at least the bias, so never zero
        return extended / length[:, None], length

    def require_columns(self, d: int, who: str) -> None:
        require_one_each(self, "weight_variance", d, who)


# As functions of the squared chord s = |u - v|² of the two directions, cos θ = 1 - s/2, these have each other as
# derivatives, so that at θ = 0 the derivatives are the limits, and an angle is not lost in the rounding of its cosine.


_COINCIDENT = 1e-30  # below, the angle is 0 or π up to the round-off of two directions, which XLA computes twice


def _outside(s: Array) -> Array:
    """The angle π - θ."""
    return 2.0 * jnp.arctan2(jnp.sqrt(4.0 - s), jnp.sqrt(s))


def _sin_cos(s: Array) -> tuple[Array, Array]:
    return 0.5 * jnp.sqrt(s * (4.0 - s)), 1.0 - 0.5 * s


@jax.custom_jvp
def _steps(s: Array) -> Array:
    return _outside(jnp.clip(s, 0.0, 4.0))


@_steps.defjvp
def _steps_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Any]:
    square = primals[0] * (4.0 - primals[0])
    slope = jnp.where(square > _COINCIDENT, -1.0 / jnp.sqrt(jnp.maximum(square, _COINCIDENT)), 0.0)
    return _steps(primals[0]), slope * tangents[0]


@jax.custom_jvp
def _ramps(s: Array) -> Array:
    s = jnp.clip(s, 0.0, 4.0)
    sin, cos = _sin_cos(s)
    return sin + _outside(s) * cos


@_ramps.defjvp
def _ramps_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Any]:
    return _ramps(primals[0]), -0.5 * _steps(primals[0]) * tangents[0]


@jax.custom_jvp
def _squares(s: Array) -> Array:
    s = jnp.clip(s, 0.0, 4.0)
    sin, cos = _sin_cos(s)
    return 3.0 * sin * cos + _outside(s) * (1.0 + 2.0 * cos**2)


@_squares.defjvp
def _squares_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Any]:
    return _squares(primals[0]), -2.0 * _ramps(primals[0]) * tangents[0]


_OF_ORDER = (_steps, _ramps, _squares)
