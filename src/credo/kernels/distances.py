"""Squared distances between rows, fast in many columns, exact in few, right in every derivative."""

import functools
import math

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import ArrayLike, Float

__all__ = ["squared_distances"]

_FEW_COLUMNS = 3  # up to here differences are as fast as a matrix product, and exact where points coincide
_FEW_PAIRS = 256
_ROUND_OFF = 8.0 * 2.0**-52  # of a sum of products, relative; it grows with the root of their number


def squared_distances(
    X: Float[Array, "n d"], Z: Float[Array, "m d"], lengthscale: ArrayLike = 1.0
) -> Float[Array, "n m"]:
    r"""$\sum_j (x_j - z_j)^2/\ell_j^2$ for every row x of X and z of Z; never negative, O(n m d).

    In few columns, or for few pairs, by differences. Otherwise by one matrix product of centered rows: round-off is
    then some 1e-16 of the squared spread of the rows, and what is within it counts as 0, so that a point given twice is
    one point. The derivative is the one of the polynomial, in any order, also where points coincide.
    """
    if X.shape[1] == 1 or X.shape[0] * Z.shape[0] <= _FEW_PAIRS:
        return _by_differences(X, Z, lengthscale)
    center = lax.stop_gradient(jnp.mean(Z, axis=0))  # distances do not change, round-off shrinks
    rows, others = (X - center) / lengthscale, (Z - center) / lengthscale
    if X.shape[1] <= _FEW_COLUMNS:
        return _derived_by_product(lax.stop_gradient(_by_differences(X, Z, lengthscale)), rows, others)
    return _derived_by_product(lax.stop_gradient(_by_product(rows, others)), rows, others)


def _by_differences(X: Array, Z: Array, lengthscale: ArrayLike) -> Array:
    # Scaled once subtracted: x/l - x/l is not zero where the compiler fuses one division with the difference.
    return jnp.sum(((X[:, None, :] - Z[None, :, :]) / lengthscale) ** 2, axis=-1)


def _by_product(X: Array, Z: Array) -> Array:
    squares = jnp.sum(X**2, axis=1)[:, None] + jnp.sum(Z**2, axis=1)[None, :]
    distances = squares - 2.0 * (X @ Z.T)
    return jnp.where(distances > _ROUND_OFF * math.sqrt(X.shape[1]) * squares, distances, 0.0)


@jax.custom_jvp
def _derived_by_product(distances: Array, X: Array, Z: Array) -> Array:
    """`distances`, which are those of X and Z, with their derivative by one matrix product."""
    return distances


@functools.partial(_derived_by_product.defjvp, symbolic_zeros=True)
def _derived_by_product_jvp(primals, tangents):  # type: ignore[no-untyped-def]
    """2 (x − z)ᵀ(dx − dz), as one product with a column of ones for each side.

    Its transpose, which reverse mode runs, reads the n × m cotangent twice; that of either formula above, many times.
    """
    (distances, X, Z), (_, dX, dZ) = primals, tangents
    tangent = jnp.zeros_like(distances)
    if not isinstance(dX, jax.custom_derivatives.SymbolicZero):
        tangent += 2.0 * _extended(-dX, jnp.sum(X * dX, axis=1)) @ _with_ones(Z).T
    if not isinstance(dZ, jax.custom_derivatives.SymbolicZero):
        tangent += 2.0 * _with_ones(X) @ _extended(-dZ, jnp.sum(Z * dZ, axis=1)).T
    return _derived_by_product(distances, X, Z), tangent


def _extended(rows: Array, column: Array) -> Array:
    return jnp.concatenate([rows, column[:, None]], axis=1)


def _with_ones(rows: Array) -> Array:
    return _extended(rows, jnp.ones(rows.shape[0]))
