"""The two kernels that ignore where points are: all alike, and all independent."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.kernels.base import Kernel, as_text
from credo.kernels.priors import VARIANCE
from credo.kernels.roles import Roles
from credo.numerics.constraints import Positive
from credo.numerics.parameters import constraint_of, parameter

__all__ = ["Constant", "White"]


class Constant(Kernel):
    r"""$k = \sigma^2$: one unknown level for all points.

    As a factor it scales: ``Constant(2.0) * k`` learns the scale, ``2.0 * k`` holds it.

    >>> Constant(2.0)([[0.0], [1.0]]).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """

    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.broadcast_to(self.variance, (X.shape[0], Z.shape[0]))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.variance, X.shape[:1])

    def column_roles(self, d: int, who: str) -> Roles:
        return (None,) * d

    def held_text(self) -> str:
        """The number that was written where the constant is held, as in ``2.0 * k``; nothing where it is learned."""
        return "" if constraint_of(self, "variance").is_free else as_text(self.variance)


class White(Kernel):
    r"""$k(x, x') = \sigma^2$ where $x = x'$ and 0 elsewhere: a value of its own at every point.

    It belongs to the function: measured twice at one point, the value is the same. Noise that differs from
    measurement to measurement is a Gaussian process's `noise_variance`.

    >>> White(2.0)([[0.0], [1.0], [0.0]]).tolist()
    [[2.0, 0.0, 2.0], [0.0, 2.0, 0.0], [2.0, 0.0, 2.0]]
    """

    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        same = jnp.all(X[:, None, :] == Z[None, :, :], axis=-1)
        return jnp.where(same, self.variance, 0.0)

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.variance, X.shape[:1])

    def column_roles(self, d: int, who: str) -> Roles:
        return (None,) * d
