"""What the engines share: the checks of a problem, the factor of B, and prediction against dense textbook algebra."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError, NumericalError
from credo.infer import LatentApproximation
from credo.infer.latent import latent_problem, raise_if_failed, site_factor
from credo.numerics import FAILED, Info

N = 5


def a_covariance(n=N, seed=0):
    root = np.random.default_rng(seed).normal(size=(n, n))
    return root @ root.T


def test_factor_is_that_of_b():
    covariance, root = a_covariance(), np.array([0.0, 0.5, 1.0, 2.0, 3.0])
    factor = site_factor(jnp.asarray(covariance), jnp.asarray(root))
    b = np.eye(N) + np.diag(root) @ covariance @ np.diag(root)
    np.testing.assert_allclose(factor.matrix, b, rtol=1e-12)
    assert factor.info.jitter == 0.0
    assert factor.info.condition >= np.linalg.cond(b) / np.sqrt(N)


def test_factor_needs_no_jitter_for_a_singular_covariance():
    factor = site_factor(jnp.ones((N, N)), jnp.full(N, 1e3))
    assert factor.info.jitter == 0.0
    np.testing.assert_allclose(factor.log_det, np.log1p(N * 1e6), rtol=1e-9)


def test_prediction_is_that_of_gaussian_observations():
    """Sites of precision s are observations with noise variance 1/s: plain Gaussian conditioning predicts the same."""
    joint = a_covariance(N + 2, seed=1)
    covariance, cross, new = joint[:N, :N], joint[N:, :N], np.diag(joint)[N:]
    precision, observed, prior = np.array([0.3, 1.0, 2.0, 5.0, 0.7]), np.arange(5.0), 0.4
    noisy = covariance + np.diag(1 / precision)
    alpha = np.linalg.solve(noisy, observed - prior)
    factor = site_factor(jnp.asarray(covariance), jnp.sqrt(precision))
    belief = LatentApproximation(
        jnp.asarray(prior + covariance @ alpha),
        jnp.asarray(alpha),
        jnp.asarray(precision),
        factor,
        jnp.asarray(0.0),
        Info(),
    )
    found = belief.predict(cross, new, prior)
    np.testing.assert_allclose(found.mean, prior + cross @ alpha, rtol=1e-12)
    np.testing.assert_allclose(found.variance, new - np.diag(cross @ np.linalg.solve(noisy, cross.T)), rtol=1e-10)


def test_rows_of_weight_zero_are_wiped():
    covariance, labels, mean = a_covariance(), np.array([1.0, 0, 1, np.nan, 1]), np.array([0.1, 0.2, 0.3, np.inf, 0.5])
    covariance[3, :] = covariance[:, 3] = np.nan
    problem = latent_problem("test", covariance, labels, np.array([1.0, 2, 0.5, 0, 1]), mean)
    assert all(np.all(np.isfinite(part)) for part in problem)
    kept = [0, 1, 2, 4]
    np.testing.assert_array_equal(np.asarray(problem.covariance)[np.ix_(kept, kept)], covariance[np.ix_(kept, kept)])
    np.testing.assert_array_equal(problem.covariance[3], 0.0)


def test_rows_of_weight_zero_pass_no_derivative():
    weights = np.array([1.0, 1, 1, 0, 1])

    def total(covariance):
        return jnp.sum(latent_problem("test", covariance, np.ones(N), weights, None).covariance)

    slope = jax.grad(total)(jnp.full((N, N), jnp.nan).at[:3, :3].set(1.0))
    np.testing.assert_array_equal(slope[3], 0.0)


GOOD = {"covariance": np.eye(N), "labels": np.ones(N), "weights": None, "mean": None}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"covariance": np.ones((N, 2))}, "the matrix has shape"),
        ({"covariance": np.ones((2, N, N))}, "the covariance has shape"),
        ({"covariance": np.triu(np.ones((N, N)))}, "not symmetric"),
        ({"covariance": np.full((N, N), np.nan)}, "NaN or infinite"),
        ({"covariance": np.diag([1.0, 1, -1, 1, 1])}, "variance is -1"),
        ({"labels": np.ones(N - 1)}, "labels has shape"),
        ({"labels": np.full(N, 2.0)}, "labels other than 0 to 1"),
        ({"weights": np.full(N, -1.0)}, "weights range from -1"),
        ({"weights": np.ones(2)}, "weights has shape"),
        ({"mean": np.ones((N, 2))}, "prior mean has shape"),
        ({"mean": np.full(N, np.nan)}, "prior mean has NaN"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_problems_that_make_no_sense_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        latent_problem("test", **{**GOOD, **change})


@pytest.mark.parametrize("cross", [np.ones((N, 2)), np.ones(N), np.full((2, N), np.nan)], ids=["wide", "flat", "nan"])
def test_rows_to_predict_that_do_not_fit_are_refused(cross):
    belief = LatentApproximation(
        *(jnp.zeros(N) for _ in range(3)), site_factor(jnp.eye(N), jnp.zeros(N)), jnp.asarray(0.0), Info()
    )
    with pytest.raises(InputError, match="LatentApproximation: cross has"):
        belief.predict(cross, 1.0)


def test_failure_is_raised_on_the_host_only():
    with pytest.raises(NumericalError, match="test: there is no finite evidence"):
        raise_if_failed("test", Info(status=jnp.asarray(FAILED)))
    raise_if_failed("test", Info())
    jax.jit(lambda status: raise_if_failed("test", Info(status=status)))(FAILED)
