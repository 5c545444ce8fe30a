import numpy as np

from credo.infer.kernel_ridge import kernel_coordinates


def test_coordinates_reproduce_the_covariance_also_where_it_is_singular():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(12, 4))
    coordinates = kernel_coordinates(root @ root.T)
    phi = coordinates.of(root @ root.T)
    assert phi.shape == (12, 4)
    np.testing.assert_allclose(phi @ phi.T, root @ root.T, atol=1e-10)
    new = rng.normal(size=(3, 4))
    np.testing.assert_allclose(coordinates.beyond(coordinates.of(new @ root.T), np.sum(new**2, axis=1)), 0.0, atol=1e-9)
    np.testing.assert_allclose(coordinates.beyond(np.zeros((3, 4)), np.ones(3)), 1.0)
