"""Correlations by NumPy against the kernels of the same name, and their slopes against differences."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian.quick_profiles import PROFILES

R2 = np.array([0.0, 1e-6, 0.3, 1.0, 7.0, 40.0])


@pytest.mark.parametrize("kernel", PROFILES, ids=lambda kernel: kernel.__name__)
def test_is_the_correlation_of_its_kernel(kernel):
    np.testing.assert_allclose(PROFILES[kernel](R2)[0], kernel().of_squared_distance(jnp.asarray(R2)), rtol=1e-13)


@pytest.mark.parametrize("kernel", PROFILES, ids=lambda kernel: kernel.__name__)
def test_its_slope_is_that_of_differences_and_finite_at_coincident_points(kernel):
    falling = PROFILES[kernel](R2)[1]
    assert np.isfinite(falling[0])
    step = 1e-6 * R2[2:]
    wanted = -(PROFILES[kernel](R2[2:] + step)[0] - PROFILES[kernel](R2[2:] - step)[0]) / step
    np.testing.assert_allclose(falling[2:], wanted, rtol=1e-6)
