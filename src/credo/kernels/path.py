"""The covariance of the random walk in continuous time."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.kernels.base import Kernel
from credo.kernels.columns import require_one_column
from credo.kernels.priors import VARIANCE
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter

__all__ = ["Brownian"]


class Brownian(Kernel):
    r"""$k(t, t') = \sigma^2 \min(|t|, |t'|)$ where t and t' have one sign, 0 elsewhere: Brownian motion from 0 at 0.

    For times before zero it runs backwards, independently: two-sided Brownian motion. Points have one column. Paths
    have no derivative; at coincident points that of k jumps, and the mean of both sides is given (Rasmussen and
    Williams 2006, appendix B.2).

    >>> Brownian(2.0)([[1.0], [3.0], [-1.0]]).tolist()
    [[2.0, 2.0, 0.0], [2.0, 6.0, 0.0], [0.0, 0.0, 2.0]]
    """

    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        same_side = (X > 0.0) == (Z.T > 0.0)
        return jnp.where(same_side, self.variance * jnp.minimum(jnp.abs(X), jnp.abs(Z.T)), 0.0)

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return self.variance * jnp.abs(X[:, 0])

    def require_columns(self, d: int, who: str) -> None:
        require_one_column(self, d, who, "time")
