"""Small helpers for beliefs about vectors and matrices: half-vectorization, triangular solves, checks on the host."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.numerics.batched_lapack import factor_lower, solve_lower
from credo.numerics.blocks import schur_complement
from credo.numerics.cholesky import cholesky
from credo.numerics.concrete import is_known
from credo.numerics.constraints import PositiveDefinite

__all__ = [
    "condition_on_entries",
    "finite_array",
    "half_log_det",
    "half_solve",
    "lower_factor",
    "matvec",
    "nan_through",
    "require",
    "require_positive_definite",
    "require_square",
    "spd_inverse",
    "spd_solve",
    "spd_solve_factored",
    "split_indices",
    "support_factor",
    "transpose",
    "unvech",
    "unvech_dual",
    "vech",
    "vech_dual",
]


def require(holds: Any, who: str, what: str, cause: str = "", remedy: str = "") -> None:
    """Raise an `InputError` where `holds` is false somewhere; inside jit, where nothing can be raised, do nothing."""
    if is_known(holds) and not bool(np.all(holds)):
        raise InputError(who, what, cause, remedy)


def require_square(who: str, d: int, name: str, matrix: Array) -> None:
    """Refuse a matrix that does not fit vectors of length d."""
    fits = matrix.shape[-2:] == (d, d)
    require(
        fits, who, f"{name} has shape {matrix.shape}, but the vectors have length {d}", "", f"Pass a {d} by {d} matrix"
    )


def require_positive_definite(who: str, name: str, matrix: Array) -> None:
    """Refuse a matrix that is not symmetric positive definite."""
    if not is_known(matrix):
        return
    constraint = PositiveDefinite()
    what = f"{name} is not {constraint.words()}"
    require(
        constraint.contains(matrix),
        who,
        what,
        "A column depends on others, or it is not symmetric",
        "Add to the diagonal",
    )


def finite_array(who: str, name: str, value: Any, shape: tuple[int, ...] | None = None) -> Array:
    """An array of finite float64, with the trailing axes `shape`; an `InputError` otherwise."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex")
        array = jnp.asarray(value, dtype=jnp.float64)
    except (TypeError, ValueError) as error:
        raise InputError(who, f"{name} is not numeric", "Text or a ragged list was passed", "Pass numbers") from error
    if shape is not None and array.shape[max(array.ndim - len(shape), 0) :] != shape:
        raise InputError(
            who,
            f"{name} has shape {array.shape}, but its last axes must be {shape}",
            "The arguments have different lengths",
            f"Pass an array that ends in {shape}",
        )
    require(
        jnp.isfinite(array),
        who,
        f"{name} has entries that are not finite",
        "Missing values were passed",
        "Drop or fill them",
    )
    return array


def nan_through(x: Array, value: Array, event_ndim: int = 0) -> Array:
    """`value`, but NaN where the event x has one: what is unknown is not outside the support."""
    missing = jnp.isnan(x)
    missing = jnp.any(missing, axis=tuple(range(-event_ndim, 0))) if event_ndim else missing
    return jnp.where(missing, jnp.nan, value)


def transpose(matrix: Array) -> Array:
    """The matrices with their last two axes swapped."""
    return jnp.swapaxes(matrix, -1, -2)


def matvec(matrix: Array, vector: Array) -> Array:
    """M v over leading axes."""
    return jnp.einsum("...ij,...j->...i", matrix, vector)


def vech(matrix: Float[Array, "*batch d d"]) -> Float[Array, "*batch p"]:
    """The entries on and below the diagonal, row by row: the d(d+1)/2 numbers of a symmetric matrix.

    >>> vech(jnp.array([[1.0, 2.0], [2.0, 3.0]])).tolist()
    [1.0, 2.0, 3.0]
    """
    rows, columns = np.tril_indices(matrix.shape[-1])
    return matrix[..., rows, columns]


def unvech(entries: Float[Array, "*batch p"]) -> Float[Array, "*batch d d"]:
    """The symmetric matrix of its half; inverse of `vech`."""
    d = round((np.sqrt(8 * entries.shape[-1] + 1) - 1) / 2)
    rows, columns = np.tril_indices(d)
    position = np.zeros((d, d), dtype=int)
    position[rows, columns] = position[columns, rows] = np.arange(rows.size)
    return entries[..., position]


def vech_dual(matrix: Float[Array, "*batch d d"]) -> Float[Array, "*batch p"]:
    """`vech` with off-diagonal entries twice, so that tr(M S) = vech_dual(M) · vech(S) for symmetric M and S."""
    return vech(matrix) * _multiplicity(matrix.shape[-1])


def unvech_dual(entries: Float[Array, "*batch p"]) -> Float[Array, "*batch d d"]:
    """Inverse of `vech_dual`."""
    d = round((np.sqrt(8 * entries.shape[-1] + 1) - 1) / 2)
    return unvech(entries / _multiplicity(d))


def _multiplicity(d: int) -> np.ndarray:
    rows, columns = np.tril_indices(d)
    return np.where(rows == columns, 1.0, 2.0)


def lower_factor(matrix: Float[Array, "*batch d d"], who: str = "cholesky") -> Float[Array, "*batch d d"]:
    """The lower Cholesky factor, under the one jitter policy; where that fails on the host, an error by `who`."""
    return cholesky(matrix, who=who).lower


def spd_inverse(matrix: Float[Array, "*batch d d"]) -> Float[Array, "*batch d d"]:
    """The inverse of a symmetric positive definite matrix."""
    return cholesky(matrix).inverse()


def spd_solve_factored(lower: Array, b: Array) -> Array:
    """(L Lᵀ)⁻¹ B, broadcast over leading axes."""
    batch = jnp.broadcast_shapes(lower.shape[:-2], b.shape[:-2])
    lower, b = jnp.broadcast_to(lower, batch + lower.shape[-2:]), jnp.broadcast_to(b, batch + b.shape[-2:])
    return solve_lower(lower, solve_lower(lower, b), transposed=True)


def spd_solve(matrix: Array, x: Array) -> Array:
    """M⁻¹ x for a symmetric positive definite M and vectors x, broadcast over leading axes."""
    return spd_solve_factored(lower_factor(matrix), x[..., None])[..., 0]


def half_log_det(lower: Float[Array, "*batch d d"]) -> Float[Array, "*batch"]:
    """½ log |L Lᵀ|."""
    return jnp.sum(jnp.log(jnp.diagonal(lower, axis1=-2, axis2=-1)), axis=-1)


def half_solve(lower: Float[Array, "*batch d d"], x: Float[Array, "*rows d"]) -> Float[Array, "*out d"]:
    """L⁻¹ x for vectors x, broadcast over leading axes. One factor and many rows are one triangular solve."""
    if lower.ndim == 2:
        rows = x.reshape(-1, x.shape[-1])
        return solve_lower(lower, rows.T).T.reshape(x.shape)
    batch = jnp.broadcast_shapes(lower.shape[:-2], x.shape[:-1])
    lower = jnp.broadcast_to(lower, batch + lower.shape[-2:])
    x = jnp.broadcast_to(x, (*batch, x.shape[-1]))
    return solve_lower(lower, x[..., None])[..., 0]


def support_factor(x: Float[Array, "*batch d d"]) -> tuple[Array, Array]:
    """The Cholesky factor of x where x is symmetric positive definite (identity elsewhere), and where that is.

    No jitter here: whether a point lies in the support is a question about this very point.
    """
    asymmetry = jnp.max(jnp.abs(x - transpose(x)), axis=(-1, -2))
    symmetric = asymmetry <= 1e-8 * jnp.max(jnp.abs(x), axis=(-1, -2))
    lower = factor_lower(x)
    inside = symmetric & jnp.all(jnp.isfinite(lower), axis=(-1, -2))
    return jnp.where(inside[..., None, None], lower, jnp.eye(x.shape[-1])), inside


def split_indices(who: str, indices: Any, d: int) -> tuple[np.ndarray, np.ndarray]:
    """The chosen positions in the order given, and the others in their order."""
    chosen = np.atleast_1d(np.asarray(indices))
    valid = chosen.ndim == 1 and chosen.size > 0 and np.issubdtype(chosen.dtype, np.integer)
    if not valid or np.any(chosen < -d) or np.any(chosen >= d) or len(set(chosen % d)) < chosen.size:
        raise InputError(
            who,
            f"indices={indices!r} are not different positions among {d}",
            "A position is missing, repeated, or beyond the last",
            f"Pass positions from 0 to {d - 1}, each once",
        )
    return chosen % d, np.setdiff1d(np.arange(d), chosen % d)


def condition_on_entries(who: str, loc: Array, matrix: Array, indices: Any, values: Any) -> tuple[Array, Array, Array]:
    """Location and Schur complement of the entries left when some are known, and those' squared distance."""
    known, left = split_indices(who, indices, loc.shape[-1])
    if left.size == 0:
        raise InputError(who, "every entry is known", "", "Leave out one index or more")
    values = finite_array(who, "values", values, (known.size,))
    factor = cholesky(matrix[..., known[:, None], known], who=who)
    cross = matrix[..., known[:, None], left]
    half = half_solve(factor.lower, values - loc[..., known])
    shifted = loc[..., left] + jnp.einsum("...ba,...b->...a", factor.half_solve(cross), half)
    schur = schur_complement(factor, cross, matrix[..., left[:, None], left])
    return shifted, schur, jnp.sum(half**2, axis=-1)
