"""Averages over perturbations against draws of the process, and that a wide optimum wins over a sharp one."""

import equinox as eqx
import numpy as np
import pytest

from credo.decide.acquisitions import imagined, surface_of
from credo.decide.acquisitions.joint import covariances
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.acquisitions.robust import PerturbedSurface, normal_perturbations
from credo.errors import InputError
from credo.kernels import Matern52
from credo.models import GPRegressor
from credo.numerics.concrete import placed
from small_process import conditioned, fitted, measured

X, Y = measured()
ROWS = np.random.default_rng(1).random((3, 2))


def perturbed(base, deviations, clipped=False):
    shifts, weights = normal_perturbations(np.array(deviations), random_state=0)
    return PerturbedSurface(base, placed(shifts), placed(weights), clipped)


@pytest.mark.parametrize("clipped", [False, True])
def test_is_the_mean_over_perturbed_rows_of_functions_that_are_drawn(clipped):
    """The process at rows with 60 random errors each, a thousand functions at once."""
    rng = np.random.default_rng(0)
    deviations = np.array([0.15, 0.1])
    mean, variance = moments_at(perturbed(surface_of(fitted(X, Y)), deviations, clipped), ROWS)
    for i, row in enumerate(ROWS):
        around = row + deviations * rng.normal(size=(1000, 2))
        around = np.clip(around, 0.0, 1.0) if clipped else around
        center, covariance = conditioned(X, Y, around)
        # The mean over 1000 perturbations of a function that is drawn, over many functions: in closed form.
        tolerance = 4.0 * np.std(center) / 1000**0.5
        assert mean[i, 0] == pytest.approx(np.mean(center), abs=tolerance)
        assert variance[i, 0] == pytest.approx(np.mean(covariance), rel=0.15)


def test_variances_are_those_of_the_weights_and_the_covariance():
    surface = perturbed(surface_of(fitted(X, Y)), [0.15, 0.1])
    _, variance = moments_at(surface, ROWS)
    weights = np.asarray(surface.weights)
    for row, found in zip(ROWS, variance[:, 0], strict=True):
        _, covariance = conditioned(X, Y, row + np.asarray(surface.shifts))
        assert found == pytest.approx(weights @ covariance @ weights, rel=1e-6)
    among = eqx.filter_jit(covariances)(surface, placed(ROWS), placed(ROWS))[0]
    np.testing.assert_allclose(np.diag(among), variance[:, 0], rtol=1e-8)
    draws = np.random.default_rng(0).multivariate_normal(
        *conditioned(X, Y, (ROWS[:2, None] + np.asarray(surface.shifts)).reshape(-1, 2)), size=20_000
    )
    averages = draws.reshape(-1, 2, len(weights)) @ weights
    np.testing.assert_allclose(among[:2, :2], np.cov(averages.T), atol=0.02)


def test_the_covariance_of_the_function_and_its_average_is_that_of_the_weights():
    surface = perturbed(surface_of(fitted(X, Y)), [0.15, 0.1])
    found = eqx.filter_jit(surface.covariances_with_base)(placed(ROWS[:1]), placed(ROWS))[0]
    around = (ROWS[:, None] + np.asarray(surface.shifts)).reshape(-1, 2)
    _, covariance = conditioned(X, Y, np.concatenate([ROWS[:1], around]))
    wanted = covariance[0, 1:].reshape(3, -1) @ np.asarray(surface.weights)
    np.testing.assert_allclose(found[0], wanted, atol=1e-9)


def test_fantasies_are_averaged_too():
    surface, _ = imagined(surface_of(fitted(X, Y)), ROWS[:1], np.array([[-1.0, 1.0]]), noisy=True)
    whole = perturbed(surface, [0.15, 0.0])
    mean, variance = moments_at(whole, ROWS)
    each, _ = moments_at(surface, (ROWS[:, None] + np.asarray(whole.shifts)).reshape(-1, 2))
    wanted = np.einsum("k,mks->ms", np.asarray(whole.weights), each.reshape(3, 9, 2))
    np.testing.assert_allclose(mean, wanted, rtol=1e-10)
    assert variance.shape == (3, 2)


@pytest.mark.parametrize("deviations", [[0.0, 0.2, 0.0], [0.1, 0.2, 0.0], [0.1, 0.2, 0.3]])
def test_perturbations_have_the_moments_that_were_asked_for(deviations):
    shifts, weights = normal_perturbations(np.array(deviations), draws=256, random_state=0)
    assert np.sum(weights) == pytest.approx(1.0)
    np.testing.assert_allclose(weights @ shifts, 0.0, atol=1e-12)
    np.testing.assert_allclose((weights[:, None] * shifts).T @ shifts, np.diag(np.square(deviations)), atol=2e-3)


def test_without_perturbation_it_is_the_surface_itself():
    mean, variance = moments_at(perturbed(surface_of(fitted(X, Y)), [0.0, 0.0]), ROWS)
    wanted, covariance = conditioned(X, Y, ROWS)
    np.testing.assert_allclose(mean[:, 0], wanted, rtol=1e-8)
    np.testing.assert_allclose(variance[:, 0], np.diag(covariance), rtol=1e-6)


def test_the_wide_optimum_is_picked_and_not_the_sharp_one():
    x = np.linspace(0.0, 1.0, 60)[:, None]
    y = -1.0 * np.exp(-0.5 * ((x[:, 0] - 0.2) / 0.03) ** 2) - 0.8 * np.exp(-0.5 * ((x[:, 0] - 0.7) / 0.15) ** 2)
    model = GPRegressor(
        kernel=Matern52(1.0, [0.1]), noise_variance=1e-6, inference=None, standardize=False, random_state=0
    )
    surface = surface_of(model.fit(x, y))
    fine = np.linspace(0.0, 1.0, 501)[:, None]
    found = [fine[np.argmin(moments_at(each, fine)[0][:, 0]), 0] for each in (surface, perturbed(surface, [0.06]))]
    np.testing.assert_allclose(found, [0.2, 0.7], atol=0.02)


def test_a_negative_deviation_is_refused():
    with pytest.raises(InputError, match="zero or more"):
        normal_perturbations(np.array([-0.1]))
