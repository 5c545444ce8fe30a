"""Sums and averages of a function: kernel means against dense quadrature, sums against the joint covariance."""

import numpy as np
import pytest

from credo.beliefs import MultivariateNormal, Normal, Uniform
from credo.decide.explore import Average, Explorer, WeightedSums
from credo.errors import InputError
from credo.kernels import RBF, Matern52
from credo.models import GPRegressor

NOISE = 0.05
RNG = np.random.default_rng(0)
X, Y = RNG.random((6, 2)), RNG.normal(size=6)
S, A = RNG.random((9, 2)), RNG.random((5, 2)) + 0.5
KERNEL = Matern52(lengthscale=[0.4, 0.7], variance=1.3)


def fitted(rows=X, values=Y, noise=NOISE):
    return GPRegressor(kernel=KERNEL, noise_variance=noise, inference=None, standardize=False).fit(rows, values)


@pytest.mark.parametrize(
    ("measure", "draws", "standardize"),
    [
        (Uniform([0.0, 0.2], [1.0, 0.9]), lambda t: np.column_stack([t[:, 0], 0.2 + 0.7 * t[:, 1]]), True),
        (Normal([0.5, 0.4], [0.18, 0.15]), None, False),
        (MultivariateNormal([0.5, 0.4], [[0.04, 0.01], [0.01, 0.02]]), None, True),
    ],
    ids=["box", "normal", "dependent"],
)
def test_an_integral_is_a_dense_sum(measure, draws, standardize):
    kernel = RBF(lengthscale=[0.4, 0.7])
    model = GPRegressor(kernel=kernel, noise_variance=NOISE, inference=None, standardize=standardize).fit(X, Y)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    grid = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 2)
    weight = np.outer(weights, weights).ravel()
    if draws is not None:
        points, weight = draws(0.5 + 0.5 * grid), weight / 4.0
    else:
        points = 0.5 + 1.2 * grid  # far into the tails
        density = np.exp(np.asarray(measure.log_prob(points)))
        weight = weight * 1.44 * (density if density.ndim == 1 else np.prod(density, axis=1))
    closed = Explorer(model, targets=Average(measure), candidates=S).ask(3)
    dense = Explorer(model, targets=WeightedSums(points, weight), candidates=S).ask(3)
    assert closed.indices.tolist() == dense.indices.tolist()
    np.testing.assert_allclose(closed.gains, dense.gains, rtol=1e-5)
    np.testing.assert_allclose(closed.left, dense.left, rtol=1e-5)
    np.testing.assert_allclose(closed.before, dense.before, rtol=1e-6)


def test_sums_are_those_of_the_joint_covariance():
    weights = np.array([[1.0, -1.0, 0.0, 0.0, 0.0], [0.2, 0.2, 0.2, 0.2, 0.2]])
    picked = Explorer(fitted(), targets=WeightedSums(A, weights), candidates=S).ask()
    joint = np.array(fitted().joint(np.concatenate([S, A])).covariance)
    change = np.block([[np.eye(9), np.zeros((9, 5))], [np.zeros((2, 9)), weights]])
    joint = change @ joint @ change.T
    given = joint[:9, :9] - joint[:9, 9:] @ np.linalg.solve(joint[9:, 9:], joint[9:, :9])
    wanted = 0.5 * np.log((np.diag(joint)[:9] + NOISE) / (np.diag(given) + NOISE))
    assert picked.indices[0] == np.argmax(wanted)
    np.testing.assert_allclose(picked.gains[0], np.max(wanted), rtol=1e-8)


def test_weights_fit_their_points():
    with pytest.raises(InputError, match="weights of shape"):
        WeightedSums(A, [1.0, 2.0])
    with pytest.raises(InputError, match="columns"):
        Explorer(fitted(), targets=Average(Normal([0.0], [1.0])), candidates=S).ask()
