"""The covariance of several outputs with each other."""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.base import Kernel
from credo.kernels.columns import require_indices, require_one_column, rows_named
from credo.kernels.priors import MIXING, VARIANCE
from credo.kernels.roles import CODE, Roles
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["Coregionalization"]


class Coregionalization(Kernel):
    r"""$k(i, j) = (WW^\top)_{ij} + \kappa_i [i = j]$ on the numbers of outputs: what they share, and what is their own.

    Times a kernel of the inputs it is the intrinsic coregionalization model: each output is a combination of the same
    r independent functions with weights W (`mixing`, a row an output) and one of its own of variance κ (`own`), all
    with the same kernel (Álvarez, Rosasco and Lawrence 2012, section 4.2). Points have one column, the number of the
    output from 0, so outputs need not be measured at the same inputs. Costs O(nmr).

    >>> outputs = Coregionalization(mixing=[[1.0], [-2.0]], own=[0.5, 0.1])
    >>> print(outputs([[0], [1]]))
    [[ 1.5 -2. ]
     [-2.   4.1]]
    >>> from credo.kernels import On, RBF
    >>> together = On(RBF(), [0]) * On(outputs, [1])  # a row is an input, then the number of an output
    """

    mixing: Float[Array, "p r"] = parameter(Real(prior=MIXING), event_ndim=2)
    own: Float[Array, " p"] = parameter(Positive(prior=VARIANCE), event_ndim=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mixing.ndim != 2 or self.own.shape != self.mixing.shape[:1]:
            raise InputError(
                "Coregionalization",
                f"mixing has shape {self.mixing.shape} and own {self.own.shape}",
                "Both have an entry an output, and mixing a column for each function that outputs share",
                "For two outputs try mixing=[[1.0], [1.0]], own=[0.1, 0.1]",
            )

    @property
    def matrix(self) -> Float[Array, "p p"]:
        """The covariance of the outputs."""
        return self.mixing @ self.mixing.T + jnp.diag(self.own)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        same = X[:, 0][:, None] == Z[:, 0][None, :]
        left, right = rows_named(self.mixing, X), rows_named(self.mixing, Z)
        return left @ right.T + jnp.where(same, rows_named(self.own[:, None], X), 0.0)

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.sum(rows_named(self.mixing, X) ** 2, axis=1) + rows_named(self.own[:, None], X)[:, 0]

    def require_columns(self, d: int, who: str) -> None:
        require_one_column(self, d, who, "the number of an output")

    def column_roles(self, d: int, who: str) -> Roles:
        return (CODE,) * d

    def _check_values(self, X: Any, who: str) -> None:
        require_indices(X, self.own.size, who, "output", f"{self.own.size}")
