r"""The one Cholesky: $K + \epsilon I = L L^\top$, one jitter policy, and everything read off its factor."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import ArrayLike, Bool, Float, Int

from credo.errors import InputError, NotPositiveDefiniteError
from credo.numerics.batched_lapack import factor_lower, factor_tangent, solve_lower
from credo.numerics.certificate import CONVERGED, FAILED, Info
from credo.numerics.concrete import is_known, known_not_finite
from credo.numerics.lapack import RELATIVE_JITTERS, host_inverse, prefers_host

__all__ = ["Factor", "cholesky"]


class Factor(eqx.Module):
    r"""The lower triangular $L$ of $K + \epsilon I = L L^\top$, and how it was obtained.

    Every method answers for $K + \epsilon I$, where $\epsilon$ is ``info.jitter`` (zero when K was well conditioned).
    Rows that were added later, by [](#credo.numerics.append), may have got more than the rest; then ``info.jitter`` is
    the most that a row got. An argument `b` is a vector, of shape ``(*batch, n)``, or columns, of shape ``(*batch, n,
    m)``; the batch is that of the factor.

    ``info`` holds the status, the number of attempts, the jitter, and as condition $\|K\|_1 / \min_i L_{ii}^2$: the
    norm is at least the largest eigenvalue (at most $\sqrt n$ times it), the smallest pivot at least the smallest
    eigenvalue. It costs O(n²).
    """

    lower: Float[Array, "*batch n n"]
    info: Info = eqx.field(default_factory=Info)

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.lower.shape[-1])

    def half_solve(self, b: ArrayLike) -> Array:
        """L⁻¹ b. O(n²) a column."""
        return self._triangular(b, transpose=False)

    def solve(self, b: ArrayLike) -> Array:
        """K⁻¹ b. O(n²) a column."""
        return self._triangular(self.half_solve(b), transpose=True)

    def multiply_half(self, b: ArrayLike) -> Array:
        """L b: of covariance K when b is standard normal."""
        b, is_vector = self._columns(b)
        product = self.lower @ b
        return product[..., 0] if is_vector else product

    def quadratic(self, b: ArrayLike) -> Array:
        """bᵀ K⁻¹ b, of shape ``(*batch,)``; for columns the diagonal of it. Never negative. O(n²) a column."""
        _, is_vector = self._columns(b)
        return jnp.sum(self.half_solve(b) ** 2, axis=-1 if is_vector else -2)

    @property
    def log_det(self) -> Float[Array, "*batch"]:
        """log |K|."""
        return 2.0 * jnp.sum(jnp.log(self.diagonal), axis=-1)

    @property
    def diagonal(self) -> Float[Array, "*batch n"]:
        """The diagonal of L: the standard deviation of each entry given the ones before it."""
        return jnp.diagonal(self.lower, axis1=-2, axis2=-1)

    @property
    def matrix(self) -> Float[Array, "*batch n n"]:
        """L Lᵀ: K, with its jitter. O(n³)."""
        return self.lower @ jnp.swapaxes(self.lower, -1, -2)

    def inverse(self) -> Float[Array, "*batch n n"]:
        """K⁻¹, symmetric. O(n³), by potri at large n; prefer `solve` where a product with a few columns is meant."""
        return jnp.vectorize(_inverse, signature="(n,n)->(n,n)")(self.lower)

    def _triangular(self, b: ArrayLike, *, transpose: bool) -> Array:
        columns, is_vector = self._columns(b)
        solved = solve_lower(self.lower, columns, transposed=transpose)
        return solved[..., 0] if is_vector else solved

    def _columns(self, b: ArrayLike) -> tuple[Array, bool]:
        """The argument with a column axis, and whether it came without one."""
        b = jnp.asarray(b, dtype=self.lower.dtype)
        batch, n = self.lower.shape[:-2], self.n
        if b.shape == (*batch, n):
            return b[..., None], True
        if b.ndim == self.lower.ndim and b.shape[:-1] == (*batch, n):
            return b, False
        raise InputError(
            "Factor",
            f"b has shape {b.shape}, but the factor has shape {self.lower.shape}",
            "The number of rows differs, or the batch axes do",
            f"Pass a vector of shape {(*batch, n)} or columns of shape {(*batch, n, 'm')}",
        )


def cholesky(matrix: ArrayLike, *, who: str = "cholesky") -> Factor:
    r"""Factorize a symmetric positive definite matrix, with as little jitter as works.

    Tries $K$ itself first, then $K + \epsilon I$ with $\epsilon / \overline{K_{ii}} = 10^{-12}, 10^{-11}, \dots,
    10^{-4}$, relative to the mean of the diagonal; ``info.jitter`` is the $\epsilon$ really added,
    ``info.iterations`` the number of attempts. Only the lower triangle is read. O(n³/3) an attempt; batches over
    leading axes, each with its own jitter.

    On arrays it raises in the name of `who`: [](#credo.errors.InputError) for input that is not square, empty, not
    finite or not symmetric, [](#credo.errors.NotPositiveDefiniteError) when the largest jitter does not help. Inside
    jit it cannot: there ``info.status`` is FAILED and the factor NaN. Derivatives (any order, both modes) hold the
    jitter fixed.

    >>> factor = cholesky(np.array([[4.0, 2.0], [2.0, 3.0]]))
    >>> factor.solve(np.array([1.0, 0.0])).round(6).tolist(), float(factor.info.jitter)
    ([0.375, -0.25], 0.0)
    """
    matrix = as_square(who, matrix)
    check_symmetric(who, matrix)
    lower, attempts, jitter, failed, condition = _factorize_and_report(matrix)
    if is_known(failed) and np.any(np.asarray(failed)):
        raise not_positive_definite(who, matrix)
    status = jnp.where(failed, FAILED, CONVERGED)
    residual = jnp.zeros_like(jitter)  # every part has the batch shape, so that a factor can be vmapped over
    return Factor(lower, Info(status, attempts, residual, jitter, condition))


def as_square(who: str, matrix: ArrayLike) -> Float[Array, "*batch n n"]:
    """The matrix as float64, refused when it is not square or empty; works inside jit."""
    matrix = jnp.asarray(matrix)
    if jnp.issubdtype(matrix.dtype, jnp.complexfloating):
        raise InputError(
            who, f"the matrix has dtype {matrix.dtype}", "A covariance is real", "Pass its real part, if that is meant"
        )
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise InputError(
            who,
            f"the matrix has shape {matrix.shape}",
            "A factorization needs a square matrix, with any batch axes in front",
            "Pass an array of shape (n, n)",
        )
    if matrix.size == 0:
        raise InputError(
            who, f"the matrix of shape {matrix.shape} is empty", "No rows were left", "Pass at least one row"
        )
    return matrix.astype(jnp.float64)


def check_symmetric(who: str, matrix: Array) -> None:
    """Refuse a concrete matrix not finite or not symmetric (to 1e-8 of its largest entry); silent inside jit."""
    if not is_known(matrix):
        return
    values = np.asarray(matrix)
    if not np.all(np.isfinite(values)):
        bad = int(np.sum(~np.isfinite(values)))
        raise InputError(
            who,
            f"{bad} of {values.size} entries of the matrix are NaN or infinite",
            "Missing values in the input, or parameters that overflow",
            "Check the rows and the scales that the matrix was built from",
        )
    asymmetry = float(np.max(np.abs(values - np.swapaxes(values, -1, -2))))
    if asymmetry > 1e-8 * float(np.max(np.abs(values))):
        raise InputError(
            who,
            f"the matrix is not symmetric: entries differ from their mirror images by up to {asymmetry:.3g}",
            "A cross-covariance or a transposed product was probably passed",
            "Pass (K + K.T) / 2, if that is meant",
        )


def check_finite(who: str, name: str, values: Array) -> None:
    """Refuse a concrete array with NaN or infinite entries, by its name; silent inside jit."""
    if known_not_finite(values):
        raise InputError(
            who, f"{name} has NaN or infinite entries", "Missing values in the input", "Check where it comes from"
        )


def not_positive_definite(who: str, matrix: Array) -> NotPositiveDefiniteError:
    """The error for a concrete, symmetric matrix that no allowed jitter makes positive definite."""
    values = np.asarray(matrix)
    smallest = float(np.min(np.linalg.eigvalsh(values)))
    largest = RELATIVE_JITTERS[-1]
    return NotPositiveDefiniteError(
        who,
        f"the matrix of shape {values.shape} is not positive definite: its smallest eigenvalue is {smallest:.3g}, "
        f"and a jitter of {largest:g} times the mean of its diagonal did not help",
        "Rows that are duplicates with almost no noise, a function that is no valid kernel, or a wrong sign",
        "Try a larger noise variance, remove duplicate rows, or check the kernel",
    )


@jax.jit
def _factorize_and_report(matrix: Float[Array, "*batch n n"]) -> tuple[Array, Array, Array, Array, Array]:
    lower, attempts, jitter, failed = factorize(matrix)
    norm = lax.stop_gradient(jnp.max(jnp.sum(jnp.abs(matrix), axis=-1), axis=-1)) + jitter
    return lower, attempts, jitter, failed, condition_estimate(norm, lower)


def condition_estimate(norm: Array, lower: Array) -> Array:
    """‖K‖₁ / min Lᵢᵢ², infinite where the factorization failed. No derivative flows through it."""
    pivot = jnp.min(jnp.diagonal(lax.stop_gradient(lower), axis1=-2, axis2=-1), axis=-1) ** 2
    return jnp.where(pivot > 0, norm / jnp.where(pivot > 0, pivot, 1.0), jnp.inf)


def factorize(
    matrix: Float[Array, "*batch n n"], scale: Float[Array, "*batch"] | None = None
) -> tuple[Float[Array, "*batch n n"], Int[Array, "*batch"], Float[Array, "*batch"], Bool[Array, "*batch"]]:
    """The policy without checks, for use inside jit: the factor, the attempts, the jitter added, and whether it failed.

    Jitter is relative to `scale`, by default the mean of the absolute diagonal.
    """
    if scale is None:
        scale = jnp.mean(jnp.abs(jnp.diagonal(matrix, axis1=-2, axis2=-1)), axis=-1)
    return jnp.vectorize(_factorize, signature="(n,n),()->(n,n),(),(),()")(matrix, lax.stop_gradient(scale))


@jax.custom_jvp
def _factorize(matrix: Array, scale: Array) -> tuple[Array, Array, Array, Array]:
    jitters = jnp.asarray(RELATIVE_JITTERS) * scale
    identity = jnp.eye(matrix.shape[-1])

    def attempt(k: Array) -> Array:
        return factor_lower(matrix + jitters[k] * identity)

    def has_failed(lower: Array) -> Array:
        return ~jnp.all(jnp.isfinite(jnp.diagonal(lower)))

    k, lower = lax.while_loop(
        lambda state: has_failed(state[1]) & (state[0] < len(RELATIVE_JITTERS) - 1),
        lambda state: (state[0] + 1, attempt(state[0] + 1)),
        (jnp.asarray(0), factor_lower(matrix)),
    )
    return lower, k + 1, jitters[k], has_failed(lower)


@_factorize.defjvp
def _factorize_jvp(primals, tangents):  # type: ignore[no-untyped-def]
    lower, attempts, jitter, failed = _factorize(*primals)
    no_tangent = lambda x: np.zeros(x.shape, jax.dtypes.float0)  # noqa: E731
    return (lower, attempts, jitter, failed), (
        factor_tangent(lower, tangents[0]),
        no_tangent(attempts),
        jnp.zeros_like(jitter),
        no_tangent(failed),
    )


@jax.custom_jvp
def _inverse(lower: Array) -> Array:
    if prefers_host(lower.shape[-1]):
        return host_inverse(lower)
    half = solve_lower(lower, jnp.eye(lower.shape[-1]))
    return half.T @ half


@_inverse.defjvp
def _inverse_jvp(primals, tangents):  # type: ignore[no-untyped-def]
    """d(K⁻¹) = −K⁻¹ (dL Lᵀ + L dLᵀ) K⁻¹."""
    (lower,), (change,) = primals, tangents
    inverse = _inverse(lower)
    half = inverse @ (change @ (lower.T @ inverse))
    return inverse, -(half + half.T)
