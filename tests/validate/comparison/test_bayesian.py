"""The Bayesian correlated t-test: against baycomp, against numerical integration of its model, and its limits."""

import baycomp
import numpy as np
import pytest
from scipy import stats

from credo.beliefs import StudentT
from credo.errors import InputError, UndefinedError
from credo.validate.comparison import bayesian_correlated_t, corrected_resampled_t

RNG = np.random.default_rng(5)
SCORES = RNG.uniform(0.7, 0.9, size=(2, 30))


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("rope", [0.01, 0.05])
def test_equals_baycomp(runs, rope):
    a, b = SCORES
    folds = len(a) // runs
    # baycomp takes scores, and its left is that the first is better; losses are their negatives.
    peer = baycomp.two_on_single(a, b, rope, runs)
    ours = bayesian_correlated_t((-a) - (-b), train_size=folds - 1, test_size=1, rope=rope)
    np.testing.assert_allclose(ours.probabilities, peer, atol=1e-10)


def test_equals_baycomp_without_a_rope():
    a, b = SCORES
    left, right = baycomp.two_on_single(a, b, 0.0, 3)
    ours = bayesian_correlated_t(b - a, 9, 1)
    np.testing.assert_allclose(ours.probabilities, (left, 0.0, right), atol=1e-10)


def test_posterior_is_that_of_the_model_on_a_grid():
    d, rho = np.array([0.4, -0.1, 0.9, 0.5]), 0.2
    mu, log_sigma = np.meshgrid(np.linspace(-40.0, 40.0, 8001), np.linspace(-4.0, 5.0, 400), indexing="ij")
    inverse = np.linalg.inv((1 - rho) * np.eye(4) + rho * np.ones((4, 4)))
    gaps = d[:, None, None] - mu
    squares = np.einsum("imn,ij,jmn->mn", gaps, inverse, gaps)
    density = np.exp(-4 * log_sigma - 0.5 * squares * np.exp(-2 * log_sigma)).sum(axis=1)  # dσ/σ is d log σ
    density /= density.sum()
    ours = bayesian_correlated_t(d, train_size=8, test_size=2, rope=0.1).probabilities
    grid = mu[:, 0]
    at = lambda value: density[grid < value - 1e-9].sum() + 0.5 * density[np.abs(grid - value) < 1e-9].sum()  # noqa: E731
    np.testing.assert_allclose(ours, (at(-0.1), at(0.1) - at(-0.1), 1 - at(0.1)), atol=2e-4)


def test_the_belief_is_a_student_t_with_the_interval_of_the_frequentist_test():
    d = SCORES[0] - SCORES[1]
    ours = bayesian_correlated_t(d, 9, 1)
    assert isinstance(ours.belief, StudentT)
    low, high = ours.belief.interval(0.9)
    np.testing.assert_allclose((low, high), corrected_resampled_t(d, 9, 1).interval(0.9), rtol=1e-10)


def test_tiny_tails_do_not_cancel():
    d = 1.0 + 0.01 * RNG.normal(size=40)
    ours = bayesian_correlated_t(-d, 9, 1)
    scale = np.sqrt((1 / 40 + 1 / 9) * np.var(d, ddof=1))
    expected = stats.t.sf(d.mean() / scale, 39)
    assert 0.0 < expected < 1e-30
    np.testing.assert_allclose(ours.b_better, expected, rtol=1e-6)
    np.testing.assert_allclose(bayesian_correlated_t(d, 9, 1).a_better, expected, rtol=1e-6)


def test_nonsense_is_refused():
    with pytest.raises(UndefinedError, match="all 3 differences"):
        bayesian_correlated_t([0.0, 0.0, 0.0], 9, 1)
    for rope in (-0.1, np.nan):
        with pytest.raises(InputError, match="rope is"):
            bayesian_correlated_t([0.1, 0.2], 9, 1, rope=rope)
