"""Low rank: diagonal plus low rank by Woodbury's identity, and the pivoted Cholesky that finds the low rank."""

from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import ArrayLike, Float, Int

from credo.errors import InputError
from credo.numerics.cholesky import Factor, as_square, check_symmetric, cholesky
from credo.numerics.concrete import is_known

__all__ = ["DiagonalPlusLowRank", "PivotedCholesky", "pivoted_cholesky", "pivoted_cholesky_of_columns"]


class DiagonalPlusLowRank(eqx.Module):
    r"""$K = D + U U^\top$ with a positive diagonal D and U of r columns: O(n r²) once, then O(n r) a column.

    With $V = D^{-1/2} U$ and the capacitance $C = I + V^\top V$, of r rows and never smaller than the identity,
    $K^{-1} = D^{-1/2}(I - V C^{-1} V^\top) D^{-1/2}$ (Woodbury) and $|K| = |D|\,|C|$ (Golub and Van Loan 2013, eq.
    2.1.4). An argument `b` is a vector (n,) or columns (n, m). Batches by ``jax.vmap``.

    >>> K = DiagonalPlusLowRank(np.ones(2), np.array([[1.0], [2.0]]))
    >>> K.solve(np.array([1.0, 0.0])).round(6).tolist(), round(float(K.log_det), 6)
    ([0.833333, -0.333333], 1.791759)
    """

    diagonal: Float[Array, " n"]
    low_rank: Float[Array, "n r"]
    capacitance: Factor

    def __init__(self, diagonal: ArrayLike, low_rank: ArrayLike) -> None:
        self.diagonal, self.low_rank = (
            jnp.asarray(diagonal, dtype=jnp.float64),
            jnp.asarray(low_rank, dtype=jnp.float64),
        )
        _check_diagonal_plus_low_rank(self.diagonal, self.low_rank)
        scaled = self._scaled()
        self.capacitance = cholesky(jnp.eye(scaled.shape[1]) + scaled.T @ scaled, who="DiagonalPlusLowRank")

    def multiply(self, b: ArrayLike) -> Array:
        """K b."""
        b = self._checked(b)
        return _rows(self.diagonal, b) * b + self.low_rank @ (self.low_rank.T @ b)

    def solve(self, b: ArrayLike) -> Array:
        """K⁻¹ b."""
        b = self._checked(b)
        root = _rows(jnp.sqrt(self.diagonal), b)
        scaled = self._scaled()
        whitened = b / root
        return (whitened - scaled @ self.capacitance.solve(scaled.T @ whitened)) / root

    def quadratic(self, b: ArrayLike) -> Array:
        """bᵀ K⁻¹ b; for columns the diagonal of it."""
        b = self._checked(b)
        return jnp.sum(b * self.solve(b), axis=0)

    @property
    def log_det(self) -> Float[Array, ""]:
        """log |K|."""
        return jnp.sum(jnp.log(self.diagonal)) + self.capacitance.log_det

    def inverse_diagonal(self) -> Float[Array, " n"]:
        """The diagonal of K⁻¹, which leave-one-out needs. O(n r²)."""
        half = self.capacitance.half_solve(self._scaled().T)
        return (1.0 - jnp.sum(half**2, axis=0)) / self.diagonal

    @property
    def matrix(self) -> Float[Array, "n n"]:
        """K as an array. O(n² r)."""
        return jnp.diag(self.diagonal) + self.low_rank @ self.low_rank.T

    def _scaled(self) -> Float[Array, "n r"]:
        return self.low_rank / jnp.sqrt(self.diagonal)[:, None]

    def _checked(self, b: ArrayLike) -> Array:
        b = jnp.asarray(b, dtype=jnp.float64)
        n = self.diagonal.shape[0]
        if b.ndim not in (1, 2) or b.shape[0] != n:
            raise InputError(
                "DiagonalPlusLowRank",
                f"b has shape {b.shape}, but there are {n} rows",
                "",
                f"Pass shape ({n},) or ({n}, m)",
            )
        return b


def _rows(values: Array, b: Array) -> Array:
    """One value a row, shaped to go with b."""
    return values if b.ndim == 1 else values[:, None]


def _check_diagonal_plus_low_rank(diagonal: Array, low_rank: Array) -> None:
    who = "DiagonalPlusLowRank"
    if diagonal.ndim != 1 or low_rank.ndim != 2 or low_rank.shape[0] != diagonal.shape[0] or low_rank.size == 0:
        raise InputError(
            who,
            f"diagonal has shape {diagonal.shape} and low_rank {low_rank.shape}",
            "The diagonal has one entry a row, the low rank part one row a row and at least one column",
            "Pass shapes (n,) and (n, r)",
        )
    if not is_known(diagonal, low_rank):
        return
    if not (np.all(np.isfinite(np.asarray(diagonal))) and np.all(np.isfinite(np.asarray(low_rank)))):
        raise InputError(
            who, "NaN or infinite entries were given", "Missing values in the input", "Check where they come from"
        )
    smallest = float(jnp.min(diagonal))
    if smallest <= 0:
        raise InputError(
            who,
            f"the smallest entry of the diagonal is {smallest:g}",
            "A noise variance is positive",
            "Try a small positive one",
        )


class PivotedCholesky(NamedTuple):
    """K ≈ L Lᵀ with `lower` L (n, rank), the `pivots` in the order taken, and the trace of what is left.

    `steps` columns are filled; the ones after them are zero, with pivot −1. The remainder K − L Lᵀ is positive
    semi-definite, so `residual_trace` bounds its norm.
    """

    lower: Float[Array, "n r"]
    pivots: Int[Array, " r"]
    residual_trace: Float[Array, ""]
    steps: Int[Array, ""]


def pivoted_cholesky(matrix: ArrayLike, *, rank: int, tolerance: float = 1e-10) -> PivotedCholesky:
    r"""Partial Cholesky of a positive semi-definite matrix, largest remaining variance first.

    Stops after `rank` columns or once the trace of the remainder is at most `tolerance` of the trace of K (Harbrecht,
    Peters and Schneider 2012, algorithm 1). O(n rank²), reading rank rows of K. Not differentiable in reverse mode:
    pivots jump.

    >>> partial = pivoted_cholesky(np.array([[4.0, 2.0], [2.0, 1.0]]), rank=2)
    >>> partial.pivots.tolist(), int(partial.steps)
    ([0, -1], 1)
    """
    who = "pivoted_cholesky"
    matrix = as_square(who, matrix)
    if matrix.ndim != 2:
        raise InputError(who, f"the matrix has shape {matrix.shape}", "It is a batch", "Try jax.vmap over it")
    check_symmetric(who, matrix)
    return pivoted_cholesky_of_columns(eqx.Partial(_row, matrix), jnp.diagonal(matrix), rank=rank, tolerance=tolerance)


def pivoted_cholesky_of_columns(
    column: Callable[[Array], Array], diagonal: ArrayLike, *, rank: int, tolerance: float = 1e-10
) -> PivotedCholesky:
    """[](#credo.numerics.pivoted_cholesky) of a matrix known by diagonal and ``column(i)``, never stored.

    `column` is compiled once a function: pass data through ``eqx.Partial(function, data)``, not in a new lambda each
    time.
    """
    who = "pivoted_cholesky"
    diagonal = jnp.asarray(diagonal, dtype=jnp.float64)
    if diagonal.ndim != 1 or diagonal.shape[0] == 0:
        raise InputError(who, f"the diagonal has shape {diagonal.shape}", "It has one entry a row", "Pass shape (n,)")
    if rank < 1 or tolerance < 0:
        raise InputError(
            who,
            f"rank={rank}, tolerance={tolerance}",
            "At least one column is needed, and no negative error",
            "Try rank=10",
        )
    if is_known(diagonal) and not bool(jnp.all(jnp.isfinite(diagonal) & (diagonal >= 0))):
        raise InputError(
            who,
            f"the diagonal has the entry {float(jnp.min(diagonal)):g}, or one that is not finite",
            "Variances are not negative",
            "Check the kernel",
        )
    return _pivoted_cholesky(column, diagonal, min(rank, diagonal.shape[0]), jnp.asarray(tolerance, dtype=jnp.float64))


def _row(matrix: Array, i: Array) -> Array:
    return matrix[i]


@eqx.filter_jit
def _pivoted_cholesky(
    column: Callable[[Array], Array], diagonal: Array, rank: int, tolerance: Array
) -> PivotedCholesky:
    n = diagonal.shape[0]
    enough = tolerance * jnp.sum(diagonal)
    floor = jnp.finfo(diagonal.dtype).eps * jnp.max(diagonal)  # below this a pivot is round-off

    def is_unfinished(state: tuple[Array, Array, Array, Array]) -> Array:
        k, _, _, left = state
        return (k < rank) & (jnp.sum(left) > enough) & (jnp.max(left) > floor)

    def step(state: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        k, rows, pivots, left = state
        pivot = jnp.argmax(left)
        new = (column(pivot) - rows[:, pivot] @ rows) / jnp.sqrt(left[pivot])
        taken = jnp.zeros(n, dtype=bool).at[pivots].set(True, mode="drop").at[pivot].set(True)
        left = jnp.where(taken, 0.0, jnp.maximum(left - new**2, 0.0))
        return k + 1, rows.at[k].set(new), pivots.at[k].set(pivot), left

    # Rows of Lᵀ are contiguous; an unused pivot is n while looping (dropped by the scatter above) and -1 in the answer.
    start = (jnp.asarray(0), jnp.zeros((rank, n)), jnp.full(rank, n), diagonal)
    steps, rows, pivots, left = lax.while_loop(is_unfinished, step, start)
    return PivotedCholesky(rows.T, jnp.where(pivots == n, -1, pivots), jnp.sum(left), steps)
