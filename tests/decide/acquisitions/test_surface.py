"""Surfaces against the formula of conditioning, and fantasies against a fit to what was imagined."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import AveragedSurface, imagined, surface_of
from credo.models import GPRegressor
from small_process import NOISE, conditioned, fitted, measured

X, Y = measured()
Z = np.random.default_rng(1).random((4, 2))


def test_moments_and_covariances_are_those_of_the_formula():
    surface = surface_of(fitted(X, Y))
    mean, covariance = conditioned(X, Y, Z)
    found, variance = surface.moments(jnp.asarray(Z))
    np.testing.assert_allclose(found[:, 0], mean, rtol=1e-9)
    np.testing.assert_allclose(variance[:, 0], np.diag(covariance), rtol=1e-8)
    np.testing.assert_allclose(surface.covariance(jnp.asarray(Z), jnp.asarray(Z[:2])), covariance[:, :2], atol=1e-10)
    np.testing.assert_allclose(surface.noise(jnp.asarray(Z)), NOISE)


def test_rows_are_in_your_units_whatever_the_process_works_in():
    model = GPRegressor(inference="map", random_state=0, n_restarts=0).fit(100.0 + 30.0 * X, Y)
    surface, belief = surface_of(model), model.posterior(100.0 + 30.0 * Z)
    mean, variance = surface.moments(jnp.asarray(100.0 + 30.0 * Z))
    scale, shift = float(model.scaling_.target_scale), float(model.scaling_.target_shift)
    np.testing.assert_allclose(shift + scale * mean[:, 0], belief.mean, rtol=1e-8)
    np.testing.assert_allclose(scale**2 * variance[:, 0], belief.variance, rtol=1e-6)


@pytest.mark.parametrize("noisy", [True, False])
def test_a_fantasy_is_a_fit_to_what_was_imagined(noisy):
    rows = np.random.default_rng(2).random((3, 2))
    normals = np.random.default_rng(3).normal(size=(3, 5))
    surface, values = imagined(surface_of(fitted(X, Y)), rows, normals, noisy=noisy)
    mean, variance = surface.moments(jnp.asarray(Z))
    extra = np.full(len(X) + 3, NOISE)
    extra[len(X) :] = NOISE if noisy else 1e-12
    for s in range(5):
        wanted, covariance = conditioned(
            np.concatenate([X, rows]), np.concatenate([Y, np.asarray(values)[:, s]]), Z, extra
        )
        np.testing.assert_allclose(mean[:, s], wanted, atol=1e-6)
        np.testing.assert_allclose(variance[:, s], np.diag(covariance), atol=1e-6)


def test_fantasies_are_drawn_from_the_belief():
    rows = np.random.default_rng(2).random((3, 2))
    normals = np.random.default_rng(3).normal(size=(3, 40_000))
    for noisy in (True, False):
        _, values = imagined(surface_of(fitted(X, Y)), rows, normals, noisy=noisy)
        mean, covariance = conditioned(X, Y, rows)
        np.testing.assert_allclose(np.mean(values, axis=1), mean, atol=0.03)
        np.testing.assert_allclose(np.cov(values), covariance + noisy * NOISE * np.eye(3), atol=0.03)


def test_draws_of_parameters_are_beliefs_side_by_side():
    model = GPRegressor(inference="mcmc", random_state=0).fit(X, Y)
    surface = surface_of(model)
    assert isinstance(surface, AveragedSurface)
    mean, variance = surface.moments(jnp.asarray(Z))
    assert mean.shape == (len(Z), 32)  # of 1000
    standard = (Z - np.asarray(model.scaling_.shift)) / np.asarray(model.scaling_.scale)
    chosen = np.ceil(1000 * (np.arange(32) + 0.5) / 32).astype(int) - 1  # the middle of each of 32 equal shares
    for place, draw in ((0, chosen[0]), (17, chosen[17])):
        alone = model.average_.member(int(draw)).predict(standard)
        np.testing.assert_allclose(mean[:, place], alone.mean, rtol=1e-6)
        np.testing.assert_allclose(variance[:, place], alone.variance, rtol=1e-6)
    whole, scale = model.posterior(Z), float(model.scaling_.target_scale)
    off = float(model.scaling_.target_shift) + scale * np.mean(mean, axis=1) - whole.mean
    assert np.all(np.abs(off) < 4.0 * scale * np.std(mean, axis=1) / np.sqrt(32))


def test_gradients_pass_through():
    surface = surface_of(fitted(X, Y))
    slope = jax.grad(lambda x: surface.moments(x[None])[0][0, 0])(jnp.asarray(Z[0]))
    step = 1e-6 * np.eye(2)
    above, below = (np.asarray(surface.moments(jnp.asarray(Z[0] + sign * step))[0])[:, 0] for sign in (1.0, -1.0))
    np.testing.assert_allclose(slope, (above - below) / 2e-6, rtol=1e-5)
