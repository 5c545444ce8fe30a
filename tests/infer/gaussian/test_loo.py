"""Leave-one-out and sequential prediction against fits that really leave rows out."""

import numpy as np
import pytest

from credo.infer.gaussian.loo import leave_one_out, left_out_log_density, sequential_log_densities
from credo.infer.gaussian.means import LinearMean, ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.posterior import condition
from credo.infer.gaussian.process import ConstantNoise, NoNoise, Process
from credo.kernels import Matern52
from credo.numerics.concrete import placed
from credo.numerics.padding import pad
from textbook_gp import Textbook, matern52

LENGTHS = np.array([0.7, 1.4])
PROCESS = Process(Matern52(1.3, LENGTHS), LinearMean([0.5, -0.3], 0.2), ConstantNoise(0.15))


def textbook(X, y, known=0.0):
    k = lambda A, B: matern52(A, B, 1.3, LENGTHS)  # noqa: E731
    return Textbook(k, X, y, 0.15 + np.asarray(known), mean=lambda A: 0.2 + A @ [0.5, -0.3])


@pytest.fixture(scope="module")
def rows():
    """20 points, six of them measured again, with other results and some with another noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    again = np.array([0, 0, 3, 7, 7, 7])
    X = np.concatenate([X, X[again]])
    y, known = np.sin(2 * X[:, 0]) + rng.normal(size=26), rng.uniform(0.0, 0.5, size=20)
    return X, y, np.concatenate([known, known[again[:4]], [0.9, 0.9]])


def test_leave_one_out_is_the_fit_without_that_row(rows):
    X, y, known = rows
    data, sites = observations(X, y, None, known)
    assert data.rows == 21
    belief = leave_one_out(condition(PROCESS, data), y, sites)
    expected = np.array([textbook(*rows).leave_one_out(i) for i in range(26)])
    np.testing.assert_allclose(belief.mean, expected[:, 0], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(belief.variance, expected[:, 1], rtol=1e-9)
    np.testing.assert_allclose(belief.budget.noise, 0.15 + known, rtol=1e-12)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-12)


def test_the_density_of_points_left_out_is_the_evidence_less_that_without_them(rows):
    X, y, known = rows
    data, sites = observations(X, y, None, known)
    whole = textbook(*rows).log_evidence()
    without = (textbook(*(part[sites != i] for part in rows)).log_evidence() for i in range(data.rows))
    expected = sum(whole - less for less in without)
    np.testing.assert_allclose(left_out_log_density(PROCESS, data), expected, rtol=1e-9)


def test_of_a_row_with_a_weight_one_is_left_out(rows):
    X, y, known = rows
    w = np.random.default_rng(1).integers(1, 4, size=26)
    data, sites = observations(X, y, w, known)
    belief = leave_one_out(condition(PROCESS, data), y, sites)
    dense = textbook(*(np.repeat(part, w, axis=0) for part in rows))
    firsts = np.concatenate([[0], np.cumsum(w)[:-1]])
    expected = np.array([dense.leave_one_out(i) for i in firsts])
    np.testing.assert_allclose(belief.mean, expected[:, 0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(belief.variance, expected[:, 1], rtol=1e-8)


def test_without_noise_a_repeat_says_it_all():
    """The others still hold the value itself, as a fit without that row would; single points are predicted."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(17, 2))
    y = np.sin(X[:, 0])
    process = Process(Matern52(1.3, LENGTHS), ZeroMean(), NoNoise())
    data, sites = observations(np.concatenate([X, X[:2]]), np.concatenate([y, y[:2]]), noiseless=True)
    belief = leave_one_out(condition(process, data), np.concatenate([y, y[:2]]), sites)
    for i in (0, 1, 17, 18):
        np.testing.assert_allclose(belief.mean[i], y[i % 17], rtol=1e-14)
        assert 0.0 < belief.std[i] < 1e-6
    dense = Textbook(lambda A, B: matern52(A, B, 1.3, LENGTHS), X, y, 0.0)
    expected = np.array([dense.leave_one_out(i) for i in range(2, 17)])
    np.testing.assert_allclose(belief.mean[2:17], expected[:, 0], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(belief.variance[2:17], expected[:, 1], rtol=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_sequential_densities_are_predictions_from_earlier_rows(rows, seed):
    X, y, known = rows
    order = np.random.default_rng(seed).permutation(26)
    parts = pad(X[order], y[order], known[order])
    steps = np.asarray(sequential_log_densities(PROCESS, *(placed(part) for part in parts)))
    dense = textbook(*rows)
    np.testing.assert_allclose(steps[:26], dense.sequential(order), rtol=1e-9)
    np.testing.assert_allclose(steps.sum(), dense.log_evidence(), rtol=1e-11)
    assert not np.any(steps[26:])
