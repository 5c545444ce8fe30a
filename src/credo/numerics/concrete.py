"""What the host can know of a value: inside jit, nothing, so no check there can raise."""

from typing import Any

import jax
import numpy as np

__all__ = ["is_known", "known_not_finite"]


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
