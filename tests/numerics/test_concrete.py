"""What is known on the host, and that nothing is inside jit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.numerics.concrete import is_known, known_not_finite, placed, traced


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


def test_placed_copies_the_values_and_compiles_nothing():
    """`jnp.asarray` of a new shape compiles a copy; this does not, whatever the shape, dtype or layout."""
    compiled = []
    listener = lambda event, duration, **_: compiled.append(event) if "backend_compile" in event else None  # noqa: E731
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(3, n)).T[::2] for n in (17, 18, 19)] + [np.arange(5), np.array([True]), np.float64(2.0)]
    jax.monitoring.register_event_duration_secs_listener(listener)
    try:
        there = [placed(array) for array in arrays]
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    assert not compiled
    for array, value in zip(arrays, there, strict=True):
        assert isinstance(value, jax.Array)
        assert value.dtype == np.asarray(array).dtype
        np.testing.assert_array_equal(value, array)


def test_traced_turns_numbers_into_arrays_and_leaves_the_rest():
    tree = traced({"a": 1.5, "b": np.arange(3), "c": "text", "d": True, "e": 2})
    assert isinstance(tree["a"], jax.Array)
    assert tree["a"].dtype == jnp.float64
    assert isinstance(tree["b"], jax.Array)
    assert (tree["c"], tree["d"], tree["e"]) == ("text", True, 2)
