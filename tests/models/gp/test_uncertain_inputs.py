"""Observations at inputs that are known up to noise: moments against simulation, evidence against the dense formula."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.kernels import RBF, Expected, Hamming, Matern52, On
from credo.models import GPClassifier, GPRegressor, KernelRidge, MultiOutputGPRegressor, teacher_student

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, size=(15, 2))
Y = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1]
SCALES, VARIANCE, NOISE = np.array([0.8, 1.4]), 1.7, 0.04
KERNEL = Expected(RBF(VARIANCE, SCALES))
EXACT = np.hstack([X, np.zeros((15, 2))])
VAGUE = np.hstack([X, RNG.uniform(0.05, 0.4, size=(15, 2)) * (np.arange(15) % 3 > 0)[:, None]])
NEW = np.array([[0.3, -0.2, 0.3, 0.0], [1.0, 0.5, 0.2, 0.7], [-0.5, 1.0, 0.0, 0.0]])


def rbf(A, B, extra=0.0):
    """E k(x, z) with variances that add up to `extra`, in NumPy."""
    squares = SCALES**2 + extra
    return (
        VARIANCE * np.prod(SCALES / np.sqrt(squares), axis=-1) * np.exp(-0.5 * np.sum((A - B) ** 2 / squares, axis=-1))
    )


def covariance(rows):
    """Of observations: averages over independent inputs off the diagonal, over one input on it."""
    means, variances = rows[:, :2], rows[:, 2:]
    K = rbf(means[:, None], means[None, :], variances[:, None] + variances[None, :])
    K[np.diag_indices(len(rows))] = VARIANCE
    return K + NOISE * np.eye(len(rows))


def fitted(rows=EXACT, kernel=KERNEL, noise=NOISE, y=Y, **given):
    return GPRegressor(kernel=kernel, noise_variance=noise, inference=None, standardize=False, **given).fit(rows, y)


def test_moments_are_those_of_simulated_inputs():
    """A textbook process on exact rows, asked at 50 000 inputs drawn for each new row: their errors are about 1 %."""
    C = np.linalg.inv(rbf(X[:, None], X[None, :]) + NOISE * np.eye(15))
    belief = fitted().predict_dist(NEW)
    for i, row in enumerate(NEW):
        x = row[:2] + np.sqrt(row[2:]) * np.random.default_rng(i).normal(size=(50_000, 2))
        q = rbf(x[:, None], X[None, :])
        mean, variance = q @ C @ Y, VARIANCE - np.sum((q @ C) * q, axis=1)
        np.testing.assert_allclose(belief.mean[i], np.mean(mean), atol=0.02)
        np.testing.assert_allclose(belief.variance[i], np.mean(variance) + np.var(mean) + NOISE, rtol=0.02)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-12)


def test_the_posterior_is_about_the_average_and_so_is_an_observed_average():
    gp = fitted()
    latent, belief = gp.posterior(NEW), gp.predict_dist(NEW)
    np.testing.assert_allclose(belief.mean, latent.mean, rtol=1e-12)
    np.testing.assert_allclose(belief.budget.parameter, latent.variance, rtol=1e-12)
    assert np.all(np.asarray(belief.budget.noise)[:2] > 5.0 * NOISE)
    np.testing.assert_allclose(belief.budget.noise[2], NOISE, rtol=1e-9)
    assert gp.certificate_.kind == "heuristic"
    assert "normal distributions with the mean and variance" in str(gp.certificate_)
    assert "nodes" not in str(gp.certificate_)
    averages = fitted(kernel=Expected(RBF(VARIANCE, SCALES), averages=True)).predict_dist(NEW)
    np.testing.assert_allclose(averages.variance, np.asarray(latent.variance) + NOISE, rtol=1e-9)


def test_evidence_and_leave_one_out_are_those_of_the_observations():
    gp, K = fitted(VAGUE), covariance(VAGUE)
    np.testing.assert_allclose(gp.log_evidence_, stats.multivariate_normal(cov=K).logpdf(Y), rtol=1e-10)
    np.testing.assert_allclose(np.sum(gp.evidence_path()), gp.log_evidence_, rtol=1e-10)
    loo = gp.loo_
    for i in (0, 4, 8):
        rest = np.arange(15) != i
        weights = np.linalg.solve(K[np.ix_(rest, rest)], K[rest, i])
        np.testing.assert_allclose(loo.mean[i], weights @ Y[rest], rtol=1e-8)
        np.testing.assert_allclose(loo.variance[i], K[i, i] - weights @ K[rest, i], rtol=1e-8)
    assert gp.noise_variance_ == pytest.approx(NOISE)


def test_data_drawn_from_the_kernel_are_observations():
    """The expected log evidence of the kernel that drew them is minus the entropy of the observations."""
    result = teacher_student([KERNEL], VAGUE, noise_variance=NOISE, n_draws=2, random_state=0)
    entropy = stats.multivariate_normal(cov=covariance(VAGUE)).entropy()
    np.testing.assert_allclose(result.log_evidence, [[-entropy]], rtol=1e-10)


def test_more_rows_are_a_fit_on_all():
    more = fitted(VAGUE[:9], y=Y[:9]).partial_fit(VAGUE[9:], Y[9:])
    whole = fitted(VAGUE)
    np.testing.assert_allclose(more.predict_dist(NEW).variance, whole.predict_dist(NEW).variance, rtol=1e-8)
    np.testing.assert_allclose(more.log_evidence_, whole.log_evidence_, rtol=1e-9)


def test_repeats_at_an_uncertain_input_may_differ_without_noise():
    rows, y = np.vstack([VAGUE, VAGUE[1:2]]), np.append(Y, Y[1] + 0.3)
    K = covariance(rows) - NOISE * np.eye(16)
    whole = fitted(rows, noise=0.0, y=y)
    np.testing.assert_allclose(whole.log_evidence_, stats.multivariate_normal(cov=K).logpdf(y), rtol=1e-8)
    added = fitted(VAGUE, noise=0.0).partial_fit(rows[15:], y[15:])
    np.testing.assert_allclose(added.log_evidence_, whole.log_evidence_, rtol=1e-8)
    with pytest.raises(InputError, match="measured more than once with different results"):
        fitted(np.vstack([VAGUE, VAGUE[:1]]), noise=0.0, y=np.append(Y, 9.0))


def test_a_category_beside_the_uncertain_number():
    rows = np.column_stack([X[:, 0], np.full(15, 0.2), np.arange(15) % 2])
    kernel = On(Expected(RBF(1.0, 0.8)), [0, 1]) * On(Hamming(), [2])
    gp = GPRegressor(kernel=kernel, noise_variance=0.01, inference=None).fit(rows, Y + rows[:, 2])
    wide, narrow = gp.predict_dist([[0.1, 0.5, 0.0]]), gp.predict_dist([[0.1, 0.0, 0.0]])
    assert wide.budget.noise[0] > 2.0 * narrow.budget.noise[0]
    np.testing.assert_allclose(narrow.budget.noise, 0.01 * np.var(Y + rows[:, 2]), rtol=1e-6)


def test_what_has_no_place_for_it_is_refused():
    for model in (KernelRidge(kernel=KERNEL), MultiOutputGPRegressor(kernel=KERNEL)):
        with pytest.raises(InputError, match=rf"{type(model).__name__}: the kernel has Expected.*averages=True"):
            model.fit(VAGUE, Y)
    with pytest.raises(InputError, match=r"GPClassifier: the kernel has Expected"):
        GPClassifier(kernel=KERNEL).fit(VAGUE, Y > 0)
    with pytest.raises(InputError, match=r"GPRegressor: mean='linear' depends on inputs .*Expected\(kernel \+ Linear"):
        GPRegressor(kernel=KERNEL, mean="linear").fit(VAGUE, Y)
    KernelRidge(kernel=Expected(RBF(), averages=True)).fit(VAGUE, Y)


@pytest.mark.slow
def test_averages_over_parameters_have_it_too():
    gp = GPRegressor(kernel=Expected(RBF()), inference="mcmc", n_restarts=0, random_state=0).fit(VAGUE, Y)
    belief, latent = gp.predict_dist(NEW), gp.posterior(NEW)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-9)
    added = np.asarray(belief.variance) - np.asarray(latent.variance)
    assert np.all(added[:2] > added[2] + 0.05 * np.var(Y))  # the last row is exact


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False], ids=["true parameters", "learned"])
def test_intervals_cover_observations_at_uncertain_inputs(known):
    """150 functions, 40 uncertain rows and 20 new ones each, within 4 points of 90 %; E f alone had 20 to 27 %."""
    rng, inside = np.random.default_rng(3), []
    kernel = Expected(RBF(2.0, 0.7))
    gp = GPRegressor(
        kernel=kernel, noise_variance=0.01 if known else None, inference=None if known else "map",
        standardize=not known, n_restarts=0, random_state=0,
    )  # fmt: skip
    for _ in range(150 if known else 60):
        means, variances = rng.uniform(-3.0, 3.0, size=60), rng.choice([0.0, 0.05, 0.2], size=60)
        x = (means + np.sqrt(variances) * rng.normal(size=60))[:, None]
        f = np.linalg.cholesky(2.0 * np.exp(-0.5 * (x - x.T) ** 2 / 0.49) + 1e-8 * np.eye(60)) @ rng.normal(size=60)
        y = f + 0.1 * rng.normal(size=60)
        rows = np.column_stack([means, variances])
        low, high = gp.fit(rows[:40], y[:40]).predict_interval(rows[40:], 0.9)
        inside.append(np.mean((low <= y[40:]) & (y[40:] <= high)))
    assert abs(np.mean(inside) - 0.9) < 0.04


@pytest.mark.slow
def test_by_quadrature_it_is_simulated_too():
    """Matérn-5/2 has no closed form; at exact rows it is the kernel itself."""
    rows, y = X[:, :1], Y
    gp = GPRegressor(kernel=Expected(Matern52(1.2, 0.9)), noise_variance=NOISE, inference=None, standardize=False)
    belief = gp.fit(np.hstack([rows, np.zeros((15, 1))]), y).predict_dist([[0.3, 0.3]])
    assert "10 nodes per uncertain column" in str(gp.certificate_)
    plain = GPRegressor(kernel=Matern52(1.2, 0.9), noise_variance=NOISE, inference=None, standardize=False).fit(rows, y)
    latent = plain.posterior(0.3 + np.sqrt(0.3) * np.random.default_rng(1).normal(size=(100_000, 1)))
    expected = np.mean(latent.variance) + np.var(latent.mean) + NOISE
    np.testing.assert_allclose([belief.mean[0], belief.variance[0]], [np.mean(latent.mean), expected], rtol=0.02)
