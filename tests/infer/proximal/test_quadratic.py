import numpy as np
import pytest
from scipy import sparse

from credo.infer.proximal.quadratic import centered_quadratic


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("d", [4, 600])
def test_it_is_the_loss_of_weighted_centered_rows(d, form, intercept):
    rng = np.random.default_rng(0)
    n = 20
    X = rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.5) + 0.3
    y, w = rng.normal(size=n) + 2.0, rng.integers(1, 4, size=n).astype(float)
    quadratic = centered_quadratic(form(X), y, w, intercept=intercept)
    share = w / np.sum(w)
    A = X - intercept * (share @ X)
    t = y - intercept * (share @ y)
    columns = np.array([3, 0, 2])
    beta = rng.normal(size=3)
    full = np.zeros(d)
    full[columns] = beta
    descent = quadratic.descent(columns, beta)
    np.testing.assert_allclose(descent, A.T @ (share * (t - A @ full)), atol=1e-12)
    gram = A.T @ (share[:, None] * A)
    for chosen in (columns, np.array([1, 3])):
        np.testing.assert_allclose(quadratic.block(chosen), gram[np.ix_(chosen, chosen)], atol=1e-12)
    np.testing.assert_allclose(quadratic.loss(full, descent), 0.5 * share @ (t - A @ full) ** 2, rtol=1e-10)
    assert quadratic.weight == np.sum(w)
