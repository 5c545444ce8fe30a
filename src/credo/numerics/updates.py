"""A factor after rows were added or removed, in O(n²) instead of O(n³)."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import ArrayLike, Float

from credo.errors import InputError
from credo.numerics.certificate import CONVERGED, FAILED, Info
from credo.numerics.cholesky import (
    Factor,
    as_square,
    check_finite,
    check_symmetric,
    condition_estimate,
    factorize,
    not_positive_definite,
)
from credo.numerics.concrete import is_known

__all__ = ["append", "rank_one_update", "remove"]


def append(factor: Factor, cross: ArrayLike, corner: ArrayLike, *, who: str = "append") -> Factor:
    r"""The factor of $\begin{pmatrix} K & B \\ B^\top & C \end{pmatrix}$ from that of $K$.

    `cross` is B, of shape (n,) for one new row or (n, m) for m of them; `corner` is C, a number or of shape (m, m).
    The new rows of the factor are $L^{-1}B$ and a factor of the Schur complement $C - B^\top K^{-1} B$ (Rasmussen and
    Williams 2006, A.12); the corner gets the jitter that K got, and more, by the same policy and relative to C, where
    a new row all but repeats an old one. The old rows keep what they had, so ``info.jitter``, the sum, is then what
    the new rows got: the most that any row got. O(n² m). The condition estimate uses an upper bound of the new norm.
    On arrays an indefinite result raises.

    >>> import numpy as np
    >>> from credo.numerics import cholesky
    >>> append(cholesky(np.array([[4.0]])), np.array([2.0]), 3.0).lower.tolist()
    [[2.0, 0.0], [1.0, 1.4142135623730951]]
    """
    _check_single(who, factor)
    cross, corner = jnp.asarray(cross, dtype=jnp.float64), jnp.asarray(corner, dtype=jnp.float64)
    cross = cross[:, None] if cross.ndim == 1 else cross
    corner = as_square(who, corner.reshape(1, 1) if corner.ndim == 0 else corner)
    m = corner.shape[-1]
    if corner.ndim != 2 or cross.shape != (factor.n, m):
        raise InputError(
            who,
            f"cross has shape {cross.shape} and corner {corner.shape}, but the factor has {factor.n} rows",
            "The new rows were not evaluated against every old one",
            f"Pass cross of shape ({factor.n}, {m}) and corner of shape ({m}, {m})",
        )
    check_symmetric(who, corner)
    check_finite(who, "cross", cross)
    grown, schur = _append(factor, cross, corner)
    if is_known(grown.lower) and int(grown.info.status) == FAILED:
        raise not_positive_definite(who, schur)
    return grown


def remove(factor: Factor, index: int | Array) -> Factor:
    r"""The factor without row and column `index`, in O(n²).

    The rows above stay; the block below takes the removed column $v$ back in: $L' L'^\top = L_{33} L_{33}^\top + v
    v^\top$, n rotations (Golub and Van Loan 2013, section 6.5.4). `index` may be traced. The condition estimate uses
    the old norm, an upper bound, as ``info.jitter`` is where jitter differs between rows.

    >>> import numpy as np
    >>> from credo.numerics import cholesky
    >>> remove(cholesky(np.array([[4.0, 2.0], [2.0, 3.0]])), 0).matrix.round(6).tolist()
    [[3.0]]
    """
    _check_single("remove", factor)
    n = factor.n
    if n == 1:
        raise InputError("remove", "the factor has one row", "Nothing would be left", "Keep at least one row")
    if is_known(index):
        if not -n <= int(index) < n:
            raise InputError(
                "remove", f"index={int(index)} is not a row", f"The factor has {n} rows", f"Pass 0 to {n - 1}"
            )
        index = int(index) % n
    return _remove(factor, jnp.asarray(index))


def rank_one_update(factor: Factor, vector: ArrayLike) -> Factor:
    r"""The factor of $K + v v^\top$, by n rotations in O(n²)."""
    _check_single("rank_one_update", factor)
    vector = jnp.asarray(vector, dtype=jnp.float64)
    if vector.shape != (factor.n,):
        raise InputError(
            "rank_one_update",
            f"the vector has shape {vector.shape}, but the factor has {factor.n} rows",
            "",
            f"Pass {factor.n} entries",
        )
    check_finite("rank_one_update", "the vector", vector)
    return _rank_one_update(factor, vector)


def _check_single(who: str, factor: Factor) -> None:
    if factor.lower.ndim != 2:
        raise InputError(
            who,
            f"the factor has shape {factor.lower.shape}",
            "It is a batch of factors",
            f"Try jax.vmap(credo.numerics.{who}), which takes them one by one",
        )


def _norm(factor: Factor) -> Array:
    """‖K‖₁, or what the condition estimate was made from."""
    return jnp.asarray(factor.info.condition) * jnp.min(lax.stop_gradient(factor.diagonal)) ** 2


@jax.jit
def _append(factor: Factor, cross: Float[Array, "n m"], corner: Float[Array, "m m"]) -> tuple[Factor, Array]:
    n, m = cross.shape
    corner = corner + factor.info.jitter * jnp.eye(m)
    below = factor.half_solve(cross)
    schur = corner - below.T @ below
    new, attempts, jitter, failed = factorize(schur, jnp.mean(jnp.abs(jnp.diagonal(corner))))
    lower = jnp.block([[factor.lower, jnp.zeros((n, m))], [below.T, new]])
    size = lax.stop_gradient(jnp.abs(cross))
    new_rows = jnp.max(jnp.sum(size, axis=0) + jnp.sum(lax.stop_gradient(jnp.abs(corner)), axis=0))
    norm = jnp.maximum(_norm(factor) + jnp.max(jnp.sum(size, axis=1)), new_rows)
    info = Info(
        status=jnp.maximum(factor.info.status, jnp.where(failed, FAILED, CONVERGED)),
        iterations=factor.info.iterations + attempts,
        residual=factor.info.residual,
        jitter=factor.info.jitter + jitter,
        condition=condition_estimate(norm, lower),
    )
    return Factor(lower, info), schur


@jax.jit
def _remove(factor: Factor, index: Array) -> Factor:
    index = jnp.where(index < 0, index + factor.n, index)  # a traced index is not counted from the end by the host
    kept = jnp.arange(factor.n - 1)
    kept = kept + (kept >= index)
    # Rows above the removed one have no entry in its column, so their rotations below are the identity.
    lower = _rotate(factor.lower[kept][:, kept], factor.lower[kept, index])
    return Factor(lower, factor.info._replace(condition=condition_estimate(_norm(factor), lower)))


@jax.jit
def _rank_one_update(factor: Factor, vector: Array) -> Factor:
    lower = _rotate(factor.lower, vector)
    size = jnp.abs(lax.stop_gradient(vector))
    norm = _norm(factor) + jnp.max(size) * jnp.sum(size)
    return Factor(lower, factor.info._replace(condition=condition_estimate(norm, lower)))


def _rotate(lower: Float[Array, "n n"], vector: Float[Array, " n"]) -> Float[Array, "n n"]:
    """The factor of L Lᵀ + v vᵀ: each step rotates v's next entry into the column of L that it belongs to."""
    rows = jnp.arange(vector.shape[0])

    def step(v: Array, inputs: tuple[Array, Array]) -> tuple[Array, Array]:
        k, column = inputs
        pivot = jnp.sqrt(column[k] ** 2 + v[k] ** 2)
        cosine, sine = column[k] / pivot, v[k] / pivot
        below = rows > k
        rotated = jnp.where(below, cosine * column + sine * v, 0.0)
        v = jnp.where(below, cosine * v - sine * column, 0.0)
        return v, rotated.at[k].set(pivot)

    _, columns = lax.scan(step, vector, (rows, lower.T))
    return columns.T
