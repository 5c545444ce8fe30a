"""Mean functions against the formula, and what of them is learnt."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.infer.gaussian.means import BasisMean, ConstantMean, LinearMean, ModuleMean, ZeroMean
from credo.numerics.parameters import flatten, log_prior
from credo.numerics.trainable import Trainable

X = np.random.default_rng(0).normal(size=(7, 2))
NETWORK = eqx.nn.MLP(2, "scalar", width_size=3, depth=1, key=jax.random.key(0))


def by_hand(network, X):
    hidden = np.maximum(X @ np.asarray(network.layers[0].weight).T + np.asarray(network.layers[0].bias), 0.0)
    return (hidden @ np.asarray(network.layers[1].weight).T + np.asarray(network.layers[1].bias))[:, 0]


MEANS = {
    "zero": (ZeroMean(), np.zeros(7), 0),
    "constant": (ConstantMean(2.5), np.full(7, 2.5), 1),
    "linear": (LinearMean([1.0, -2.0], 0.5), 0.5 + X[:, 0] - 2.0 * X[:, 1], 3),
    "basis": (
        BasisMean(lambda x: jnp.array([1.0, x[0] ** 2, x[0] * x[1]]), [1.0, 2.0, 3.0]),
        1.0 + 2.0 * X[:, 0] ** 2 + 3.0 * X[:, 0] * X[:, 1],
        3,
    ),
    "module": (ModuleMean(NETWORK), by_hand(NETWORK, X), 0),
    "trainable": (ModuleMean(Trainable(NETWORK)), by_hand(NETWORK, X), 13),
}


@pytest.mark.parametrize(("mean", "values", "free"), MEANS.values(), ids=MEANS.keys())
def test_values_and_the_number_of_free_parameters(mean, values, free):
    found = mean(jnp.asarray(X))
    assert found.shape == (7,)
    np.testing.assert_allclose(found, values, rtol=1e-6 if free in (0, 13) else 1e-14, atol=1e-14)
    assert len(flatten(mean).vector) == free


def test_coefficients_are_a_few_standard_deviations():
    """Normal(0, 3) on each: a quadratic whose curvature is 1/9."""
    at = lambda slope: float(log_prior(LinearMean([slope, 0.0])))  # noqa: E731
    np.testing.assert_allclose(at(3.0) - at(0.0), -0.5, rtol=1e-12)
    np.testing.assert_allclose(at(-6.0) - at(0.0), -2.0, rtol=1e-12)
