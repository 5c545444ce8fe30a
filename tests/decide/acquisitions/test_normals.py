"""Even draws have the moments of a standard normal, to less than independent ones have."""

import numpy as np

from credo.decide.acquisitions.normals import even_normals


def test_moments_are_a_standard_normals():
    draws = even_normals(1024, 3, random_state=1)
    np.testing.assert_allclose(np.mean(draws, axis=0), 0.0, atol=5e-3)
    np.testing.assert_allclose(np.cov(draws.T), np.eye(3), atol=2e-2)
    np.testing.assert_array_equal(draws, even_normals(1024, 3, random_state=1))


def test_each_draw_is_normal_over_seeds():
    first = np.array([even_normals(4, 1, random_state=seed)[0, 0] for seed in range(300)])
    assert abs(np.mean(first)) < 4.0 / 300**0.5
    assert abs(np.std(first) - 1.0) < 4.0 / 600**0.5
