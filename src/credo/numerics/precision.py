"""64 bit arithmetic: switched on at import, checked at every fit.

This is credo's one exception to "importing changes nothing": evidence, p-values and Cholesky factors of nearly
singular matrices are wrong in their leading digits in 32 bit. Neural parts ask for float32 by name.
"""

import jax
import numpy as np

from credo.errors import PrecisionError

__all__ = ["enable_float64", "require_float64"]


def enable_float64() -> None:
    """Switch JAX to 64 bit. ``import credo`` calls this."""
    jax.config.update("jax_enable_x64", True)


def require_float64(who: str) -> None:
    """Raise [](#credo.errors.PrecisionError) in the name of `who` unless 64 bit is on."""
    if jax.dtypes.canonicalize_dtype(np.float64) != np.float64:
        raise PrecisionError(
            who,
            "JAX is in 32 bit mode",
            "jax_enable_x64 was switched off after credo was imported",
            "Try credo.numerics.enable_float64(), or import credo last",
        )
