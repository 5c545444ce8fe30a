"""Covariances that depend on the distance of two points only."""

from abc import abstractmethod
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.kernels.base import Kernel
from credo.kernels.columns import require_one_each
from credo.kernels.distances import squared_distances
from credo.kernels.priors import LENGTHSCALE, VARIANCE
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter

__all__ = ["RBF", "Matern12", "Matern32", "Matern52", "RationalQuadratic", "Stationary"]


class Stationary(Kernel):
    r"""$k(x, x') = \sigma^2 \rho(r^2)$ with $r^2 = \sum_j (x_j - x'_j)^2/\ell_j^2$.

    One length-scale serves all columns; a vector has one a column (automatic relevance determination). A subclass is
    its correlation $\rho$, with $\rho(0) = 1$.
    """

    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)
    lengthscale: Float[Array, "..."] = parameter(Positive(prior=LENGTHSCALE), default=1.0)

    @abstractmethod
    def of_squared_distance(self, r2: Array) -> Array:
        """The correlation at squared scaled distance r2."""

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self.variance * self.of_squared_distance(squared_distances(X, Z, self.lengthscale))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.variance, X.shape[:1])

    def require_columns(self, d: int, who: str) -> None:
        require_one_each(self, "lengthscale", d, who)


class RBF(Stationary):
    r"""Covariance of functions with all derivatives: $\rho = e^{-r^2/2}$ (Rasmussen and Williams 2006, eq. 4.9).

    >>> k = RBF(lengthscale=[1.0, 2.0])
    >>> f"{k([[0.0, 0.0]], [[1.0, 2.0]])[0, 0]:.6f}"
    '0.367879'
    """

    def of_squared_distance(self, r2: Array) -> Array:
        return jnp.exp(-0.5 * r2)


class Matern12(Stationary):
    r"""Covariance of rough continuous functions: $\rho = e^{-r}$, the Ornstein–Uhlenbeck process in one dimension.

    It has no derivative at coincident points; zero is given, the symmetric one.

    >>> f"{Matern12()([[0.0]], [[1.0]])[0, 0]:.6f}"
    '0.367879'
    """

    def of_squared_distance(self, r2: Array) -> Array:
        return _matern12(r2)


class Matern32(Stationary):
    r"""Covariance of functions with one derivative: $\rho = (1 + a)e^{-a}$, $a = \sqrt3\,r$.

    >>> f"{Matern32()([[0.0]], [[1.0]])[0, 0]:.6f}"
    '0.483358'
    """

    def of_squared_distance(self, r2: Array) -> Array:
        return _matern32(3.0 * r2)


class Matern52(Stationary):
    r"""Covariance of functions with two derivatives: $\rho = (1 + a + a^2/3)e^{-a}$, $a = \sqrt5\,r$.

    >>> Matern52(variance=2.0, lengthscale=0.5)
    Matern52(variance=2, lengthscale=0.5)
    """

    def of_squared_distance(self, r2: Array) -> Array:
        return _matern52(5.0 * r2)


class RationalQuadratic(Stationary):
    r"""A mixture of RBF over length-scales: $\rho = (1 + r^2/2\alpha)^{-\alpha}$ (Rasmussen and Williams, eq. 4.19).

    >>> f"{RationalQuadratic(alpha=1.0)([[0.0]], [[1.0]])[0, 0]:.6f}"
    '0.666667'
    """

    alpha: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)

    def of_squared_distance(self, r2: Array) -> Array:
        return jnp.exp(-self.alpha * jnp.log1p(0.5 * r2 / self.alpha))


# As functions of s = a² these have each other as derivatives, so that at s = 0 the derivatives are the limits; the
# chain rule through a square root would give zero or infinity.


_COINCIDENT = 1e-33  # below, exp(-a) is 1 to the last bit


def _exponential(s: Array) -> tuple[Array, Array]:
    """a and exp(-a).

    With a floor and no two branches: XLA computes s again wherever it is used, not always to the same last bit, so that
    where(s > 0, sqrt(where(s > 0, s, 1)), 0) can be the root of 1.
    """
    a = jnp.sqrt(jnp.maximum(s, _COINCIDENT))
    return a, jnp.exp(-a)


@jax.custom_jvp
def _matern12(s: Array) -> Array:
    return _exponential(s)[1]


@_matern12.defjvp
def _matern12_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Any]:
    a, value = _exponential(primals[0])
    slope = jnp.where(primals[0] > _COINCIDENT, -0.5 * value / a, 0.0)
    return value, slope * tangents[0]


@jax.custom_jvp
def _matern32(s: Array) -> Array:
    a, decay = _exponential(s)
    return (1.0 + a) * decay


@_matern32.defjvp
def _matern32_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Any]:
    return _matern32(primals[0]), -0.5 * _matern12(primals[0]) * tangents[0]


@jax.custom_jvp
def _matern52(s: Array) -> Array:
    a, decay = _exponential(s)
    return (1.0 + a + s / 3.0) * decay


@_matern52.defjvp
def _matern52_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Any]:
    return _matern52(primals[0]), -(1.0 / 6.0) * _matern32(primals[0]) * tangents[0]
