"""Averages of polynomial kernels against Gauss rules, which are exact for polynomials."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import MultivariateNormal, Normal, Uniform
from credo.kernels import Polynomial
from credo.kernels.expectations_polynomial import polynomial_double_mean, polynomial_mean
from credo.numerics import gauss_legendre, gauss_normal, tensor_rule

KERNELS = [Polynomial(degree=p, variance=[0.5, 1.2], offset=0.7) for p in (1, 2, 3, 5)]
MEASURES = {
    "normal": Normal([0.2, -0.3], [0.7, 1.2]),
    "box": Uniform([-1.0, 0.5], [2.0, 0.8]),
    "full": MultivariateNormal([0.2, -0.3], [[1.0, 0.4], [0.4, 0.5]]),
}
X = jnp.asarray(np.random.default_rng(0).normal(size=(4, 2)))
_mean, _double = map(eqx.filter_jit, (polynomial_mean, polynomial_double_mean))


def rule(name):
    """Nodes and weights that integrate polynomials of degree 11 in each column exactly."""
    measure = MEASURES[name]
    if name == "box":
        standard = tensor_rule([gauss_legendre(6, 0.0, 1.0)] * 2)
        return np.asarray(measure.low) + np.asarray(measure.width) * standard.nodes, standard.weights
    standard = tensor_rule([gauss_normal(6)] * 2)
    factor = np.diag(measure.scale) if name == "normal" else np.linalg.cholesky(measure.covariance)
    return np.asarray(measure.loc) + standard.nodes @ factor.T, standard.weights


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: f"degree {k.degree}")
def test_mean(kernel, name):
    nodes, weights = rule(name)
    np.testing.assert_allclose(_mean(kernel, X, MEASURES[name]), kernel(X, nodes) @ weights, rtol=1e-11)


@pytest.mark.parametrize("pair", [("normal", "full"), ("full", "full"), ("box", "normal"), ("box", "box")], ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: f"degree {k.degree}")
def test_double_mean(kernel, pair):
    (nodes, weights), (others, other_weights) = map(rule, pair)
    expected = weights @ kernel(nodes, others) @ other_weights
    np.testing.assert_allclose(_double(kernel, *(MEASURES[name] for name in pair)), expected, rtol=1e-11)


def test_a_box_and_dependent_columns_have_no_formula():
    assert polynomial_double_mean(KERNELS[1], MEASURES["box"], MEASURES["full"]) is None
