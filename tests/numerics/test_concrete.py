"""What is known on the host, and that nothing is inside jit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.numerics.concrete import is_known, known_not_finite


@pytest.mark.parametrize(("value", "broken"), [(1.0, False), (np.inf, True), (np.array([0.0, np.nan]), True)])
def test_values_on_the_host_are_looked_at(value, broken):
    assert is_known(value, jnp.asarray(value))
    assert known_not_finite(value) is broken
    assert known_not_finite(jnp.asarray(value)) is broken


def test_inside_jit_nothing_is_known():
    seen = []

    @jax.jit
    def look(x):
        seen.append((is_known(x), is_known(1.0, x), known_not_finite(x / 0.0)))
        return x

    look(1.0)
    assert seen == [(False, False, False)]
