"""Conditioning against the textbook formula with an explicit inverse, one row a measurement."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import credo.infer.gaussian.posterior as posterior_module
from credo.errors import NotPositiveDefiniteError
from credo.infer.gaussian.means import LinearMean, ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.posterior import condition, padded
from credo.infer.gaussian.process import ConstantNoise, NoNoise, Process
from credo.kernels import RBF, Kernel, Linear, Matern52
from credo.numerics.lapack import RELATIVE_JITTERS
from textbook_gp import Textbook, matern52, rbf

LENGTHS = np.array([0.7, 1.4])
PROCESS = Process(Matern52(1.3, LENGTHS), LinearMean([0.5, -0.3], 0.2), ConstantNoise(0.15))


def k(A, B):
    return matern52(A, B, 1.3, LENGTHS)


def textbook(X, y, known=0.0):
    return Textbook(k, X, y, 0.15 + np.asarray(known), mean=lambda A: 0.2 + A @ [0.5, -0.3])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(31, 2))
    return X, np.sin(2 * X[:, 0]) + rng.normal(size=31), rng.uniform(0.0, 0.5, size=31), rng.normal(size=(16, 2))


@pytest.mark.parametrize("n", [17, 23, 31])
def test_marginals_and_joint(rows, n):
    X, y, known, Z = rows[0][:n], rows[1][:n], rows[2][:n], rows[3]
    posterior = condition(PROCESS, observations(X, y, None, known)[0])
    mean, covariance = textbook(X, y, known).posterior(Z)
    belief = posterior.predict(Z)
    np.testing.assert_allclose(belief.mean, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(belief.variance, np.diag(covariance), rtol=1e-10)
    joint = posterior.joint(Z)
    np.testing.assert_allclose(joint.mean, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(joint.covariance, covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(posterior.noise(Z), np.full(16, 0.15))
    assert posterior.alpha.shape == (n,)
    assert padded(posterior).alpha.shape == (32,)


@pytest.fixture(scope="module")
def repeated(rows):
    X, y, known, Z = rows
    again = np.array([0, 0, 3, 7, 7, 7])
    single = (
        np.concatenate([X[:20], X[again]]), np.concatenate([y[:20], y[again] + 1.0]),
        np.concatenate([known[:20], known[again]]),
    )  # fmt: skip
    w = np.random.default_rng(3).integers(1, 4, size=26)
    return single, w, Z


def test_repeats_and_weights_are_rows_of_the_dense_matrix(repeated):
    (X, y, known), w, Z = repeated
    data, _ = observations(X, y, w, known)
    assert data.rows == 20
    belief = condition(PROCESS, data).predict(Z)
    mean, covariance = textbook(*(np.repeat(part, w, axis=0) for part in (X, y, known))).posterior(Z)
    np.testing.assert_allclose(belief.mean, mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(belief.variance, np.diag(covariance), rtol=1e-9)


def test_further_rows_are_the_same_as_all_at_once(repeated):
    """Three stretches, with points that came before: merged at once, rows of their own when they come later."""
    (X, y, known), w, Z = repeated
    parts = [observations(X[rows], y[rows], w[rows], known[rows])[0] for rows in np.split(np.arange(26), [18, 21])]
    grown = condition(PROCESS, parts[0]).extended(parts[1]).extended(parts[2])
    whole = condition(PROCESS, observations(X, y, w, known)[0])
    assert grown.alpha.shape == (18 + parts[1].rows + parts[2].rows,)
    np.testing.assert_allclose(grown.evidence.total, whole.evidence.total, rtol=1e-10)
    np.testing.assert_allclose(grown.predict(Z).mean, whole.predict(Z).mean, rtol=1e-8)
    np.testing.assert_allclose(grown.predict(Z).variance, whole.predict(Z).variance, rtol=1e-8)


def test_many_rows_are_predicted_in_blocks(rows, monkeypatch):
    posterior = condition(PROCESS, observations(rows[0], rows[1])[0])
    many = np.random.default_rng(4).normal(size=(41, 2))  # a number of rows that no other test has compiled
    monkeypatch.setattr(posterior_module, "_BLOCK", 32 * 16)  # entries: 16 rows at a time
    mean, covariance = textbook(rows[0], rows[1]).posterior(many)
    belief = posterior.predict(many)
    np.testing.assert_allclose(belief.mean, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(belief.variance, np.diag(covariance), rtol=1e-10)


def test_one_term_of_a_sum(rows):
    """The trend of trend + wiggle: its covariance with y is its own kernel, all of y's covariance stays."""
    X, y, _, Z = rows
    trend, wiggle = Linear(0.5), Matern52(1.3, LENGTHS)
    posterior = condition(Process(trend + wiggle, ZeroMean(), ConstantNoise(0.15)), observations(X, y)[0])
    linear = lambda A, B: 0.5 * A @ B.T  # noqa: E731
    inverse = np.linalg.inv(linear(X, X) + k(X, X) + 0.15 * np.eye(31))
    for term, own in ((trend, linear), (wiggle, k)):
        belief = posterior.of_term(term).predict(Z)
        np.testing.assert_allclose(belief.mean, own(Z, X) @ inverse @ y, rtol=1e-9, atol=1e-12)
        variance = np.diag(own(Z, Z) - own(Z, X) @ inverse @ own(X, Z))
        np.testing.assert_allclose(belief.variance, variance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_condition_estimate_sees_no_padding(rows, unit):
    """It is ‖K‖₁ over the smallest pivot, whatever the units of y and the number of padded rows."""
    order = np.lexsort(rows[0][:17].T[::-1])  # pivots depend on the order of rows, and merging sorts them
    X, y = rows[0][order], rows[1][order]
    process = Process(RBF(1.3 * unit**2, LENGTHS), ZeroMean(), ConstantNoise(0.15 * unit**2))
    covariance = rbf(X, X, 1.3, LENGTHS) + 0.15 * np.eye(17)
    expected = np.linalg.norm(covariance, 1) / np.min(np.diag(np.linalg.cholesky(covariance))) ** 2
    posterior = condition(process, observations(X[:16], unit * y[:16])[0])
    first = covariance[:16, :16]
    smaller = np.linalg.norm(first, 1) / np.min(np.diag(np.linalg.cholesky(first))) ** 2
    np.testing.assert_allclose(posterior.factor.info.condition, smaller, rtol=1e-9)
    whole = condition(process, observations(X, unit * y)[0])
    np.testing.assert_allclose(whole.factor.info.condition, expected, rtol=1e-9)
    grown = posterior.extended(observations(X[16:], unit * y[16:])[0])
    assert expected <= float(grown.factor.info.condition) * (1 + 1e-9) < 4 * expected


def test_without_noise_it_interpolates_and_the_joint_is_usable(rows):
    X, y = rows[0][:17], rows[1][:17]
    posterior = condition(Process(Matern52(1.3, LENGTHS), ZeroMean(), NoNoise()), observations(X, y)[0])
    np.testing.assert_allclose(posterior.predict(X).mean, y, rtol=1e-9, atol=1e-9)
    assert np.all(posterior.predict(X).std < 1e-5)
    joint = posterior.joint(X)
    assert np.all((joint.variance > 0) & (joint.variance < 1e-9))
    draws = joint.sample(3, 0)
    np.testing.assert_allclose(draws, np.broadcast_to(y, (3, 17)), atol=1e-4)


def test_where_the_prior_has_no_variance_the_belief_is_still_one():
    posterior = condition(
        Process(Linear(1.0), ZeroMean(), ConstantNoise(0.1)), observations([[1.0], [2.0]], [1.0, 2.0])[0]
    )
    belief = posterior.predict([[0.0]])
    assert belief.mean[0] == 0.0
    assert 0.0 < belief.std[0] < 1e-90
    assert np.isfinite(posterior.joint([[0.0]]).log_prob(jnp.zeros(1)))


class Indefinite(Kernel):
    """Not a kernel: −1 on the diagonal."""

    def cross(self, X, Z):
        return -jnp.ones((X.shape[0], Z.shape[0]))

    def diagonal(self, X):
        return -jnp.ones(X.shape[0])


def test_a_joint_that_is_no_covariance_is_refused():
    posterior = condition(
        Process(Matern52(1.0, LENGTHS), ZeroMean(), NoNoise()), observations(np.eye(2), [1.0, 2.0])[0]
    )
    with pytest.raises(NotPositiveDefiniteError, match="joint"):
        posterior.of_term(Indefinite()).joint(np.eye(2))


def test_jitter_is_reported_and_relative():
    """Two points 1e-9 apart and an RBF: singular in double precision, in any unit."""
    X = np.array([[0.0], [1e-9], [1.0]])
    for variance in (1e-6, 1e6):
        posterior = condition(Process(RBF(variance, 1.0), ZeroMean(), NoNoise()), observations(X, np.zeros(3))[0])
        added = float(posterior.factor.info.jitter)
        assert 0.0 < added <= 10 * RELATIVE_JITTERS[1] * variance


def test_derivatives_of_a_prediction(rows):
    """dE f/dx against differences of the textbook mean."""
    X, y, _, Z = rows
    posterior = condition(PROCESS, observations(X, y)[0])
    dense = textbook(X, y)

    def mean(z):
        return jnp.sum(
            posterior.process.mean(z) + posterior.process.kernel.cross(z, posterior.data.X) @ posterior.alpha
        )

    slope = jax.grad(mean)(jnp.asarray(Z))[:, 0]
    step = np.array([1e-5, 0.0])
    difference = (dense.posterior(Z + step)[0] - dense.posterior(Z - step)[0]) / 2e-5
    np.testing.assert_allclose(slope, difference, rtol=1e-5, atol=1e-7)
