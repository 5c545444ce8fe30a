"""One covariance before, another after."""

import equinox as eqx
import jax
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.base import Kernel
from credo.kernels.priors import STEEPNESS
from credo.kernels.roles import NUMBER, Roles, merged, moved
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["ChangePoint"]


class ChangePoint(Kernel):
    r"""$k = (1 - s)(1 - s')\,k_1 + s s'\,k_2$, $s(x) = 1/(1 + e^{-a (x_c - \tau)})$: from k₁ to k₂ at τ in column c.

    The covariance of $(1 - s) f_1 + s f_2$ with independent functions (Lloyd et al. 2014, section 2). The change takes
    some 4/a; the steepness a, the location τ and both kernels are learned.

    >>> from credo.kernels import RBF, White
    >>> k = ChangePoint(RBF(), White(0.1), location=5.0, steepness=4.0)
    >>> print(k([[0.0], [10.0]]).round(6))
    [[1.  0. ]
     [0.  0.1]]
    """

    before: Kernel
    after: Kernel
    location: Float[Array, ""] = parameter(Real(), default=0.0)
    steepness: Float[Array, ""] = parameter(Positive(prior=STEEPNESS), default=1.0)
    column: int = eqx.field(default=0, static=True)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        (x_before, x_after), (z_before, z_after) = self._weights(X), self._weights(Z)
        before = x_before[:, None] * z_before[None, :] * self.before.cross(X, Z)
        return before + x_after[:, None] * z_after[None, :] * self.after.cross(X, Z)

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        before, after = self._weights(X)
        return before**2 * self.before.diagonal(X) + after**2 * self.after.diagonal(X)

    def _weights(self, X: Array) -> tuple[Array, Array]:
        a = self.steepness * (X[:, self.column] - self.location)
        return jax.nn.sigmoid(-a), jax.nn.sigmoid(a)

    def require_columns(self, d: int, who: str) -> None:
        super().require_columns(d, who)
        if not -d <= self.column < d:
            raise InputError(
                who,
                f"the kernel changes along column {self.column}, but X has {d} columns",
                "Columns count from zero",
                f"Choose from 0 to {d - 1}",
            )

    def column_roles(self, d: int, who: str) -> Roles:
        return merged([super().column_roles(d, who), moved((NUMBER,), (self.column,), d, who)], who)
