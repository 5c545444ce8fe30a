"""Averages over draws of the parameters: each member is the posterior at its draw."""

from importlib import import_module

import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian.averaged import averaged
from credo.infer.gaussian.means import BasisMean, ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.kernels import RBF, Warp
from textbook_gp import Textbook, rbf

MODULE = import_module("credo.infer.gaussian.averaged")  # whose name in its package is the function's
FREE = np.log([[1.0, 0.5, 0.1], [2.0, 1.5, 0.3], [0.5, 3.0, 0.05]])  # variance, length-scale, noise


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 4.0, size=(20, 1))
    return X, np.sin(X[:, 0]) + 0.2 * rng.normal(size=20)


@pytest.fixture(scope="module")
def average(rows):
    process = Process(RBF(), ZeroMean(), ConstantNoise())
    return averaged(process, observations(*rows)[0], jnp.asarray(FREE))


def test_members_are_the_posteriors_at_the_draws(rows, average, monkeypatch):
    X, y = rows
    assert average.draws == 3
    Z = np.linspace(0.5, 4.0, 37)[:, None]
    monkeypatch.setattr(MODULE, "_BLOCK", 32 * 16)  # entries: 16 rows at a time
    mean, variance, noise = average.marginals(Z)
    for i, (scale, lengthscale, level) in enumerate(np.exp(FREE)):
        dense = Textbook(lambda A, B, s=scale, l=lengthscale: rbf(A, B, s, l), X, y, level)
        expected, covariance = dense.posterior(Z)
        np.testing.assert_allclose(mean[:, i], expected, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(variance[:, i], np.diag(covariance), rtol=1e-8)
        np.testing.assert_allclose(noise[:, i], level, rtol=1e-14)
        member = average.member(i)
        np.testing.assert_allclose(member.evidence.total, dense.log_evidence(), rtol=1e-11)
        np.testing.assert_allclose(member.predict(Z).mean, expected, rtol=1e-9, atol=1e-11)


def test_functions_inside_a_process_stay(rows):
    """A warp and a basis are no arrays: the logarithm of the input is the same as a kernel on it."""
    X, y = rows
    warped = Process(Warp(RBF(), jnp.log), BasisMean(jnp.log, [0.4]), ConstantNoise())
    free = np.insert(FREE, 2, 0.4, axis=1)  # the coefficient comes between kernel and noise
    many = averaged(warped, observations(X, y)[0], jnp.asarray(free))
    mean, _, _ = many.marginals(X)
    scale, lengthscale, level = np.exp(FREE[1])
    line = lambda A: 0.4 * A[:, 0]  # noqa: E731
    dense = Textbook(lambda A, B: rbf(A, B, scale, lengthscale), np.log(X), y, level, mean=line)
    np.testing.assert_allclose(mean[:, 1], dense.posterior(np.log(X))[0], rtol=1e-9)
    np.testing.assert_allclose(many.member(1).predict(X).mean, mean[:, 1], rtol=1e-10)
