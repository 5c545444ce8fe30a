"""Covariances of lines and polynomials: functions of the inner product of two points."""

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.base import Kernel
from credo.kernels.columns import require_one_each
from credo.kernels.priors import VARIANCE
from credo.numerics.constraints import Fixed, Positive
from credo.numerics.parameters import parameter

__all__ = ["Linear", "Polynomial"]


class Linear(Kernel):
    r"""$k(x, x') = \sum_j \sigma_j^2 (x_j - c_j)(x'_j - c_j)$: lines, with slopes of variance $\sigma_j^2$ in column j.

    One variance serves all columns, or a vector has one a column. All lines are zero at the center c; it is held, at 0
    unless given, and ``center=Real(0.0)`` learns it. ``Linear() + Constant()`` has an intercept (Rasmussen and Williams
    2006, section 4.2.2). Costs O(nmd).

    >>> float(Linear(variance=[1.0, 2.0])([[1.0, 1.0]], [[3.0, 4.0]])[0, 0])
    11.0
    """

    variance: Float[Array, "..."] = parameter(Positive(prior=VARIANCE), default=1.0)
    center: Float[Array, "..."] = parameter(Fixed(), default=0.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return ((X - self.center) * self.variance) @ (Z - self.center).T

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.sum(self.variance * (X - self.center) ** 2, axis=1)

    def require_columns(self, d: int, who: str) -> None:
        require_one_each(self, "variance", d, who)
        require_one_each(self, "center", d, who)


class Polynomial(Kernel):
    r"""$k(x, x') = (\sum_j \sigma_j^2 x_j x'_j + c)^p$: polynomials up to degree p, with all products of columns.

    The offset c > 0 weighs the lower degrees; for degree p alone take ``Linear() ** p``. One variance serves all
    columns, or a vector has one a column (Rasmussen and Williams 2006, section 4.2.2). Costs O(nmd).

    >>> float(Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 1.0]])[0, 0])
    36.0
    """

    degree: int = eqx.field(default=2, static=True)
    variance: Float[Array, "..."] = parameter(Positive(prior=VARIANCE), default=1.0)
    offset: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.degree, int) or self.degree < 1:
            raise InputError(
                "Polynomial", f"degree={self.degree!r}", "Only whole powers are kernels for certain", "Try degree=2"
            )

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return ((X * self.variance) @ Z.T + self.offset) ** self.degree

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return (jnp.sum(self.variance * X**2, axis=1) + self.offset) ** self.degree

    def require_columns(self, d: int, who: str) -> None:
        require_one_each(self, "variance", d, who)
