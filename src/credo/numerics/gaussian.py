r"""The log density of a zero-mean Gaussian vector, with a gradient that uses the inverse of the covariance once."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.custom_derivatives import SymbolicZero
from jaxtyping import ArrayLike, Bool, Float

from credo.errors import InputError
from credo.numerics.batched_lapack import solve_lower
from credo.numerics.cholesky import as_square, check_symmetric, factorize, not_positive_definite
from credo.numerics.concrete import is_known, known_not_finite
from credo.numerics.lapack import host_log_density, prefers_host, symmetric_part
from credo.numerics.scalar import LOG_2PI

__all__ = ["gaussian_log_density"]


def gaussian_log_density(
    covariance: ArrayLike, y: ArrayLike, *, noise: ArrayLike = 0.0, weights: ArrayLike | None = None
) -> Float[Array, "*batch"]:
    r"""$\log\mathcal{N}(y \mid 0, K) = -\tfrac12 (y^\top K^{-1} y + \log|K| + n \log 2\pi)$.

    $K$ is `covariance` plus, on its diagonal, the variances `noise` (a number, or one a row); apart, they save two
    passes over n² numbers. The gradient is a rule of its own: with $\alpha = K^{-1} y$,

    $$\partial_K = \tfrac12 (\alpha\alpha^\top - K^{-1}), \qquad \partial_y = -\alpha$$

    (Rasmussen and Williams 2006, eq. 5.9), so value and gradient together cost one potrf and one potri, n³
    operations, where automatic differentiation of a Cholesky factor costs several times that. At small n this is XLA,
    batched under vmap; at large n LAPACK on the host, one matrix after the other. Derivatives of any order, forward
    and reverse, hold the jitter fixed.

    Leading axes of the arguments are a batch. Only the lower triangle of K is read, and jitter is added as
    [](#credo.numerics.cholesky) does; factorize K at the final parameters to see how much. `weights` of zero and one
    say which rows are there: a row of weight zero (padding) is inert, whatever it holds. It is counted neither in n
    nor in the mean of the diagonal that jitter is relative to. Frequencies are refused, since a repeated row is a
    further row of K.

    On arrays, bad input and an indefinite K raise. Inside jit an indefinite K and weights other than zero and one
    have the value minus infinity and gradient zero, which no minimizer takes for a solution.

    >>> round(float(gaussian_log_density(np.array([[4.0]]), np.array([2.0]))), 6)
    -2.112086
    """
    who = "gaussian_log_density"
    covariance, y = as_square(who, covariance), jnp.asarray(y, dtype=jnp.float64)
    _check_length(who, covariance, y)
    noise = _per_row(who, y, noise)
    if weights is None:
        present = jnp.ones(y.shape[-1], dtype=bool)
    else:
        weights = _checked_weights(who, y, weights)
        present = weights > 0
        covariance = _without_absent(covariance, present)
        noise, y = jnp.where(present, noise, 0.0), jnp.where(present, y, 0.0)
    _check_finite(who, y)
    check_symmetric(who, covariance)
    value = _batched_log_density(covariance, noise, y, present)
    if is_known(value) and np.any(np.isneginf(np.asarray(value))):
        _check_definite(who, _plus_diagonal(covariance, noise), present)
    if weights is not None and not is_known(weights):
        value = jnp.where(jnp.all((weights == 0) | (weights == 1), axis=-1), value, -jnp.inf)
    return value


def _check_definite(who: str, covariance: Array, present: Bool[Array, "*batch n"]) -> None:
    """Raise when a density of zero is the covariance's fault, and not when y is merely enormous."""
    *_, failed = factorize(covariance, _scale(covariance, present))
    if np.any(np.asarray(failed)):
        raise not_positive_definite(who, covariance)


def _without_absent(covariance: Array, present: Bool[Array, "*batch n"]) -> Array:
    """The covariance with the identity in the rows and columns that are not there."""
    both = present[..., :, None] & present[..., None, :]
    return jnp.where(both, covariance, jnp.eye(covariance.shape[-1]))


def _check_length(who: str, covariance: Array, y: Array) -> None:
    if y.ndim < 1 or y.shape[-1] != covariance.shape[-1]:
        raise InputError(
            who,
            f"y has shape {y.shape}, but the covariance has shape {covariance.shape}",
            "Rows were dropped from one and not from the other, or y is a column",
            f"Pass y of shape ({covariance.shape[-1]},)",
        )


def _per_row(who: str, y: Array, noise: ArrayLike) -> Array:
    """The noise variances, one a row."""
    noise = jnp.asarray(noise, dtype=jnp.float64)
    if noise.ndim and noise.shape[-1] != y.shape[-1]:
        raise InputError(
            who, f"noise has shape {noise.shape}, but y has shape {y.shape}", "", "Pass one variance, or one a row"
        )
    if is_known(noise) and not np.all(np.asarray(noise) >= 0):
        raise InputError(
            who,
            f"the smallest noise is {np.min(np.asarray(noise)):g}",
            "A variance is not negative; a logarithm was probably passed",
            "Pass variances",
        )
    return jnp.broadcast_to(noise, (*noise.shape[:-1], y.shape[-1]))


def _plus_diagonal(covariance: Array, noise: Array) -> Array:
    return covariance + noise[..., None] * jnp.eye(covariance.shape[-1])


def _check_finite(who: str, y: Array) -> None:
    if known_not_finite(y):
        raise InputError(
            who,
            "y has NaN or infinite entries",
            "Missing values in the target",
            "Drop those rows, or give them weight zero",
        )


def _checked_weights(who: str, y: Array, weights: ArrayLike) -> Array:
    weights = jnp.asarray(weights)
    if weights.ndim < 1 or weights.shape[-1] != y.shape[-1]:
        raise InputError(
            who, f"weights have shape {weights.shape}, but y has shape {y.shape}", "", "Pass one weight a row"
        )
    if is_known(weights) and not np.all(np.isin(np.asarray(weights), (0, 1))):
        raise InputError(
            who,
            "weights other than 0 and 1 were given",
            "Rows are dependent here, so a frequency cannot multiply a term",
            "Repeat the row in the covariance, or divide its noise variance",
        )
    return weights


def _scale(covariance: Array, present: Bool[Array, "*batch n"]) -> Array:
    """The mean of the absolute diagonal over the rows that are there; jitter is relative to it."""
    diagonal = jnp.abs(jnp.diagonal(covariance, axis1=-2, axis2=-1))
    return jnp.sum(jnp.where(present, diagonal, 0.0), axis=-1) / jnp.maximum(jnp.sum(present, axis=-1), 1)


@jax.jit
@functools.partial(jnp.vectorize, signature="(n,n),(n),(n),(n)->()")
def _batched_log_density(covariance: Array, noise: Array, y: Array, present: Array) -> Array:
    return _log_density(covariance, noise, y, present) - 0.5 * LOG_2PI * jnp.sum(present)


@jax.custom_jvp
def _log_density(
    covariance: Float[Array, "n n"], noise: Float[Array, " n"], y: Float[Array, " n"], present: Bool[Array, " n"]
) -> Float[Array, ""]:
    """−½ (yᵀ K⁻¹ y + log |K|) of the rows that are there; this body runs when no derivative is asked for.

    Those that are not are rows of the identity with y and all tangents zero, so only jitter and |K| must know them.
    """
    lower, failed = _safe_factor(covariance, noise, present)
    half = solve_lower(lower, y[:, None])
    return _value(lower, half, present, failed)


def _value(lower: Array, half: Array, present: Array, failed: Array) -> Array:
    half_log_det = jnp.sum(jnp.where(present, jnp.log(jnp.diagonal(lower)), 0.0))
    return jnp.where(failed, -jnp.inf, -0.5 * jnp.sum(half**2) - half_log_det)


@functools.partial(_log_density.defjvp, symbolic_zeros=True)
def _log_density_jvp(primals, tangents):  # type: ignore[no-untyped-def]
    value, alpha, inverse = _with_inverse(*primals)
    return value, _value_tangent(alpha, inverse, *tangents[:3])


def _value_tangent(
    alpha: Array, inverse: Array, dk: Array | SymbolicZero, dnoise: Array | SymbolicZero, dy: Array | SymbolicZero
) -> Array:
    """⟨½ (ααᵀ − K⁻¹), dK⟩ − ⟨α, dy⟩. Where the factorization failed, α and K⁻¹ are zero, and so is this."""
    tangent = jnp.zeros(())
    if not isinstance(dk, SymbolicZero):
        tangent += jnp.sum(0.5 * (alpha[:, None] * alpha[None, :] - inverse) * dk)
    if not isinstance(dnoise, SymbolicZero):
        tangent += jnp.sum(0.5 * (alpha**2 - jnp.diagonal(inverse)) * dnoise)
    if not isinstance(dy, SymbolicZero):
        tangent -= jnp.sum(alpha * dy)
    return tangent


@jax.custom_jvp
def _with_inverse(covariance: Array, noise: Array, y: Array, present: Array) -> tuple[Array, Array, Array]:
    """−½ (yᵀ K⁻¹ y + log |K|), α = K⁻¹ y and K⁻¹; minus infinity and zeros where K is not positive definite."""
    n = y.shape[-1]
    if prefers_host(n):
        return host_log_density(covariance, noise, y, present)
    lower, failed = _safe_factor(covariance, noise, present)
    half_inverse = solve_lower(lower, jnp.eye(n))
    half = half_inverse @ y
    zero_if_failed = lambda x: jnp.where(failed, 0.0, x)  # noqa: E731
    inverse = half_inverse.T @ half_inverse
    return _value(lower, half, present, failed), zero_if_failed(half_inverse.T @ half), zero_if_failed(inverse)


@_with_inverse.defjvp
def _with_inverse_jvp(primals, tangents):  # type: ignore[no-untyped-def]
    """For second derivatives: dα = K⁻¹ (dy − dK α) and d(K⁻¹) = −K⁻¹ dK K⁻¹."""
    value, alpha, inverse = _with_inverse(*primals)
    dk, dnoise, dy = symmetric_part(tangents[0]), tangents[1], tangents[2]
    d_value = _value_tangent(alpha, inverse, dk, dnoise, dy)
    dk = dk + jnp.diag(dnoise)
    return (value, alpha, inverse), (d_value, inverse @ (dy - dk @ alpha), -inverse @ dk @ inverse)


def _safe_factor(covariance: Array, noise: Array, present: Array) -> tuple[Array, Array]:
    """The factor, or the identity where there is none, so that no NaN reaches a derivative."""
    matrix = _plus_diagonal(covariance, noise)
    lower, _, _, failed = factorize(matrix, _scale(matrix, present))
    return jnp.where(failed, jnp.eye(covariance.shape[-1]), lower), failed
