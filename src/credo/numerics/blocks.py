r"""Matrices in blocks, $\begin{pmatrix} A & B \\ B^\top & C \end{pmatrix}$, and the symmetric square root."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.errors import InputError, NotPositiveDefiniteError
from credo.numerics.batched_lapack import symmetric_eigen
from credo.numerics.cholesky import Factor, as_square, check_finite, check_symmetric, cholesky
from credo.numerics.concrete import known_not_finite
from credo.numerics.lapack import symmetric_part

__all__ = ["Blocks", "block_inverse", "schur_complement", "symmetric_sqrt"]


class Blocks(NamedTuple):
    """A symmetric matrix in blocks: `top` (n, n), `cross` (n, m), the upper right one, and `bottom` (m, m)."""

    top: Array
    cross: Array
    bottom: Array

    def assemble(self) -> Array:
        """The whole matrix."""
        return jnp.block([[self.top, self.cross], [jnp.swapaxes(self.cross, -1, -2), self.bottom]])


def schur_complement(top: ArrayLike | Factor, cross: ArrayLike, bottom: ArrayLike) -> Float[Array, "*batch m m"]:
    r"""$C - B^\top A^{-1} B$: of a Gaussian with these blocks, the covariance of the second part given the first.

    `top` is A, or its [](#credo.numerics.Factor) where it is already there. Symmetric to the last bit; positive
    semi-definite up to round-off when the whole matrix is. O(n³ + n² m).

    >>> schur_complement(np.array([[4.0]]), np.array([[2.0]]), np.array([[3.0]])).tolist()
    [[2.0]]
    """
    factor, cross, bottom = _parts("schur_complement", top, cross, bottom)
    half = factor.half_solve(cross)
    return symmetric_part(bottom - jnp.swapaxes(half, -1, -2) @ half)


def block_inverse(top: ArrayLike | Factor, cross: ArrayLike, bottom: ArrayLike) -> Blocks:
    r"""The blocks of the inverse of a positive definite matrix, from A, B, C.

    With $S$ the Schur complement of A and $G = A^{-1}B$: top $A^{-1} + G S^{-1} G^\top$, cross $-G S^{-1}$, bottom
    $S^{-1}$ (Bishop 2006, eq. 2.76). Where A's factor is there, only matrices of m rows are factorized.

    >>> block_inverse(np.array([[4.0]]), np.array([[2.0]]), np.array([[3.0]])).assemble().round(6).tolist()
    [[0.375, -0.25], [-0.25, 0.5]]
    """
    factor, cross, bottom = _parts("block_inverse", top, cross, bottom)
    complement = cholesky(schur_complement(factor, cross, bottom), who="block_inverse")
    gain = factor.solve(cross)
    half = complement.half_solve(jnp.swapaxes(gain, -1, -2))
    corner = complement.inverse()
    return Blocks(factor.inverse() + jnp.swapaxes(half, -1, -2) @ half, -gain @ corner, corner)


def _parts(who: str, top: ArrayLike | Factor, cross: ArrayLike, bottom: ArrayLike) -> tuple[Factor, Array, Array]:
    factor = top if isinstance(top, Factor) else cholesky(top, who=who)
    cross, bottom = jnp.asarray(cross, dtype=jnp.float64), as_square(who, bottom)
    batch, m = factor.lower.shape[:-2], bottom.shape[-1]
    if cross.shape != (*batch, factor.n, m) or bottom.shape[:-2] != batch:
        raise InputError(
            who,
            f"the blocks have shapes {factor.lower.shape}, {cross.shape} and {bottom.shape}",
            "cross is the upper right block: its rows are those of the first block, its columns those of the last",
            f"Pass cross of shape {(*batch, factor.n, m)}",
        )
    check_symmetric(who, bottom)
    check_finite(who, "cross", cross)
    return factor, cross, bottom


def symmetric_sqrt(matrix: ArrayLike, *, who: str = "symmetric_sqrt") -> Float[Array, "*batch n n"]:
    r"""The symmetric positive semi-definite $S$ with $S S = K$, from the eigenvectors of K. O(n³).

    K may be singular: eigenvalues between zero and $-10^{-10}$ of the largest are round-off and count as zero; below,
    arrays raise [](#credo.errors.NotPositiveDefiniteError), and inside jit the result is NaN. The derivative solves
    $S\,dS + dS\,S = dK$, so equal eigenvalues are no trouble; on the null space of K, where it does not exist, it is
    zero.

    >>> symmetric_sqrt(np.diag([4.0, 9.0])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    matrix = as_square(who, matrix)
    check_symmetric(who, matrix)
    root = _batched_sqrt(matrix)
    if known_not_finite(root):
        smallest = float(np.min(np.linalg.eigvalsh(np.asarray(matrix))))
        raise NotPositiveDefiniteError(
            who,
            f"the matrix has the negative eigenvalue {smallest:.3g}",
            "A covariance has none, so this is a difference of covariances, or a sign is wrong",
            "Check how the matrix was built",
        )
    return root


@jax.custom_jvp
def _sqrt(matrix: Array) -> Array:
    return _sqrt_parts(matrix)[0]


@_sqrt.defjvp
def _sqrt_jvp(primals, tangents):  # type: ignore[no-untyped-def]
    root, vectors, roots = _sqrt_parts(*primals)
    sums = roots[:, None] + roots[None, :]
    defined = sums > 1e-8 * jnp.max(roots)  # the root of the round-off of the eigenvalues
    inner = vectors.T @ symmetric_part(tangents[0]) @ vectors
    inner = jnp.where(defined, inner / jnp.where(defined, sums, 1.0), 0.0)
    return root, vectors @ inner @ vectors.T


def _sqrt_parts(matrix: Array) -> tuple[Array, Array, Array]:
    values, vectors = symmetric_eigen(matrix)
    allowed = values[0] >= -1e-10 * jnp.max(jnp.abs(values))
    roots = jnp.sqrt(jnp.maximum(values, 0.0))
    root = symmetric_part((vectors * roots) @ vectors.T)
    return jnp.where(allowed, root, jnp.nan), vectors, roots


_batched_sqrt = jax.jit(jnp.vectorize(_sqrt, signature="(n,n)->(n,n)"))
