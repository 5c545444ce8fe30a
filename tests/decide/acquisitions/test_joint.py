"""Covariances of surfaces against the formula of conditioning."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import AveragedSurface, Surface, imagined, joint, surface_of
from credo.errors import InputError
from credo.kernels import Matern52
from credo.models import GPRegressor
from small_process import NOISE, conditioned, fitted, measured

covariances, noises = eqx.filter_jit(joint.covariances), eqx.filter_jit(joint.noises)
X, Y = measured()
OTHER = {"kernel": Matern52(0.7, [0.2, 0.9]), "noise_variance": 0.1, "inference": None, "standardize": False}
Z = jnp.asarray(np.random.default_rng(1).random((4, 2)))


def test_of_a_process_are_those_of_the_formula():
    surface = surface_of(fitted(X, Y))
    np.testing.assert_allclose(covariances(surface, Z, Z[:2])[0], conditioned(X, Y, Z)[1][:, :2], atol=1e-10)
    np.testing.assert_allclose(noises(surface, Z), np.full((4, 1), NOISE))


def test_of_fantasies_are_those_with_the_imagined_rows():
    rows = np.random.default_rng(2).random((3, 2))
    surface, values = imagined(surface_of(fitted(X, Y)), rows, np.zeros((3, 2)), noisy=True)
    _, wanted = conditioned(np.concatenate([X, rows]), np.concatenate([Y, np.asarray(values)[:, 0]]), Z)
    np.testing.assert_allclose(covariances(surface, Z, Z)[0], wanted, atol=1e-8)
    np.testing.assert_allclose(noises(surface, Z), np.full((4, 1), NOISE))


def test_of_several_processes_are_those_of_each():
    surfaces = [surface_of(fitted(X, Y)), surface_of(GPRegressor(**OTHER).fit(X, Y))]
    both = jax.tree.map(lambda *leaves: np.stack(leaves) if eqx.is_array(leaves[0]) else leaves[0], *surfaces)
    surface = AveragedSurface(jax.tree.map(jnp.asarray, both.posterior), surfaces[0].shift, surfaces[0].scale)
    found, noise = covariances(surface, Z, Z[:2]), noises(surface, Z)
    for i, each in enumerate(surfaces):
        np.testing.assert_allclose(found[i], covariances(each, Z, Z[:2])[0], atol=1e-9)
        np.testing.assert_allclose(noise[:, i], noises(each, Z)[:, 0])


def test_what_has_moments_only_is_refused():
    class Moments(Surface):
        def moments(self, X):
            return X[:, :1], X[:, :1]

    for asked in (lambda: covariances(Moments(), Z, Z), lambda: noises(Moments(), Z)):
        with pytest.raises(InputError, match="Moments"):
            asked()
