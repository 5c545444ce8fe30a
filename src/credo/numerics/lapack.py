"""LAPACK's potrf and potri on the host, in place on XLA's own buffers: what XLA lacks at large n.

XLA calls potrf, but has no potri, so an inverse costs it three times the work. `buffer_callback` hands over the
buffers without a copy; the callbacks below use NumPy and SciPy only, because a JAX call from inside a callback can
wait for itself. A row-major lower triangle is a column-major upper one, so every call works on the transposed view
and copies nothing. potrf and potri are called through the addresses that SciPy publishes for them: unlike its Python
functions these let other threads go on meanwhile, so that two searches use two cores.
"""

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.experimental.buffer_callback import buffer_callback
from jaxtyping import Bool, Float
from scipy.linalg import cython_blas, cython_lapack
from scipy.linalg.blas import dtrsm

__all__ = [
    "HOST_FROM",
    "RELATIVE_JITTERS",
    "factor_in_place",
    "host_inverse",
    "host_log_density",
    "inverse_diagonal",
    "prefers_host",
    "solve_lower_in_place",
    "symmetric_part",
]

# The one jitter policy: none, then ten times more each time, relative to the mean of the diagonal.
RELATIVE_JITTERS = (0.0, *(10.0**k for k in range(-12, -3)))

# From this size on the host step is faster than XLA's; see benchmarks/numerics/bench_gaussian_log_density.py.
HOST_FROM = 128

_SMALL = 128  # rows of a triangle that is copied for SciPy's own function
_TILE = 256  # two tiles of 512 KB stay in cache while one is written as the transpose of the other


def prefers_host(n: int) -> bool:
    """Whether a matrix of n rows goes to LAPACK on the host; accelerators keep their own factorizations."""
    return n >= HOST_FROM and jax.default_backend() == "cpu"


def host_log_density(
    covariance: Float[Array, "n n"], noise: Float[Array, " n"], y: Float[Array, " n"], present: Bool[Array, " n"]
) -> tuple[Float[Array, ""], Float[Array, " n"], Float[Array, "n n"]]:
    r"""$-\tfrac12 (y^\top K^{-1} y + \log|K|)$, $K^{-1}y$ and $K^{-1}$ by potrf, two triangular solves and potri.

    K is `covariance` plus the diagonal `noise`, added here because it is free where the matrix is copied anyway. Rows
    that are not `present` hold the identity and a y of zero; |K| and the scale of jitter leave them out.

    Only the lower triangle of K is read. When no jitter of the policy helps, the value is minus infinity and the rest
    zero.
    """
    n, dtype = y.shape[0], covariance.dtype
    shapes = (jax.ShapeDtypeStruct((), dtype), jax.ShapeDtypeStruct((n,), dtype), jax.ShapeDtypeStruct((n, n), dtype))
    return buffer_callback(_log_density_in_place, shapes, vmap_method="sequential")(covariance, noise, y, present)


def host_inverse(lower: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """The inverse of L Lᵀ by potri; all NaN when L is not finite."""
    shape = jax.ShapeDtypeStruct(lower.shape, lower.dtype)
    return buffer_callback(_inverse_in_place, shape, vmap_method="sequential")(lower)


def _log_density_in_place(_: Any, out: Any, covariance: Any, noise: Any, y: Any, present: Any) -> None:
    value, alpha, inverse = (np.asarray(buffer) for buffer in out)
    counts = np.asarray(present)
    m = _leading(counts)
    alpha[...] = np.asarray(y)
    if not _factorize_in_place(inverse, np.asarray(covariance), np.asarray(noise), counts, m):
        value[...], alpha[...], inverse[...] = -np.inf, 0.0, 0.0
        return
    _call("dtrsv", "U", "T", "N", m, inverse, len(inverse), alpha, 1)
    half = alpha[counts]
    value[...] = -0.5 * np.dot(half, half) - np.sum(np.log(np.diagonal(inverse)[counts]))
    _call("dtrsv", "U", "N", "N", m, inverse, len(inverse), alpha, 1)
    _on_leading("dpotri", inverse, m)
    _mirror_lower(inverse, m)


def _leading(present: np.ndarray) -> int:
    """How many leading rows hold all that are there: the rest is the identity, and costs nothing."""
    return int(np.max(np.flatnonzero(present), initial=-1)) + 1


def _inverse_in_place(_: Any, out: Any, lower: Any) -> None:
    inverse = np.asarray(out)
    np.copyto(inverse, np.asarray(lower))
    if not np.all(np.isfinite(np.diagonal(inverse))):
        inverse[...] = np.nan
        return
    _on_leading("dpotri", inverse, len(inverse))
    _mirror_lower(inverse, len(inverse))


def _factorize_in_place(target: np.ndarray, matrix: np.ndarray, noise: np.ndarray, present: np.ndarray, m: int) -> bool:
    """Write the lower factor of `matrix` + noise + the least jitter that helps into `target`; false when none does.

    The first m rows are factorized; the rest becomes the identity, which is its own factor.
    """
    diagonal = np.diagonal(matrix) + noise
    scale = np.sum(np.abs(diagonal[present])) / max(np.count_nonzero(present), 1)
    if not np.isfinite(scale):
        return False
    target[m:] = 0.0
    np.fill_diagonal(target[m:, m:], 1.0)
    for relative in RELATIVE_JITTERS:
        _copy_lower(target, matrix, m)
        np.fill_diagonal(target[:m, :m], (diagonal + relative * scale)[:m])
        failed = _on_leading("dpotrf", target, m)
        if not failed and np.all(np.isfinite(np.diagonal(target))):
            return True
    return False


@lru_cache(maxsize=8)
def _routine(name: str, arguments: int) -> Callable[..., None]:
    """A routine of SciPy's own LAPACK and BLAS; every argument is an address."""
    capsule = (cython_blas if name in cython_blas.__pyx_capi__ else cython_lapack).__pyx_capi__[name]
    python = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", python))
    address_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", python))
    return ctypes.CFUNCTYPE(None, *arguments * [ctypes.c_void_p])(address_of(capsule, name_of(capsule)))


def _call(name: str, *arguments: str | int | float | np.ndarray) -> None:
    """Run a routine in place: letters, sizes and numbers as they are, arrays where they lie."""
    _routine(name, len(arguments))(*(_address(argument) for argument in arguments))


def _address(argument: str | int | float | np.ndarray) -> Any:
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, str):
        return ctypes.byref(ctypes.c_char(argument.encode()))
    return ctypes.byref(ctypes.c_int(argument) if isinstance(argument, int) else ctypes.c_double(argument))


def _on_leading(name: str, matrix: np.ndarray, m: int) -> int:
    """Run potrf or potri on the leading m rows of a row-major matrix, lower triangle: what it says in `info`."""
    info = np.zeros(1, dtype=np.int32)
    _call(name, "U", m, matrix, len(matrix), info)
    return int(info[0])


def factor_in_place(matrix: Float[np.ndarray, "n n"]) -> bool:
    """Overwrite the lower triangle of a row-major matrix by its Cholesky factor; false where there is none. No jitter.

    The upper triangle is neither read nor written. O(n³/3).
    """
    return _on_leading("dpotrf", matrix, len(matrix)) == 0 and bool(np.all(np.isfinite(np.diagonal(matrix))))


def inverse_diagonal(lower: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " n"]:
    """The diagonal of the inverse of L Lᵀ: the squared norms of the columns of L⁻¹. O(n³/3), half the work of potri.

    >>> inverse_diagonal(np.array([[2.0, 0.0], [1.0, 1.0]])).tolist()
    [0.5, 1.0]
    """
    inverse, info = np.tril(lower), np.zeros(1, dtype=np.int32)
    _call("dtrtri", "U", "N", len(inverse), inverse, len(inverse), info)
    return np.einsum("ij,ij->j", inverse, inverse)


def solve_lower_in_place(
    lower: Float[np.ndarray, "c c"], sides: Float[np.ndarray, "m k"], *, transposed: bool = False
) -> None:
    """L⁻¹ times `sides`, or L⁻ᵀ, for the leading m rows of a row-major lower triangle; `sides` is overwritten."""
    m, k = sides.shape
    if 0 < m <= _SMALL:  # where SciPy's copies cost less than the addresses
        sides[...] = dtrsm(1.0, lower[:m, :m].T, sides, lower=0, trans_a=0 if transposed else 1)
    elif m and k:  # by columns the rows of `sides` are columns, and X U = B has the transposes of X and B
        _call("dtrsm", "R", "U", "T" if transposed else "N", "N", k, m, 1.0, lower, len(lower), sides, k)


def _copy_lower(target: np.ndarray, matrix: np.ndarray, m: int) -> None:
    """Copy the lower triangle of the first m rows, with no more than a tile above the diagonal."""
    for start in range(0, m, _TILE):
        stop = min(start + _TILE, m)
        target[start:stop, :stop] = matrix[start:stop, :stop]


def _mirror_lower(matrix: np.ndarray, m: int) -> None:
    """Copy the lower triangle to the upper one, tile by tile, so that the transposed reads stay in cache."""
    for start in range(0, m, _TILE):
        stop = min(start + _TILE, m)
        matrix[start:stop, stop:] = matrix[stop:, start:stop].T
        tile = matrix[start:stop, start:stop]
        tile[...] = np.where(np.tri(stop - start, dtype=bool), tile, tile.T)


def symmetric_part(matrix: Array) -> Array:
    """(M + Mᵀ)/2 over the last two axes."""
    return 0.5 * (matrix + jnp.swapaxes(matrix, -1, -2))
