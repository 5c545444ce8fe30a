"""Uniform numbers moved to the ends: what they average to, and that they make differences at close points visible."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.kernels import RBF, Matern12, Matern52
from credo.kernels.frequencies import frequencies_from, uniforms_needed
from credo.kernels.sobol import shifted_sobol
from credo.kernels.tails import Tail, stretch, tails


def moved(ends, count=2**16):
    uniforms = shifted_sobol(jax.random.key(0), count, 3)
    return stretch(uniforms[:, :2], uniforms[:, 2], ends)


@pytest.mark.parametrize("ends", [(Tail(0, False),), (Tail(1, True),), (Tail(0, False), Tail(0, True), Tail(1, True))])
def test_weighted_averages_are_integrals(ends):
    """Of polynomials, of an indicator, and of a function that is large at both ends only: ∫ (u (1 − u))^(−1/2) = π."""
    u, weights = (np.asarray(part) for part in moved(ends))
    assert np.mean(weights) == pytest.approx(1.0, abs=1e-3)
    assert np.mean(weights * u[:, 0] * u[:, 1] ** 2) == pytest.approx(1 / 6, abs=1e-3)
    assert np.mean(weights * (u[:, 0] < 0.1)) == pytest.approx(0.1, abs=1e-3)
    assert np.mean(weights / np.sqrt(u[:, 0] * (1.0 - u[:, 0]))) == pytest.approx(np.pi, rel=0.01)
    assert np.max(weights) <= 2.0 + 1e-12


@pytest.mark.parametrize(("kernel", "d"), [(Matern12(), 1), (Matern52(), 1), (Matern52(), 3), (RBF(), 2)], ids=str)
def test_frequencies_are_unbiased_for_fast_waves(kernel, d):
    """The fourth difference of the kernel, E (2 − 2 cos ωᵀr)², to which slow waves add little: within 3 %."""
    uniforms = shifted_sobol(jax.random.key(1), 4096, uniforms_needed(kernel, d) + 1)
    u, weights = stretch(uniforms[:, :-1], uniforms[:, -1], tails(kernel, d))
    r = jnp.full(d, 0.1)
    found = np.mean(weights * (2.0 - 2.0 * jnp.cos(frequencies_from(kernel, u, d) @ r)) ** 2)
    k = [float(kernel.of(np.zeros(d), j * np.asarray(r))) for j in range(3)]
    assert found == pytest.approx(6 * k[0] - 8 * k[1] + 2 * k[2], rel=0.03)
