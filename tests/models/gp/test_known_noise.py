"""Noise that is known row by row: in the intervals of new rows, in leave-one-out, after more rows and through files."""

import numpy as np
import pytest

import credo
from credo.decide.explore.covariances import covariances_of
from credo.errors import InputError
from credo.kernels import Matern52
from credo.models import GPRegressor
from textbook_gp import matern52

RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, size=(25, 1))
KNOWN = RNG.gamma(2.0, 0.1, size=25)
Y = 40.0 + 5.0 * np.sin(X[:, 0]) + np.sqrt(KNOWN) * RNG.normal(size=25)
NEW = np.array([[-1.0], [0.5], [9.0]])
KERNEL = Matern52(1.5, 0.8)


def fitted(**given):
    return GPRegressor(kernel=KERNEL, inference=None, **given).fit(X, Y, noise=KNOWN)


@pytest.mark.parametrize("further", [None, 0.3])
def test_new_rows_have_the_noise_they_are_given_or_else_the_median(further):
    gp = fitted(noise_variance=further)
    learned = (further or 0.0) * np.var(Y)
    latent, typical = np.asarray(gp.posterior(NEW).variance), gp.predict_dist(NEW)
    assert gp.typical_noise_ == pytest.approx(np.median(KNOWN), rel=1e-12)
    np.testing.assert_allclose(typical.budget.noise, np.full(3, np.median(KNOWN) + learned), rtol=1e-10)
    np.testing.assert_allclose(typical.variance, latent + np.median(KNOWN) + learned, rtol=1e-10)
    own = np.array([0.0, 1.0, 4.0])
    np.testing.assert_allclose(gp.predict_dist(NEW, noise=own).variance, latent + own + learned, rtol=1e-9)
    np.testing.assert_allclose(gp.predict_dist(NEW, noise=2.0).budget.noise, np.full(3, 2.0 + learned), rtol=1e-10)
    low, high = gp.predict_interval(NEW, 0.8, noise=own)
    np.testing.assert_allclose([low, high], gp.predict_dist(NEW, noise=own).interval(0.8), rtol=1e-12)
    assert "median of the known noise of the training rows" in str(gp.certificate_)


def test_without_known_noise_there_is_none():
    gp = GPRegressor(kernel=KERNEL, noise_variance=0.2, inference=None).fit(X, Y)
    assert gp.typical_noise_ == 0.0
    assert "median" not in str(gp.certificate_)
    np.testing.assert_allclose(gp.predict_dist(NEW).budget.noise, np.full(3, 0.2 * np.var(Y)), rtol=1e-12)


def test_a_weight_is_so_many_rows():
    weights = RNG.integers(0, 4, size=25)
    weighted = GPRegressor(kernel=KERNEL, inference=None).fit(X, Y, sample_weight=weights, noise=KNOWN)
    assert weighted.typical_noise_ == pytest.approx(np.median(np.repeat(KNOWN, weights)), rel=1e-12)


def test_leave_one_out_is_the_prediction_with_the_row_s_own_noise():
    whole = GPRegressor(kernel=KERNEL, inference=None, standardize=False)
    loo = whole.fit(X, Y - 40.0, noise=KNOWN).loo_
    for i in (0, 7, 24):
        rest = np.arange(25) != i
        belief = whole.fit(X[rest], Y[rest] - 40.0, noise=KNOWN[rest]).predict_dist(X[i : i + 1], noise=KNOWN[i])
        np.testing.assert_allclose([loo.mean[i], loo.variance[i]], [belief.mean[0], belief.variance[0]], rtol=1e-8)
        np.testing.assert_allclose(loo.budget.noise[i], KNOWN[i], rtol=1e-10)


def test_further_rows_have_their_noise_or_the_median(tmp_path):
    gp = GPRegressor(kernel=KERNEL, inference=None).fit(X[:20], Y[:20], noise=KNOWN[:20])
    credo.save(gp, tmp_path / "gp.credo")
    again = credo.load(tmp_path / "gp.credo")
    assert again.typical_noise_ == gp.typical_noise_
    np.testing.assert_array_equal(again.predict_dist(NEW).variance, gp.predict_dist(NEW).variance)
    told = again.partial_fit(X[20:], Y[20:], noise=np.full(5, gp.typical_noise_)).predict_dist(NEW, noise=0.0)
    np.testing.assert_allclose(gp.partial_fit(X[20:], Y[20:]).predict_dist(NEW, noise=0.0).variance, told.variance)
    assert gp.typical_noise_ == pytest.approx(np.median(KNOWN[:20]), rel=1e-10)
    late = GPRegressor(kernel=KERNEL, inference=None).fit(X[:5], Y[:5]).partial_fit(X[5:], Y[5:], noise=KNOWN[5:])
    assert late.typical_noise_ == pytest.approx(np.median(np.concatenate([np.zeros(5), KNOWN[5:]])), rel=1e-10)
    assert str(late.certificate_).count("median of the known noise") == 1


def test_an_explorer_plans_with_the_median():
    gp = fitted()
    np.testing.assert_allclose(covariances_of(gp).noise(NEW), np.full(3, np.median(KNOWN)), rtol=1e-10)


@pytest.mark.parametrize("noise", [-1.0, [1.0, 2.0], np.nan, [[1.0]] * 3, "a"])
def test_wrong_noise_of_new_rows_is_refused(noise):
    gp = fitted()
    for ask in (gp.predict_dist, gp.predict_interval):
        with pytest.raises(InputError, match="GPRegressor: "):
            ask(NEW, noise=noise)


@pytest.mark.slow
def test_averages_over_parameters_have_it_too():
    gp = GPRegressor(kernel=KERNEL, inference="mcmc", n_restarts=0, random_state=0).fit(X, Y, noise=KNOWN)
    exact, noisy = gp.predict_dist(NEW, noise=0.0), gp.predict_dist(NEW)
    np.testing.assert_allclose(noisy.variance - exact.variance, np.full(3, np.median(KNOWN)), rtol=1e-6)
    np.testing.assert_allclose(noisy.budget.noise, np.full(3, np.median(KNOWN)), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("told", [True, False])
def test_intervals_cover_new_observations(told):
    """200 functions, 30 rows with known noise and 10 new ones each; told the noise of each, or equal noise untold.

    Without it in the interval they covered a third of the new observations.
    """
    rng, inside = np.random.default_rng(5), []
    gp = GPRegressor(kernel=Matern52(4.0, 0.8), inference=None, standardize=False)
    for _ in range(200):
        rows = rng.uniform(-3.0, 3.0, size=(40, 1))
        noise = rng.gamma(2.0, 0.5, size=40) if told else np.ones(40)
        f = np.linalg.cholesky(matern52(rows, rows, 4.0, 0.8) + 1e-9 * np.eye(40)) @ rng.normal(size=40)
        y = f + np.sqrt(noise) * rng.normal(size=40)
        given = {"noise": noise[30:]} if told else {}
        low, high = gp.fit(rows[:30], y[:30], noise=noise[:30]).predict_interval(rows[30:], 0.9, **given)
        inside.append(np.mean((low <= y[30:]) & (y[30:] <= high)))
    assert abs(np.mean(inside) - 0.9) < 3 * np.std(inside) / np.sqrt(200)
