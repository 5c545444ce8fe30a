"""The no-U-turn sampler: its windows, what it refuses, and a posterior that quadrature knows."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.infer import mcse, nuts, slice_sample
from credo.infer.mcmc.nuts import _windows
from credo.numerics import gaussian_log_density


def gaussian(x, precision):
    return -0.5 * x @ precision @ x


def gp_posterior(x, data):
    """Log length-scale and log noise deviation of a Gaussian process of unit variance, under wide normal priors."""
    inputs, y = data
    r2 = ((inputs[:, None] - inputs) * jnp.exp(-x[0])) ** 2
    prior = -0.5 * jnp.sum((x - jnp.array([0.0, -2.0])) ** 2)
    return gaussian_log_density(jnp.exp(-0.5 * r2), y, noise=jnp.exp(2.0 * x[1])) + prior


@pytest.mark.parametrize("n", [20, 21, 50, 149, 200, 1000])
def test_windows_sum_and_end_with_the_step_size(n):
    windows = _windows(n)
    assert sum(size for size, _ in windows) == n
    assert [learns for _, learns in windows] == [True] * (len(windows) - 1) + [False]
    assert 5 <= windows[-1][0] <= 50


@pytest.mark.parametrize(
    "wrong",
    [{"n_warmup": 19}, {"target_acceptance": 0.0}, {"target_acceptance": 1.0}, {"max_doublings": 0}],
    ids=["warm-up", "acceptance zero", "acceptance one", "doublings"],
)
def test_tuning_that_cannot_work_is_refused(wrong):
    with pytest.raises(InputError, match=f"^nuts: {next(iter(wrong))} is"):
        nuts(gaussian, np.zeros((4, 3)), shared=np.eye(3), **wrong)


def by_quadrature(data):
    """Means and standard deviations of the two parameters on a grid that holds all of the posterior."""
    scale, noise = np.linspace(-4.0, 4.0, 81), np.linspace(-6.0, 1.5, 76)
    points = np.stack(np.meshgrid(scale, noise, indexing="ij"), axis=-1).reshape(-1, 2)
    inputs, y = data
    log_density = np.empty(len(points))
    for k, (a, b) in enumerate(points):
        K = np.exp(-0.5 * ((inputs[:, None] - inputs) / np.exp(a)) ** 2) + np.exp(2 * b) * np.eye(len(y))
        fit = stats.multivariate_normal.logpdf(y, cov=K, allow_singular=True)
        log_density[k] = fit + stats.norm.logpdf(a) + stats.norm.logpdf(b, -2.0)
    weights = np.exp(log_density - log_density.max())
    weights /= weights.sum()
    grid = weights.reshape(81, 76)
    assert grid[[0, -1]].sum() + grid[:, [0, -1]].sum() < 1e-4
    return weights @ points, weights @ points**2


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [slice_sample, nuts], ids=["slice", "nuts"])
def test_posterior_of_a_gaussian_process_against_quadrature(sampler):
    rng = np.random.default_rng(0)
    inputs = np.sort(rng.uniform(0.0, 5.0, size=16))
    data = (inputs, np.sin(inputs) + 0.1 * rng.normal(size=16))
    starts = np.array([0.0, -2.0]) + 0.5 * rng.normal(size=(4, 2))
    solution = sampler(gp_posterior, starts, shared=data, n_draws=2000, n_warmup=500, random_state=0)
    assert solution.certificate.converged
    values = np.asarray(solution.value.values)
    for moment, exact in zip((values, values**2), by_quadrature(data), strict=True):
        z = (moment.mean(axis=(0, 1)) - exact) / mcse(moment)
        assert np.all(np.abs(z) < 4.0), z


@pytest.mark.slow
def test_many_coordinates_have_a_diagonal_mass():
    """Above a hundred coordinates a warm-up has too few draws for a full covariance."""
    scales = np.geomspace(0.01, 100.0, 120)
    starts = scales * np.random.default_rng(0).normal(size=(4, 120))
    solution = nuts(gaussian, starts, shared=np.diag(scales**-2.0), random_state=0)
    assert solution.info["inverse_mass"].shape == (120,)
    assert solution.certificate.converged
    values = np.asarray(solution.value.values) / scales
    z = (np.mean(values**2, axis=(0, 1)) - 1.0) / mcse(values**2)
    assert np.mean(np.abs(z) < 2.0) > 0.85
    assert np.all(np.abs(z) < 5.0)
