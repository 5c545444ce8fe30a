import numpy as np
import pytest

from credo.infer.kernel_ridge import kernel_spectrum
from credo.infer.ridge import ridge_spectrum


@pytest.mark.parametrize("intercept", [True, False])
def test_a_product_of_columns_is_ridge_on_them(intercept):
    """A singular covariance, weights and new points: everything that ridge says of the columns themselves."""
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(12, 4)), rng.normal(size=12), rng.integers(1, 4, size=12).astype(float)
    new = rng.normal(size=(3, 4))
    coordinates, spectrum = kernel_spectrum(X @ X.T, y, w, intercept=intercept)
    plain = ridge_spectrum(X, y[:, None], w, intercept=intercept)
    phi = coordinates.of(new @ X.T)
    assert phi.shape == (3, 4)
    np.testing.assert_allclose(spectrum.singular, plain.singular, rtol=1e-10)
    np.testing.assert_allclose(spectrum.leave_one_out(0.3), plain.leave_one_out(0.3), rtol=1e-10)
    np.testing.assert_allclose(spectrum.directions, np.eye(4))
    ours, theirs = spectrum.posterior(0.3), plain.posterior(0.3)
    np.testing.assert_allclose(ours.location(phi), theirs.location(new), rtol=1e-10)
    np.testing.assert_allclose(ours.spread(phi), theirs.spread(new), rtol=1e-9)
    np.testing.assert_allclose(coordinates.beyond(phi, new @ X.T, np.sum(new**2, axis=1)), 0.0, atol=1e-9)
    np.testing.assert_allclose(coordinates.beyond(phi, new @ X.T, np.sum(new**2, axis=1) + 1.0), 1.0, atol=1e-9)
