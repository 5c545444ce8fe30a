"""64 bit: on after import, and its absence is noticed."""

import jax
import jax.numpy as jnp
import pytest

from credo.errors import PrecisionError
from credo.numerics import enable_float64, require_float64


def test_import_switches_to_64_bit():
    assert jnp.asarray(1.0).dtype == jnp.float64
    require_float64("Test")


def test_32_bit_is_refused_in_the_name_of_the_caller():
    try:
        jax.config.update("jax_enable_x64", False)
        with pytest.raises(PrecisionError, match="GPRegressor: JAX is in 32 bit mode"):
            require_float64("GPRegressor")
    finally:
        enable_float64()
    require_float64("Test")
