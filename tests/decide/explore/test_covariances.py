"""Covariances after the data against the textbook formula, in any units, and models that bring their own."""

import jax.numpy as jnp
import numpy as np
import polars as pl
import pytest

from credo.beliefs import Normal
from credo.decide.acquisitions import surface_of
from credo.decide.explore import Average, Explorer
from credo.decide.explore.covariances import covariances_of
from credo.errors import InputError
from credo.kernels import Matern52
from credo.models import GPRegressor

NOISE = 0.05
RNG = np.random.default_rng(0)
X, Y = RNG.random((6, 2)), RNG.normal(size=6)
S, A = RNG.random((9, 2)), RNG.random((5, 2)) + 0.5
KERNEL = Matern52(lengthscale=[0.4, 0.7], variance=1.3)


def fitted(rows=X, values=Y, noise=NOISE):
    return GPRegressor(kernel=KERNEL, noise_variance=noise, inference=None, standardize=False).fit(rows, values)


@pytest.mark.parametrize("standardize", [False, True])
def test_covariances_are_those_of_the_joint_belief_in_its_units(standardize):
    model = GPRegressor(kernel=KERNEL, noise_variance=NOISE, inference=None, standardize=standardize)
    model.fit(100.0 + 30.0 * X, 7.0 * Y)
    rows = 100.0 + 30.0 * np.concatenate([S, A])
    found, joint = covariances_of(model), np.asarray(model.joint(rows).covariance)
    np.testing.assert_allclose(found.covariance(rows[:9], rows[9:]), joint[:9, 9:], atol=1e-8)
    np.testing.assert_allclose(found.covariance(rows[9:], rows[:9]), joint[9:, :9], atol=1e-8)
    np.testing.assert_allclose(found.variance(rows), np.diag(joint), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.noise(rows[:2]), model.noise_variance_)


def test_a_surface_has_them_in_standard_units():
    found, surface = covariances_of(surface_of(fitted())), surface_of(fitted())
    np.testing.assert_allclose(found.covariance(S, A), surface.covariance(jnp.asarray(S), jnp.asarray(A)), atol=1e-10)
    with pytest.raises(InputError, match="shape"):
        Explorer(surface, candidates=np.ones((3, 5)))
    with pytest.raises(InputError, match="NaN"):
        Explorer(surface, candidates=[[np.nan, 0.0]])


def test_anything_with_covariances_will_do():
    class Line:
        """Bayesian linear regression before any data: f(x) = w·x."""

        def covariance(self, X, Z):
            return X @ Z.T

        def variance(self, X):
            return np.sum(X**2, axis=1)

        def noise(self, X):
            return np.full(len(X), 0.1)

    picked = Explorer(Line(), targets=[[1.0, 0.0]], candidates=[[0.0, 5.0], [1.0, 0.0], [2.0, 0.0]]).ask()
    assert picked.indices.tolist() == [2]
    np.testing.assert_allclose(picked.gains, 0.5 * np.log(4.1 / 0.1))
    with pytest.raises(InputError, match="quadrature"):
        Explorer(Line(), targets=Average(Normal([0.0, 0.0], [1.0, 1.0])), candidates=[[1.0, 0.0]]).ask()


def test_averaged_parameters_count_at_their_mode():
    """Information between measurements has a closed form for one set of parameters."""
    average, mode = (GPRegressor(inference=inference, random_state=0).fit(X, Y) for inference in ("auto", "map"))
    assert average.average_ is not None
    np.testing.assert_allclose(covariances_of(average).covariance(S, X), covariances_of(mode).covariance(S, X))


def test_frames_go_in_by_their_columns():
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    model = fitted(frame, Y)
    candidates = pl.DataFrame({"a": S[:, 0], "b": S[:, 1]})
    targets = pl.DataFrame({"a": A[:, 0], "b": A[:, 1]})
    picked = Explorer(model, targets=targets, candidates=candidates).ask(2)
    assert picked.indices.tolist() == Explorer(fitted(), targets=A, candidates=S).ask(2).indices.tolist()
    with pytest.raises(InputError, match="feature names"):
        Explorer(model, candidates=candidates.rename({"a": "c"}))
