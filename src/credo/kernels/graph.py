"""The covariance of functions on the nodes of a graph."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.base import Kernel, as_text
from credo.kernels.columns import require_indices, require_one_column, rows_named
from credo.kernels.priors import SCALE, VARIANCE
from credo.kernels.roles import CODE, Roles
from credo.numerics.concrete import is_known
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter

__all__ = ["Diffusion"]

_ROUND_OFF = 1e-10  # of the largest entry


def decomposed(laplacian: Any) -> tuple[Float[Array, " v"], Float[Array, "v v"]]:
    """The eigenvalues and eigenvectors of a Laplacian, computed on the host; a pair of them is passed on."""
    if isinstance(laplacian, tuple) and len(laplacian) == 2 and [np.ndim(part) for part in laplacian] == [1, 2]:
        return laplacian
    if not is_known(laplacian):
        raise InputError(
            "Diffusion", "the Laplacian is a tracer", "It is decomposed on the host", "Construct the kernel outside jit"
        )
    dense = laplacian.toarray() if hasattr(laplacian, "toarray") else laplacian
    L = np.asarray(dense, dtype=np.float64)
    if L.ndim != 2 or L.shape[0] != L.shape[1] or not L.size or not np.all(np.isfinite(L)):
        raise InputError(
            "Diffusion", f"the Laplacian has shape {L.shape} or is not finite", "", "Pass a square matrix, a row a node"
        )
    slack = _ROUND_OFF * max(1.0, float(np.max(np.abs(L))))
    if np.max(np.abs(L - L.T)) > slack:
        raise InputError(
            "Diffusion", "the Laplacian is not symmetric", "The graph is directed", "Try (A + A.T)/2 for the adjacency"
        )
    values, vectors = np.linalg.eigh(0.5 * (L + L.T))
    if values[0] < -slack * len(L):
        raise InputError(
            "Diffusion",
            f"the Laplacian has the eigenvalue {values[0]:.3g}",
            "An adjacency matrix was probably passed, or an edge has a negative weight",
            "Pass degrees minus adjacency: np.diag(A.sum(axis=0)) - A",
        )
    return jnp.asarray(np.maximum(values, 0.0)), jnp.asarray(vectors)


class Diffusion(Kernel):
    r"""$k(i, j) = \sigma^2 (e^{-tL})_{ij}/c$ on the nodes of a graph with Laplacian L: heat, spread for a time t.

    c is the mean of the diagonal of $e^{-tL}$, so that σ² is the mean variance over the nodes, whatever t; one node may
    have more, another less (Kondor and Lafferty 2002, section 3, without c). L is symmetric positive semi-definite,
    plain or normalized, dense or a SciPy sparse matrix. It is kept as its eigenvalues and eigenvectors, computed once,
    at construction, in O(v³) for v nodes; a covariance then costs O(nmv). Points have one column, the index of the node
    from 0.

    >>> path = [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]
    >>> print(Diffusion(path)([[0], [1], [2]]).round(3))
    [[1.112 0.67  0.334]
     [0.67  0.776 0.67 ]
     [0.334 0.67  1.112]]
    """

    laplacian: tuple[Float[Array, " v"], Float[Array, "v v"]] = eqx.field(converter=decomposed)
    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)
    time: Float[Array, ""] = parameter(Positive(prior=SCALE), default=1.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return (self._modes(X) * self._weights()) @ self._modes(Z).T

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.sum(self._modes(X) ** 2 * self._weights(), axis=1)

    def _weights(self) -> Float[Array, " v"]:
        decay = jnp.exp(-self.time * self.laplacian[0])
        return self.variance * decay / jnp.mean(decay)

    def _modes(self, X: Array) -> Float[Array, "n v"]:
        return rows_named(self.laplacian[1], X)

    @property
    def nodes(self) -> int:
        """The number of nodes of the graph."""
        return self.laplacian[0].size

    def require_columns(self, d: int, who: str) -> None:
        require_one_column(self, d, who, "the index of a node")

    def column_roles(self, d: int, who: str) -> Roles:
        return (CODE,) * d

    def _check_values(self, X: Array, who: str) -> None:
        require_indices(X, self.nodes, who, "node", f"a graph of {self.nodes}")

    def _formula(self) -> str:
        return f"Diffusion(<{self.nodes} nodes>, variance={as_text(self.variance)}, time={as_text(self.time)})"
