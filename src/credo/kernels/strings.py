"""The covariance of functions of strings: how many pieces two of them share."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int

from credo.errors import InputError
from credo.kernels.base import Kernel
from credo.kernels.columns import require_codes
from credo.kernels.priors import VARIANCE
from credo.kernels.roles import CODE, Roles
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter
from credo.numerics.scalar import safe_divide, safe_sqrt

__all__ = ["Spectrum"]

_BLOCK = 2**22  # numbers held at once while pieces are looked up: 32 MiB


class Spectrum(Kernel):
    r"""$k(s, s') = \sigma^2 \sum_u c_u(s) c_u(s')$ with $c_u(s)$ how often the piece u of `length` letters occurs in s.

    With `normalize` it is divided by $\sqrt{k(s, s) k(s', s')}$, so that the variance is σ² for short and long strings
    (Leslie, Eskin and Noble 2002, section 2). A row is a string as codes of its letters, filled up with -1, as
    [](#credo.represent.StringEncoder) makes it from text; codes are names. A string that is shorter than `length` has
    no pieces and covariance 0 with all, itself included. Derivatives in x are zero.

    All (n + m) L pieces are sorted once and counted by number, with no table of possible pieces: O(nmL) time, and
    32 MiB beside the answer.

    >>> k = Spectrum(length=2, normalize=False)
    >>> k([[0, 1, 0, 1], [0, 1, 1, -1]]).tolist()  # ABAB: AB twice and BA; ABB: AB and BB
    [[5.0, 2.0], [2.0, 2.0]]
    """

    length: int = eqx.field(static=True)
    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)
    normalize: bool = eqx.field(default=True, static=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.length, int) or self.length < 1:
            raise InputError("Spectrum", f"length={self.length!r}", "A piece has one letter or more", "Try length=3")

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        n = X.shape[0]
        pieces = _numbered(jnp.concatenate([X, Z]), self.length)
        shared = _shared(pieces[:n], pieces[n:])
        if self.normalize:
            own = safe_sqrt(_own(pieces))
            shared = safe_divide(shared, own[:n, None] * own[None, n:])
        return self.variance * shared

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        own = _own(_numbered(X, self.length))
        return self.variance * (jnp.where(own > 0.0, 1.0, 0.0) if self.normalize else own)

    def require_columns(self, d: int, who: str) -> None:
        if d < self.length:
            raise InputError(
                who,
                f"X has {d} columns, but the kernel counts pieces of {self.length} letters",
                "No string of that many letters has such a piece",
                f"Try Spectrum(length={max(1, min(3, d))})",
            )

    def column_roles(self, d: int, who: str) -> Roles:
        return (CODE,) * d

    def _check_values(self, X: Array, who: str) -> None:
        require_codes(X, who, "letter", -1.0)


def _numbered(strings: Float[Array, "n d"], length: int) -> Int[Array, "n p"]:
    """The pieces of every string, equal ones by the same number; -1 for pieces that reach into the filling."""
    n, columns = strings.shape
    count = columns - length + 1
    windows = [lax.stop_gradient(strings[:, i : i + count]).ravel() for i in range(length)]
    order = jnp.lexsort(windows[::-1])
    in_order = jnp.stack(windows)[:, order]
    is_new = jnp.any(in_order[:, 1:] != in_order[:, :-1], axis=0)
    numbers = jnp.concatenate([jnp.zeros(min(1, n * count), int), jnp.cumsum(is_new)])
    numbers = jnp.zeros(n * count, dtype=int).at[order].set(numbers)
    return jnp.where(jnp.any(jnp.stack(windows) < 0.0, axis=0), -1, numbers).reshape(n, count)


def _shared(pieces: Int[Array, "n p"], others: Int[Array, "m p"]) -> Float[Array, "n m"]:
    """Pairs of equal pieces, for every pair of strings."""
    kinds = (pieces.shape[0] + others.shape[0]) * pieces.shape[1]
    return _by_row(lambda row: _looked_up(row, others, kinds), pieces, kinds)


def _own(pieces: Int[Array, "n p"]) -> Float[Array, " n"]:
    """Pairs of equal pieces within every string."""
    return _by_row(lambda row: _looked_up(row, row, pieces.size), pieces, pieces.size)


def _by_row(function: Callable[[Array], Array], pieces: Array, kinds: int) -> Array:
    rows = max(1, min(pieces.shape[0], _BLOCK // max(1, kinds)))
    return lax.map(function, pieces, batch_size=rows)


def _looked_up(row: Int[Array, " p"], others: Int[Array, "*m p"], kinds: int) -> Float[Array, "*m"]:
    """How often each piece occurs in one string, summed over the pieces of the others."""
    # One beyond the last is dropped; a negative index would count from the end.
    counts = jnp.zeros(kinds).at[jnp.where(row < 0, kinds, row)].add(1.0, mode="drop")
    return jnp.sum(jnp.where(others < 0, 0.0, counts[jnp.maximum(others, 0)]), axis=-1)
