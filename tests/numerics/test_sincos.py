"""Cosine and sine as polynomials, against those of NumPy, with their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np

from credo.numerics.sincos import cosine_and_sine


def test_values_are_those_of_numpy():
    x = np.concatenate([np.linspace(-20.0, 20.0, 40_001), np.pi * np.arange(-9, 10) / 2, [0.0, 1e-9]])
    cosine, sine = cosine_and_sine(jnp.asarray(x))
    np.testing.assert_allclose(cosine, np.cos(x), atol=2e-14)
    np.testing.assert_allclose(sine, np.sin(x), atol=2e-14)


def test_derivatives_are_each_other():
    x = jnp.linspace(-20.0, 20.0, 4001)
    slopes = [jax.vmap(jax.grad(lambda t, i=i: cosine_and_sine(t)[i]))(x) for i in (0, 1)]
    np.testing.assert_allclose(slopes[0], -np.sin(x), atol=1e-11)
    np.testing.assert_allclose(slopes[1], np.cos(x), atol=1e-11)
