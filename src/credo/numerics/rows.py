"""A function of many rows in blocks of bounded memory."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

__all__ = ["map_rows"]

T = TypeVar("T")
_ENTRIES = 2**22  # numbers that a block may hold: 32 MiB


def map_rows(fun: Callable[[Array], T], X: Float[Array, "n d"], *, cost: int, entries: int = _ENTRIES) -> T:
    """``fun(X)``, where every array of the result has the rows of X first, block by block, for use inside jit.

    `cost` is how many numbers one row takes on the way; blocks are as large as `entries` numbers allow.

    >>> map_rows(lambda x: x.sum(axis=1), jnp.ones((5, 2)), cost=2, entries=4).tolist()
    [2.0, 2.0, 2.0, 2.0, 2.0]
    """
    rows, block = X.shape[0], max(1, entries // max(1, cost))
    if rows <= block:
        return fun(X)
    count = -(-rows // block)
    filled = jnp.pad(X, [(0, count * block - rows), (0, 0)], mode="edge")  # what fills the last block are rows too
    blocks = filled.reshape(count, block, X.shape[1])
    joined = lax.map(fun, blocks)
    return jax.tree.map(lambda a: a.reshape(count * block, *a.shape[2:])[:rows], joined)
