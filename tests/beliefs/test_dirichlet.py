import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from families_multivariate import assert_rows_are_beliefs, dirichlets, simplexes
from hypothesis import given

from credo.beliefs import Dirichlet
from credo.errors import InputError


@given(dirichlets, simplexes(3))
def test_against_scipy(belief, x):
    twin = scipy.stats.dirichlet(np.asarray(belief.concentration))
    np.testing.assert_allclose(belief.log_prob(x), twin.logpdf(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(belief.exponential_log_prob(x), twin.logpdf(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(belief.mean, twin.mean(), rtol=1e-12)
    np.testing.assert_allclose(belief.variance, twin.var(), rtol=1e-12)
    np.testing.assert_allclose(belief.covariance, twin.cov(), atol=1e-14)


def test_density_integrates_to_one():
    nodes, weights = np.polynomial.legendre.leggauss(200)
    t, w = 0.5 * (nodes + 1), 0.5 * weights
    x, y = t[:, None], (1 - t[:, None]) * t  # the triangle as the image of the square, with Jacobian 1 − x
    grid = np.stack(np.broadcast_arrays(x, y, 1 - x - y), axis=-1)
    total = np.sum(np.exp(Dirichlet([1.5, 2.0, 3.0]).log_prob(grid)) * (1 - x) * w[:, None] * w)
    np.testing.assert_allclose(total, 1.0, atol=1e-6)


def test_mean_parameters_are_those_of_the_logarithms():
    belief = Dirichlet([1.5, 2.0, 3.0])
    x = np.log(np.asarray(belief.sample(40_000, random_state=0)))
    error = x.std(axis=0) / 200
    np.testing.assert_array_less(np.abs(x.mean(axis=0) - belief.mean_parameters), 4 * error)


def test_maximum_likelihood_recovers_the_member():
    belief = Dirichlet([1.5, 2.0, 3.0])
    fitted = Dirichlet([1.0, 1.0, 1.0]).maximum_likelihood(belief.mean_parameters)
    np.testing.assert_allclose(fitted.concentration, belief.concentration, rtol=1e-8)


def test_outside_and_at_the_edge():
    belief = Dirichlet([1.0, 2.0])
    outside = np.array([[0.5, 0.6], [-0.1, 1.1], [1.2, -0.2]])
    assert np.all(belief.log_prob(outside) == -np.inf)
    np.testing.assert_allclose(belief.log_prob(np.array([0.0, 1.0])), np.log(2.0))
    assert belief.log_prob(np.array([1.0, 0.0])) == -np.inf
    assert np.isnan(belief.log_prob(np.array([np.nan, 0.5])))


def test_batch_jit_and_vmap():
    assert_rows_are_beliefs(Dirichlet([[1.0, 2.0], [3.0, 0.5]]), jnp.array([[0.3, 0.7], [0.6, 0.4]]))


@pytest.mark.parametrize("concentration", [[1.0], [1.0, 0.0], [1.0, np.nan], 1.0, [1.0, -2.0]])
def test_bad_parameters_are_refused(concentration):
    with pytest.raises(InputError, match="Dirichlet"):
        Dirichlet(concentration)
