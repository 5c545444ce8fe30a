"""The covariance of functions of categories."""

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.kernels.base import Kernel
from credo.kernels.columns import require_codes, require_one_each
from credo.kernels.priors import LENGTHSCALE, VARIANCE
from credo.kernels.roles import CODE, Roles
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter

__all__ = ["Hamming"]


class Hamming(Kernel):
    r"""$k(x, x') = \sigma^2 \exp\bigl(-\sum_j [x_j \ne x'_j]/\ell_j\bigr)$ on category codes: a factor a difference.

    Every two categories of a column are equally unlike; codes are names and their order means nothing. One length-scale
    serves all columns, or a vector has one a column: where it is long, the column matters little. In x it is constant
    between jumps, so all derivatives are zero. Costs O(nmd).

    >>> print(Hamming(lengthscale=2.0)([[0, 1], [0, 2]]).round(6))
    [[1.       0.606531]
     [0.606531 1.      ]]
    """

    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)
    lengthscale: Float[Array, "..."] = parameter(Positive(prior=LENGTHSCALE), default=1.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        differs = X[:, None, :] != Z[None, :, :]
        return self.variance * jnp.exp(-jnp.sum(jnp.where(differs, 1.0 / self.lengthscale, 0.0), axis=-1))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.variance, X.shape[:1])

    def require_columns(self, d: int, who: str) -> None:
        require_one_each(self, "lengthscale", d, who)

    def column_roles(self, d: int, who: str) -> Roles:
        return (CODE,) * d

    def _check_values(self, X: Array, who: str) -> None:
        require_codes(X, who, "category", -np.inf)
