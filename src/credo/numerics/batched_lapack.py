"""Factorizations and solves of batches of matrices, without waiting inside XLA's thread pool.

XLA's CPU backend splits a large batch of LAPACK calls into tasks of its thread pool and waits for them on a thread of
that pool. When as many computations wait as the pool has threads, as two fits in two Python threads on two cores, the
tasks never start. The functions below hand LAPACK one piece of a batch after the other, each too small to be split.
They hold for batch axes and for vmap alike.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.custom_batching import custom_vmap
from jaxtyping import Float

from credo.numerics.lapack import symmetric_part

__all__ = ["factor_lower", "factor_tangent", "solve_lower", "solve_square", "symmetric_eigen"]

_SPLIT_FROM = 200_000  # operations of a batch from which jaxlib's LAPACK calls use the thread pool
_ITERATED = 20  # times n³ that an eigendecomposition costs


@jax.custom_jvp
def factor_lower(matrix: Float[Array, "*batch n n"]) -> Float[Array, "*batch n n"]:
    """L with L Lᵀ the matrix, of which the lower triangle is read; NaN where there is none. No jitter. O(n³/3)."""
    return _factor(matrix)


@factor_lower.defjvp
def _factor_lower_jvp(primals, tangents):  # type: ignore[no-untyped-def]
    lower = factor_lower(*primals)
    return lower, factor_tangent(lower, *tangents)


def factor_tangent(lower: Float[Array, "*batch n n"], change: Float[Array, "*batch n n"]) -> Float[Array, "*batch n n"]:
    r"""$dL = L\,\Phi(L^{-1}\, dK\, L^{-\top})$, Φ the lower triangle with half its diagonal (Murray 2016, eq. 8)."""
    half = solve_lower(lower, symmetric_part(change))
    inner = solve_lower(lower, jnp.swapaxes(half, -1, -2))  # symmetric, so its transpose is itself
    return lower @ (jnp.tril(inner) - 0.5 * inner * jnp.eye(lower.shape[-1]))


def solve_lower(
    lower: Float[Array, "*batch n n"], b: Float[Array, "*batch n k"], *, transposed: bool = False
) -> Float[Array, "*batch n k"]:
    """L⁻¹ b, or L⁻ᵀ b, for lower triangular L. O(n² k).

    >>> solve_lower(jnp.array([[2.0, 0.0], [1.0, 1.0]]), jnp.array([[2.0], [3.0]])).ravel().tolist()
    [1.0, 2.0]
    """

    def multiply(x: Array) -> Array:
        triangle = jnp.tril(lower)
        return (jnp.swapaxes(triangle, -1, -2) if transposed else triangle) @ x

    there, back = (_solve_transposed, _solve_forward) if transposed else (_solve_forward, _solve_transposed)
    return lax.custom_linear_solve(
        multiply, b, solve=lambda _, rhs: there(lower, rhs), transpose_solve=lambda _, rhs: back(lower, rhs)
    )


def _in_pieces(function: Callable, *matrices: Any, cost: int) -> Any:
    """`function` of a batch of matrices, in pieces of fewer operations than XLA splits."""
    batch = matrices[0].shape[:-2]
    count = int(np.prod(batch))
    if count < 2 or count * cost < _SPLIT_FROM:
        return function(*matrices)
    flat = tuple(matrix.reshape(count, *matrix.shape[-2:]) for matrix in matrices)
    size = (_SPLIT_FROM - 1) // max(cost, 1)
    answers = lax.map(lambda parts: function(*parts), flat, batch_size=size if size > 1 else None)
    return jax.tree.map(lambda answer: answer.reshape(*batch, *answer.shape[1:]), answers)


def _of_one_matrix(function: Callable, operations: int) -> Callable:
    """`function` of a batch of n × n matrices that costs `operations` times n³ each, with its rule for vmap."""

    @custom_vmap
    def whole(matrix: Array) -> Any:
        return _in_pieces(function, matrix, cost=operations * matrix.shape[-1] ** 3)

    @whole.def_vmap
    def of_batch(size: int, batched: list[bool], matrix: Array) -> tuple[Any, Any]:
        answer = whole(matrix)
        return answer, jax.tree.map(lambda _: True, answer)

    return whole


def _of_sides(function: Callable) -> Callable:
    """`function` of a batch of systems and their right-hand sides. One system for a batch of them has more columns."""

    @custom_vmap
    def whole(matrix: Array, b: Array) -> Array:
        n, k = b.shape[-2:]
        return _in_pieces(function, matrix, b, cost=n * n * max(n, k))

    @whole.def_vmap
    def of_batch(size: int, batched: list[bool], matrix: Array, b: Array) -> tuple[Array, bool]:
        has_own_matrix, has_own_side = batched
        if has_own_matrix:
            return whole(matrix, b if has_own_side else jnp.broadcast_to(b, (size, *b.shape))), True
        side_by_side = jnp.moveaxis(b, 0, -2)  # *batch, n, size, k
        solved = whole(matrix, side_by_side.reshape(*b.shape[1:-1], size * b.shape[-1]))
        return jnp.moveaxis(solved.reshape(side_by_side.shape), -2, 0), True

    return whole


def _triangular(transposed: bool) -> Callable[[Array, Array], Array]:
    return lambda lower, b: lax.linalg.triangular_solve(lower, b, left_side=True, lower=True, transpose_a=transposed)


_factor = _of_one_matrix(lambda matrix: lax.linalg.cholesky(matrix, symmetrize_input=False), 1)
_eigen = _of_one_matrix(lambda matrix: tuple(jnp.linalg.eigh(matrix)), _ITERATED)
_solve_forward, _solve_transposed = _of_sides(_triangular(False)), _of_sides(_triangular(True))
_solve_any = _of_sides(jnp.linalg.solve)


def symmetric_eigen(matrix: Float[Array, "*batch n n"]) -> tuple[Float[Array, "*batch n"], Float[Array, "*batch n n"]]:
    """Eigenvalues in ascending order and eigenvectors as columns. No reverse mode. O(n³)."""
    return _eigen(matrix)


def solve_square(matrix: Float[Array, "*batch n n"], b: Float[Array, "*batch n k"]) -> Float[Array, "*batch n k"]:
    """M⁻¹ b for a square matrix, by LU with pivots. O(n³)."""
    turned = jnp.swapaxes(matrix, -1, -2)
    return lax.custom_linear_solve(
        lambda x: matrix @ x,
        b,
        solve=lambda _, rhs: _solve_any(matrix, rhs),
        transpose_solve=lambda _, rhs: _solve_any(turned, rhs),
    )
