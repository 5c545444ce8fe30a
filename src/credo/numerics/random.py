"""scikit-learn's `random_state` as a JAX key."""

from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError

__all__ = ["RandomState", "as_key", "as_seed"]

#: What a `random_state` may be: a seed, a NumPy generator or RandomState, a JAX key, or None for fresh entropy.
RandomState: TypeAlias = int | np.integer | np.random.Generator | np.random.RandomState | Array | None


def as_key(random_state: Any = None) -> Array:
    """A JAX key from an int, a NumPy generator, a `RandomState`, a JAX key or None (fresh entropy).

    The same int always gives the same key; a generator is advanced, so a second call gives another key.

    >>> bool((as_key(0) == as_key(0)).all())
    True
    """
    if isinstance(random_state, Array):
        return _checked_key(random_state)
    return jax.random.key(as_seed(random_state))


def as_seed(random_state: Any = None) -> int:
    """A non-negative seed of 32 bit from whatever [](#credo.numerics.as_key) takes."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, bool):
        raise _bad(random_state)
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise _bad(random_state)
        return int(random_state) % 2**32
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32, dtype=np.uint64))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, Array):
        return int(jax.random.bits(_checked_key(random_state), dtype=jnp.uint32))
    raise _bad(random_state)


def _checked_key(key: Array) -> Array:
    if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and key.shape == ():
        return key
    if key.dtype == jnp.uint32 and key.shape == (2,):  # a raw key of jax.random.PRNGKey
        return jax.random.wrap_key_data(key)
    raise _bad(key)


def _bad(random_state: Any) -> InputError:
    return InputError(
        "random_state",
        f"{random_state!r} is not a seed",
        "It is a non-negative int, a NumPy generator or RandomState, one JAX key, or None",
        "Try random_state=0",
    )
