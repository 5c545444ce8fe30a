"""Answers in the user's units against the textbook formula in those units, and against fits that leave rows out."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Mixture, Normal
from credo.errors import InputError
from credo.kernels import Linear, Matern52
from credo.models import GPRegressor
from textbook_gp import Textbook, matern52

LENGTHS = np.array([0.7, 1.4])  # in standard deviations of the columns
KERNEL = Matern52(1.3, LENGTHS)


@pytest.fixture(scope="module")
def rows():
    """20 points in units far from standard, six of them measured again, with a known variance for each row."""
    rng = np.random.default_rng(0)
    X = np.array([300.0, -0.02]) + rng.normal(size=(20, 2)) * [50.0, 0.003]
    again = np.array([0, 0, 3, 7, 7, 7])
    X = np.concatenate([X, X[again]])
    y = 1000.0 + 40.0 * np.sin((X[:, 0] - 300.0) / 20.0) + 15.0 * rng.normal(size=26)
    known = rng.uniform(0.0, 100.0, size=20)
    return X, y, np.concatenate([known, known[again[:4]], [300.0, 300.0]])


def textbook(X, y, known=0.0, *, like=None):
    """The same belief in the user's units: columns scaled into the length-scales, y into variance, noise and mean."""
    base = X if like is None else like[0]
    target = y if like is None else like[1]
    spread, scale = base.std(axis=0), target.std()
    k = lambda A, B: matern52(A, B, 1.3 * scale**2, LENGTHS * spread)  # noqa: E731
    return Textbook(k, X, y, 0.15 * scale**2 + np.asarray(known), mean=lambda A: np.full(len(A), target.mean()))


def fitted(rows, **given):
    return GPRegressor(kernel=KERNEL, noise_variance=0.15, inference=None, **given).fit(*rows[:2], noise=rows[2])


@pytest.fixture(scope="module")
def gp(rows):
    return fitted(rows)


@pytest.fixture(scope="module")
def new():
    rng = np.random.default_rng(1)
    return np.array([300.0, -0.02]) + rng.normal(size=(16, 2)) * [50.0, 0.003]


def test_predictions_are_in_your_units(gp, rows, new):
    scale = rows[1].std()
    mean, covariance = textbook(*rows).posterior(new)
    latent, belief, joint = gp.posterior(new), gp.predict_dist(new), gp.joint(new)
    np.testing.assert_allclose(gp.predict(new), mean, rtol=1e-10)
    np.testing.assert_allclose(latent.mean, mean, rtol=1e-10)
    np.testing.assert_allclose(latent.variance, np.diag(covariance), rtol=1e-8)
    noise = 0.15 * scale**2 + np.median(rows[2])
    np.testing.assert_allclose(belief.variance, np.diag(covariance) + noise, rtol=1e-9)
    np.testing.assert_allclose(belief.budget.noise, np.full(16, noise), rtol=1e-12)
    np.testing.assert_allclose(belief.budget.parameter, np.diag(covariance), rtol=1e-8)
    np.testing.assert_allclose(joint.covariance, covariance, rtol=1e-7, atol=1e-9 * scale**2)
    low, high = gp.predict_interval(new, level=0.8)
    np.testing.assert_allclose(high - low, 2 * stats.norm.ppf(0.9) * np.asarray(belief.std), rtol=1e-10)


def test_evidence_is_the_density_of_your_targets(gp, rows):
    dense = textbook(*rows)
    np.testing.assert_allclose(gp.log_evidence_, dense.log_evidence(), rtol=1e-10)
    np.testing.assert_allclose(sum(gp.evidence_), gp.log_evidence_, rtol=1e-13)
    fit = -0.5 * dense.residual @ np.linalg.inv(dense.covariance) @ dense.residual
    np.testing.assert_allclose(gp.evidence_.fit, fit, rtol=1e-9)
    assert isinstance(gp.log_evidence_, float)
    np.testing.assert_allclose(gp.noise_variance_, np.mean(dense.noise), rtol=1e-10)


def test_leave_one_out_is_the_fit_without_that_row(gp, rows):
    dense, belief = textbook(*rows), gp.loo_
    expected = np.array([dense.leave_one_out(i) for i in range(26)])
    np.testing.assert_allclose(belief.mean, expected[:, 0], rtol=1e-9)
    np.testing.assert_allclose(belief.variance, expected[:, 1], rtol=1e-8)
    np.testing.assert_allclose(belief.budget.noise, dense.noise, rtol=1e-10)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-10)


def test_leave_one_out_is_a_refit_of_the_estimator(rows):
    """In the given units, where leaving a row out does not move the scaling. Rows of weight zero have none."""
    X, y, known = (rows[0] - [300.0, -0.02]) / [50.0, 0.003], rows[1] / 40.0, rows[2] / 1600.0
    w = np.ones(26)
    w[[5, 25]] = 0.0
    own = GPRegressor(kernel=KERNEL, noise_variance=0.15, inference=None, standardize=False)
    belief = own.fit(X, y, sample_weight=w, noise=known).loo_
    assert belief.batch_shape == (24,)
    for position, row in ((0, 0), (3, 3), (6, 7), (21, 22)):  # two of them at points with repeats
        without = w.copy()
        without[row] = 0.0
        one = own.fit(X, y, sample_weight=without, noise=known).posterior(X[row : row + 1])
        np.testing.assert_allclose(belief.mean[position], one.mean[0], rtol=1e-9)
        np.testing.assert_allclose(belief.variance[position], one.variance[0] + 0.15 + known[row], rtol=1e-9)


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_evidence_path_is_sequential_prediction(gp, rows, seed):
    order = None if seed is None else np.random.default_rng(seed).permutation(26)
    steps = gp.evidence_path(order)
    np.testing.assert_allclose(steps.sum(), gp.log_evidence_, rtol=1e-11)
    np.testing.assert_allclose(steps, textbook(*rows).sequential(np.arange(26) if order is None else order), rtol=1e-9)


def test_evidence_path_is_what_fits_on_the_earlier_rows_predict():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    own = GPRegressor(kernel=KERNEL, noise_variance=0.15, inference=None, standardize=False)
    steps = own.fit(X, y).evidence_path()
    for i in (17, 19):
        belief = own.fit(X[:i], y[:i]).predict_dist(X[i : i + 1])
        np.testing.assert_allclose(steps[i], belief.log_prob(y[i])[0], rtol=1e-9)


def test_without_noise_a_repeat_adds_nothing_to_the_evidence():
    """In any order the path ends at the evidence, which is that of the distinct rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 2))
    y = 7.0 + 2.0 * np.sin(X[:, 0])
    exact = GPRegressor(kernel=KERNEL, noise_variance=0, inference=None)
    twice = exact.fit(np.concatenate([X, X[:4]]), np.concatenate([y, y[:4]]))
    steps = twice.evidence_path()
    assert not np.any(steps[20:])
    np.testing.assert_allclose(steps.sum(), twice.log_evidence_, rtol=1e-9)
    shuffled = twice.evidence_path(rng.permutation(24))
    np.testing.assert_allclose(shuffled.sum(), twice.log_evidence_, rtol=1e-7)
    like = (np.concatenate([X, X[:4]]), np.concatenate([y, y[:4]]))
    dense = textbook(X, y, like=like)
    dense.noise = np.zeros(20)
    np.testing.assert_allclose(twice.log_evidence_, dense.log_evidence(), rtol=1e-8)


BAD_ORDERS = {"short": [0, 1], "one row": np.zeros(26, dtype=int), "shifted": np.arange(1, 27), "matrix": np.eye(26)}


@pytest.mark.parametrize("order", BAD_ORDERS.values(), ids=BAD_ORDERS.keys())
def test_an_order_is_a_permutation(gp, order):
    with pytest.raises(InputError, match=r"GPRegressor: order has shape .* for 26 rows"):
        gp.evidence_path(order)


def deviations(values, mean, covariance):
    """How many standard errors the moments of normal draws (a row each) lie from those they should have."""
    n, errors = len(values), np.sqrt(np.diag(covariance))
    spread = np.sqrt((np.outer(errors, errors) ** 2 + covariance**2) / n)
    of_mean = np.abs((values.mean(axis=0) - mean) / (errors / np.sqrt(n))).max()
    return of_mean, np.abs((np.cov(values.T) - covariance) / spread).max()


def test_draws_have_the_moments_of_posterior_and_prior(gp, rows, new):
    """4000 joint draws: every mean and covariance within 4 standard errors."""
    dense = textbook(*rows)
    draws = gp.sample(new, 4000, random_state=0)
    assert isinstance(draws, np.ndarray)
    assert draws.shape == (4000, 16)
    assert max(deviations(draws, *dense.posterior(new))) < 4
    prior = gp.sample_prior(new, 4000, random_state=1)
    assert max(deviations(prior, dense.mean(new), dense.k(new, new))) < 4
    np.testing.assert_array_equal(draws, gp.sample(new, 4000, random_state=0))


def test_terms_of_a_sum(rows, new):
    """They add up to f without its constant, and each is its own covariance times what the data say."""
    gp = GPRegressor(kernel=Linear(0.5) + KERNEL, noise_variance=0.15, inference=None).fit(*rows[:2])
    trend, wiggle = gp.decompose(new)
    np.testing.assert_allclose(trend.mean + wiggle.mean + rows[1].mean(), gp.predict(new), rtol=1e-10)
    X, y = ((part - part.mean(axis=0)) / part.std(axis=0) for part in rows[:2])
    Z = (new - rows[0].mean(axis=0)) / rows[0].std(axis=0)
    K = 0.5 * X @ X.T + matern52(X, X, 1.3, LENGTHS) + 0.15 * np.eye(26)
    inverse = np.linalg.inv(K)
    scale = rows[1].std()
    np.testing.assert_allclose(trend.mean, scale * 0.5 * Z @ X.T @ inverse @ y, rtol=1e-8)
    variance = 0.5 * np.sum(Z**2, axis=1) - np.sum((0.5 * Z @ X.T @ inverse) * (0.5 * Z @ X.T), axis=1)
    np.testing.assert_allclose(trend.variance, scale**2 * variance, rtol=1e-7)
    assert isinstance(wiggle, Normal)
    np.testing.assert_allclose(wiggle.budget.total, wiggle.variance, rtol=1e-12)
    (alone,) = fitted(rows).decompose(new)
    np.testing.assert_allclose(alone.variance, fitted(rows).posterior(new).variance, rtol=1e-12)


@pytest.fixture(scope="module")
def average(rows):
    return GPRegressor(kernel=KERNEL, inference="mcmc", n_restarts=0, random_state=0).fit(*rows[:2])


def members(average, rows):
    """The textbook posterior at each draw that predictions average over."""
    spread, scale = rows[0].std(axis=0), rows[1].std()
    for i in range(average.average_.draws):
        process = average.average_.member(i).process
        variance, lengths = float(process.kernel.variance) * scale**2, np.asarray(process.kernel.lengthscale) * spread
        k = lambda A, B, v=variance, l=lengths: matern52(A, B, v, l)  # noqa: E731
        noise = float(process.noise.level) * scale**2
        yield Textbook(k, *rows[:2], noise, mean=lambda A: np.full(len(A), rows[1].mean()))


def test_averaged_predictions_are_mixtures_over_the_draws(average, rows, new):
    moments = [(*one.posterior(new), one.noise[0]) for one in members(average, rows)]
    means, variances = np.array([m for m, *_ in moments]), np.array([np.diag(c) for _, c, _ in moments])
    noise = np.array([v for *_, v in moments])
    belief, latent = average.predict_dist(new), average.posterior(new)
    assert isinstance(belief, Mixture)
    np.testing.assert_allclose(belief.mean, means.mean(axis=0), rtol=1e-8)
    between = means.var(axis=0)
    np.testing.assert_allclose(latent.variance, variances.mean(axis=0) + between, rtol=1e-6)
    np.testing.assert_allclose(belief.variance, variances.mean(axis=0) + between + noise.mean(), rtol=1e-6)
    np.testing.assert_allclose(belief.budget.noise, np.full(16, noise.mean()), rtol=1e-8)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-10)
    assert np.all(np.asarray(belief.budget.parameter) > 0)


def test_averaged_leave_one_out_weighs_the_draws(average, rows):
    """p(θ | y without i) ∝ p(θ | y) / p(yᵢ | the others, θ): importance weights for each row."""
    each = [[one.leave_one_out(i) for i in range(26)] for one in members(average, rows)]
    means, variances = np.array(each)[..., 0], np.array(each)[..., 1]
    weights = 1.0 / stats.norm(means, np.sqrt(variances)).pdf(rows[1])
    weights /= weights.sum(axis=0)
    belief, mean = average.loo_, np.sum(weights * means, axis=0)
    np.testing.assert_allclose(belief.mean, mean, rtol=1e-8)
    variance = np.sum(weights * (variances + (means - mean) ** 2), axis=0)
    np.testing.assert_allclose(belief.variance, variance, rtol=1e-6)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-10)


@pytest.mark.slow
def test_averaged_draws_have_the_moments_of_the_mixture(average, new):
    """4000 draws of f, each from one of 32 posteriors: mean and deviation within 4 errors of a mixture's."""
    draws, belief = average.sample(new[:5], 4000, random_state=0), average.posterior(new[:5])
    error = np.asarray(belief.std) / np.sqrt(4000)
    assert np.max(np.abs(draws.mean(axis=0) - belief.mean) / error) < 4
    fourth = np.mean((draws - draws.mean(axis=0)) ** 4, axis=0)
    of_variance = np.sqrt((fourth - np.asarray(belief.variance) ** 2) / 4000)
    assert np.max(np.abs(draws.var(axis=0) - belief.variance) / of_variance) < 4
