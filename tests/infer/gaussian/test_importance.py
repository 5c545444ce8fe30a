"""Weighted draws of parameters against a grid of two of them: moments, and the shares of two modes."""

import numpy as np
import pytest

from credo.infer.gaussian.importance import draw_parameters
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.selection import select
from credo.kernels import Matern52
from credo.models.gp.defaults import starting_process
from credo.numerics.constraints import Fixed
from textbook_gp import matern52

LENGTHS, NOISES = np.linspace(-6.0, 6.0, 301), np.linspace(-14.0, 5.0, 301)  # logarithms
X = np.linspace(0.0, 1.0, 9)[:, None]
TARGETS = {
    "one mode": np.sin(5.0 * X[:, 0]) + 0.1 * np.cos(40.0 * X[:, 0]),
    "two modes": np.array([0.1, 0.9, -0.8, 1.0, -1.1, 0.7, -0.2, -1.0, 1.3]),  # a fast wave, or slow and noisy
}


def on_a_grid(y):
    """The posterior probability of each node, for a Matérn kernel of variance one and the default priors."""
    logs = []
    for length in np.exp(LENGTHS):
        values, vectors = np.linalg.eigh(matern52(X, X, 1.0, length))
        spectrum = np.maximum(values, 0.0)[None, :] + np.exp(NOISES)[:, None]
        logs.append(-0.5 * np.sum((vectors.T @ y) ** 2 / spectrum + np.log(spectrum), axis=1))
    prior = -0.5 * ((LENGTHS[:, None] - 0.5) / 1.5) ** 2 - 0.5 * ((NOISES[None, :] + 3.0) / 2.5) ** 2
    mass = np.exp(np.array(logs) + prior - np.max(np.array(logs) + prior))
    return mass / mass.sum()


def drawn(y):
    process = starting_process("test", Matern52(Fixed(1.0)), "zero", None, 1, known=False)
    data, _ = observations(X, y)
    found = select(process, data, n_restarts=8, rng=np.random.default_rng(0))
    return draw_parameters(process, data, found.value)


@pytest.mark.parametrize("name", TARGETS)
def test_moments_are_those_of_the_grid(name):
    mass, draws = on_a_grid(TARGETS[name]), drawn(TARGETS[name])
    assert draws.weights.sum() == pytest.approx(1.0)
    assert draws.effective > 50
    for axis, nodes in enumerate((LENGTHS, NOISES)):
        marginal = mass.sum(axis=1 - axis)
        mean = marginal @ nodes
        deviation = np.sqrt(marginal @ (nodes - mean) ** 2)
        found = draws.weights @ draws.free[:, axis]
        assert abs(found - mean) < 0.15 * deviation
        assert np.sqrt(draws.weights @ (draws.free[:, axis] - found) ** 2) == pytest.approx(deviation, rel=0.15)


def test_modes_have_their_shares():
    mass, draws = on_a_grid(TARGETS["two modes"]), drawn(TARGETS["two modes"])
    short = mass[np.log(0.5) > LENGTHS].sum()
    assert 0.1 < short < 0.9
    assert draws.weights[draws.free[:, 0] < np.log(0.5)].sum() == pytest.approx(short, abs=0.05)
