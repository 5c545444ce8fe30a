"""Kernels told apart on data drawn from each."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from credo.errors import InputError
from credo.kernels import RBF, Linear, Matern12
from credo.models import teacher_student

X = np.linspace(-2.0, 2.0, 15)[:, None]


def covariance(kernel):
    return np.asarray(kernel(X)) + 0.1 * np.eye(len(X))


def test_expected_evidence_against_simulation():
    teacher, student = RBF(), Matern12(lengthscale=2.0)
    result = teacher_student([teacher, student], X, random_state=0, n_draws=50)
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(15), covariance(teacher), size=4000)
    values = multivariate_normal.logpdf(draws, np.zeros(15), covariance(student))
    assert abs(values.mean() - result.log_evidence[0, 1]) < 4 * values.std() / np.sqrt(4000)


def test_lost_is_the_divergence_between_the_gaussians():
    kernels = [RBF(), Linear(variance=2.0)]
    result = teacher_student(kernels, X, random_state=0)
    A, B = (covariance(k) for k in kernels)
    trace = np.trace(np.linalg.solve(B, A))
    divergence = 0.5 * (trace - len(X) + np.linalg.slogdet(B)[1] - np.linalg.slogdet(A)[1])
    np.testing.assert_allclose(result.lost[0, 1], divergence, rtol=1e-9)
    np.testing.assert_allclose(np.diag(result.lost), 0.0, atol=1e-9)


def test_shares_add_up_and_the_same_kernel_is_not_told_apart():
    result = teacher_student([RBF(), RBF(lengthscale=1.0 + 1e-9), Linear()], X, random_state=1)
    np.testing.assert_allclose(result.chosen.sum(axis=1), 1.0)
    assert result.chosen[2, 2] > 0.7  # a line is known for a line
    assert result.lost[0, 1] < 1e-6
    assert "nats behind the teacher" in str(result)


def test_few_points_tell_less_apart():
    kernels = [RBF(), Linear()]
    many = teacher_student(kernels, X, random_state=0)
    few = teacher_student(kernels, X[::7], random_state=0)
    assert few.lost[0, 1] < many.lost[0, 1]


@pytest.mark.parametrize("given", [{"noise_variance": 0.0}, {"n_draws": 1}], ids=["noise", "draws"])
def test_bad_input_is_named(given):
    with pytest.raises(InputError, match="teacher_student"):
        teacher_student([RBF()], X, **given)
