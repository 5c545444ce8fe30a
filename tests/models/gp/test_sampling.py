"""Parameters averaged over: both samplers against brute-force integration on a grid of two of them."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Mixture
from credo.kernels import RBF
from credo.models import GPRegressor
from credo.numerics.constraints import Fixed
from textbook_gp import rbf

rng = np.random.default_rng(0)
X = rng.uniform(-3.0, 3.0, size=(20, 1))
Y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=20)
NEW = np.array([[-3.5], [-1.0], [0.2], [1.7], [4.0]])
LENGTHS, NOISES = np.linspace(-2.5, 2.5, 101), np.linspace(-7.0, 1.5, 101)  # logarithms


@pytest.fixture(scope="module")
def grid():
    """p(log length-scale, log noise | y) at every node, and mean and variance of f at NEW there."""
    prior = stats.norm(0.5, 1.5).logpdf(LENGTHS)[:, None] + stats.norm(-3.0, 2.5).logpdf(NOISES)[None, :]
    logs, means, variances = [], [], []
    for length in np.exp(LENGTHS):
        values, vectors = np.linalg.eigh(rbf(X, X, 1.0, length))
        spectrum = np.maximum(values, 0.0)[None, :] + np.exp(NOISES)[:, None]
        seen, cross = vectors.T @ Y, rbf(NEW, X, 1.0, length) @ vectors
        logs.append(-0.5 * np.sum(seen**2 / spectrum + np.log(2 * np.pi * spectrum), axis=1))
        means.append((seen / spectrum) @ cross.T)
        variances.append(1.0 - (1.0 / spectrum) @ (cross**2).T)
    weights = np.array(logs) + prior
    weights = np.exp(weights - weights.max())
    return weights / weights.sum(), np.array(means), np.array(variances)


def averaged(weights, values):
    return np.tensordot(weights, values, axes=2)


def fitted(inference):
    return GPRegressor(kernel=RBF(Fixed(1.0)), inference=inference, standardize=False, random_state=0).fit(X, Y)


def check_draws(gp, weights):
    """Means within 4 Monte Carlo errors, which the certificate gives in standard deviations; deviations within 15 %."""
    coordinates = np.stack(np.meshgrid(LENGTHS, NOISES, indexing="ij"), axis=-1)
    mean = averaged(weights, coordinates)
    deviation = np.sqrt(averaged(weights, (coordinates - mean) ** 2))
    assert gp.draws_.names == ("kernel.lengthscale", "noise.level")
    assert 0.0 < gp.certificate_.error < 0.1
    assert np.max(np.abs(np.asarray(gp.draws_.mean) - mean) / deviation) < 4 * gp.certificate_.error
    np.testing.assert_allclose(gp.draws_.std, deviation, rtol=0.15)


def check_predictions(gp, weights, means, variances):
    """Mean and variance within 4 standard errors, which the grid knows, and a budget that adds up."""
    effective = gp.average_.effective
    belief = gp.predict_dist(NEW)
    assert isinstance(belief, Mixture)
    noise = np.broadcast_to(np.exp(NOISES)[None, :, None], means.shape)
    mean = averaged(weights, means)
    between, within = averaged(weights, (means - mean) ** 2), averaged(weights, variances + noise)
    assert np.all(np.abs(belief.mean - mean) < 4 * np.sqrt(between / effective))
    spread = averaged(weights, (variances + noise + (means - mean) ** 2 - between - within) ** 2)
    assert np.all(np.abs(belief.variance - between - within) < 4 * np.sqrt(spread / effective))
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-10)
    of_noise = averaged(weights, (noise - averaged(weights, noise)) ** 2)
    assert np.all(np.abs(belief.budget.noise - averaged(weights, noise)) < 4 * np.sqrt(of_noise / effective))
    assert np.all(np.asarray(belief.budget.parameter) > 0)


def test_weighted_draws_agree_with_the_grid(grid):
    """The default: no more than a few hundred evaluations, and errors of a tenth of those of independent draws."""
    gp = fitted("auto")
    assert gp.average_.draws == 128
    check_predictions(gp, *grid)
    weights, means, variances = grid
    mean = averaged(weights, means)
    between = averaged(weights, (means - mean) ** 2)
    latent = gp.posterior(NEW)
    np.testing.assert_allclose(latent.mean, mean, atol=0.05 * np.sqrt(np.max(between)))
    np.testing.assert_allclose(latent.std, np.sqrt(averaged(weights, variances) + between), rtol=0.05)


def test_weighted_draws_depend_on_the_data_alone():
    kernel = RBF(Fixed(1.0))
    one, other = (
        GPRegressor(kernel=kernel, standardize=False, n_restarts=0, random_state=seed).fit(X, Y) for seed in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_dist(NEW).std, other.predict_dist(NEW).std)


@pytest.mark.slow
def test_slice_sampling_agrees_with_the_grid(grid):
    gp = fitted("mcmc")
    assert gp.average_.draws == 1000
    check_draws(gp, grid[0])
    check_predictions(gp, *grid)


@pytest.mark.slow
def test_nuts_agrees_with_the_grid_and_with_slice_sampling(grid):
    nuts, slices = fitted("nuts"), fitted("mcmc")
    check_draws(nuts, grid[0])
    check_predictions(nuts, *grid)
    error = np.hypot(nuts.certificate_.error, slices.certificate_.error) * np.asarray(slices.draws_.std)
    assert np.all(np.abs(nuts.draws_.mean - slices.draws_.mean) < 4 * error)


def test_the_mode_is_the_highest_node(grid):
    """The search and the sampler look at one density: its mode lies at the best node, to the width of the grid."""
    best = np.unravel_index(np.argmax(grid[0]), grid[0].shape)
    gp = GPRegressor(kernel=RBF(Fixed(1.0)), standardize=False, random_state=0).fit(X, Y)
    assert abs(np.log(float(gp.kernel_.lengthscale)) - LENGTHS[best[0]]) < LENGTHS[1] - LENGTHS[0]
    assert abs(np.log(gp.noise_variance_) - NOISES[best[1]]) < NOISES[1] - NOISES[0]


def test_averaging_widens_the_interval_far_from_data():
    """What the mode does not know about the parameters is in the interval of the average only."""
    gp, average = fitted("map"), fitted("mcmc")
    far = np.array([[3.4], [-3.3]])
    assert np.all(average.predict_dist(far).budget.parameter > gp.predict_dist(far).budget.parameter)


@pytest.mark.slow
def test_the_computation_part_is_the_spread_over_seeds():
    """With 12 rows the predictive deviation varies little between seeds, and the budget states the rest."""
    few, values = X[:12], Y[:12]
    beliefs = [
        GPRegressor(kernel=RBF(), inference="mcmc", n_restarts=0, random_state=seed).fit(few, values).predict_dist(NEW)
        for seed in range(12)
    ]
    deviations = np.array([belief.std for belief in beliefs])
    assert np.all(np.std(deviations, axis=0) < 0.04 * np.mean(deviations, axis=0))
    spread = np.var([belief.mean for belief in beliefs], axis=0, ddof=1)
    stated = np.mean([belief.budget.computation for belief in beliefs], axis=0)
    assert np.all(stated > 0.0)
    assert 0.25 < np.mean(spread) / np.mean(stated) < 4.0
