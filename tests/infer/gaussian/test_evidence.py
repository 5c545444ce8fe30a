"""The evidence and its gradient against the dense formula, one row a measurement."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import approx_fprime

from credo.infer.gaussian.evidence import log_evidence
from credo.infer.gaussian.means import LinearMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.posterior import condition
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.kernels import RBF, Matern52, Warp
from credo.numerics.parameters import flatten
from textbook_gp import Textbook, matern52

VARIANCE, LENGTHS, SLOPES, INTERCEPT, NOISE = 1.3, np.array([0.7, 1.4]), np.array([0.5, -0.3]), 0.2, 0.15
evaluated = eqx.filter_jit(log_evidence)


@eqx.filter_jit
def gradient(free, process, data):
    return jax.grad(lambda u: log_evidence(flatten(process).rebuild(u), data))(free)


@pytest.fixture(scope="module")
def process():
    return Process(Matern52(VARIANCE, LENGTHS), LinearMean(SLOPES, INTERCEPT), ConstantNoise(NOISE))


def textbook(X, y, known=0.0, free=None):
    """With the parameters in the order of `flatten`: logarithms of what is positive."""
    if free is None:
        free = np.concatenate([np.log([VARIANCE, *LENGTHS]), SLOPES, [INTERCEPT], np.log([NOISE])])
    (variance, *lengths), slopes, intercept, noise = np.exp(free[:3]), free[3:5], free[5], np.exp(free[6])
    k = lambda A, B: matern52(A, B, variance, np.array(lengths))  # noqa: E731
    return Textbook(k, X, y, noise + np.asarray(known), mean=lambda A: intercept + A @ slopes)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(31, 2))
    return X, np.sin(2 * X[:, 0]) + rng.normal(size=31), rng.uniform(0.0, 0.5, size=31)


@pytest.mark.parametrize("n", [17, 23, 31])
def test_evidence_of_distinct_rows(process, rows, n):
    X, y, known = (part[:n] for part in rows)
    for at_rows in (np.zeros(n), known):
        data, _ = observations(X, y, None, at_rows)
        np.testing.assert_allclose(evaluated(process, data), textbook(X, y, at_rows).log_evidence(), rtol=1e-11)


def test_weights_and_repeats_are_rows_of_the_dense_matrix(process, rows):
    """Merged, 17 points; in the dense matrix 30 rows or more. Repeats with other results and other noise included."""
    X, y, known = (part[:17] for part in rows)
    rng = np.random.default_rng(1)
    again = rng.integers(0, 17, size=10)
    X, y, known = (
        np.concatenate([X, X[again]]),
        np.concatenate([y, y[again] + 1.0]),
        np.concatenate([known, known[again]]),
    )
    w = rng.integers(1, 4, size=27)
    expected = textbook(np.repeat(X, w, axis=0), np.repeat(y, w), np.repeat(known, w)).log_evidence()
    data, _ = observations(X, y, w, known)
    assert data.rows == 17
    np.testing.assert_allclose(evaluated(process, data), expected, rtol=1e-11)


@pytest.fixture(scope="module")
def merged(rows):
    """18 points, of which some were measured up to five times, and the same as single rows."""
    X, y, known = (part[:18] for part in rows)
    w = np.random.default_rng(2).integers(1, 4, size=18)
    again = np.array([0, 0, 5])
    data, _ = observations(
        np.concatenate([X, X[again]]), np.concatenate([y, y[again] - 0.7]), np.concatenate([w, [1, 1, 2]]),
        np.concatenate([known, known[again]]),
    )  # fmt: skip
    counts = np.concatenate([w, [1, 1, 2]])
    single = tuple(
        np.repeat(np.concatenate([part, part[again] - shift]), counts, axis=0)
        for part, shift in ((X, 0.0), (y, 0.7), (known, 0.0))
    )
    return data, single


def test_parts_of_the_evidence(process, merged):
    data, single = merged
    dense = textbook(*single)
    evidence = condition(process, data).evidence
    inverse = np.linalg.inv(dense.covariance)
    np.testing.assert_allclose(evidence.fit, -0.5 * dense.residual @ inverse @ dense.residual, rtol=1e-11)
    np.testing.assert_allclose(evidence.complexity, -0.5 * np.linalg.slogdet(dense.covariance)[1], rtol=1e-11)
    np.testing.assert_allclose(evidence.constant, -0.5 * len(dense.y) * np.log(2 * np.pi), rtol=1e-14)
    np.testing.assert_allclose(evidence.total, evaluated(process, data), rtol=1e-12)


def test_gradient_in_every_parameter(process, merged):
    """Against finite differences of the dense formula, which knows neither weights nor padding."""
    data, single = merged
    flat = flatten(process)
    assert flat.names == (
        *("kernel.variance", "kernel.lengthscale[0]", "kernel.lengthscale[1]"),
        *("mean.slopes[0]", "mean.slopes[1]", "mean.intercept", "noise.level"),
    )
    u = np.asarray(flat.vector)
    difference = lambda at: textbook(*single, free=at).log_evidence()  # noqa: E731
    central = 0.5 * (approx_fprime(u, difference, 1e-5) - approx_fprime(u, lambda at: difference(2 * u - at), 1e-5))
    np.testing.assert_allclose(gradient(flat.vector, process, data), central, rtol=1e-6)


def test_gradient_where_zero_is_no_point_of_the_kernel():
    """Padding must not bring log 0 into the gradient."""
    X = np.linspace(0.5, 3.0, 20)[:, None]
    y = np.sin(X[:, 0])
    data, _ = observations(X, y)
    warped = Process(Warp(RBF(), jnp.log), LinearMean(jnp.zeros(1)), ConstantNoise(0.1))
    plain = Process(RBF(), LinearMean(jnp.zeros(1)), ConstantNoise(0.1))
    logarithms, _ = observations(np.log(X), y)
    found = gradient(flatten(warped).vector, warped, data)
    np.testing.assert_allclose(found[0:2], gradient(flatten(plain).vector, plain, logarithms)[0:2], rtol=1e-9)
    assert np.all(np.isfinite(found))
