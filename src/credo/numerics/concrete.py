"""Between host and device: what can be known of a value (inside jit, nothing), and how an array gets across."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

__all__ = ["is_known", "known_not_finite", "placed", "traced"]


def is_known(*values: Any) -> bool:
    """Whether the values are there to look at: none of them is a tracer.

    >>> is_known(1.0, np.ones(2))
    True
    """
    return not any(isinstance(value, jax.core.Tracer) for value in values)


def known_not_finite(value: Any) -> bool:
    """Whether `value` is there to look at and has NaN or infinite entries.

    >>> known_not_finite(np.array([1.0, np.nan]))
    True
    """
    return is_known(value) and not bool(np.all(np.isfinite(np.asarray(value))))


def placed(array: Any) -> Array:
    """A NumPy array that nobody else writes to, as a JAX array; `jnp.asarray` would compile a copy for each new shape.

    >>> placed(np.ones(3)).shape
    (3,)
    """
    return jax.device_put(np.asarray(array))


def traced(tree: Any) -> Any:
    """Floats and NumPy arrays of a tree as JAX arrays, so that a new value is not a new compilation.

    >>> traced({"scale": 2.0, "name": "a"})["name"]
    'a'
    """

    def convert(leaf: Any) -> Any:
        if isinstance(leaf, float):
            return jnp.asarray(leaf, dtype=jnp.float64)
        return placed(leaf) if isinstance(leaf, (np.ndarray, np.number)) else leaf

    return jax.tree.map(convert, tree)
