"""Least mean squares against a plain loop, least squares and the theory of its error."""

import numpy as np
import pytest
from scipy import sparse

from credo.errors import NumericalError
from credo.infer import LMSState, StepSchedule, least_mean_squares

RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 3))
Y = X @ [1.0, -2.0, 0.5] + 3.0 + RNG.normal(size=700)


def plain(X, y, schedule):
    """The rule as it is read."""
    theta, average, largest = np.zeros(X.shape[1] + 1), np.zeros(X.shape[1] + 1), 0.0
    for t, (row, target) in enumerate(zip(X, y, strict=True)):
        x = np.append(row, 1.0)
        largest = max(largest, x @ x)
        eta = (schedule.step or 1.0 / largest) * (1.0 + t / schedule.delay) ** -schedule.decay
        theta = theta + eta * (target - theta @ x) * x
        average = average + (theta - average) / (t + 1)
    return theta, average


@pytest.mark.parametrize("schedule", [StepSchedule(), StepSchedule(0.02, 50.0, 1.0), StepSchedule(0.01, 1.0, 0.0)])
def test_the_sequence_is_that_of_a_plain_loop(schedule):
    found = least_mean_squares(LMSState.zero(4), X, Y, schedule).value
    theta, average = plain(X, Y, schedule)
    np.testing.assert_allclose(found.theta, theta, rtol=1e-10)
    np.testing.assert_allclose(found.average, average, rtol=1e-10)
    assert found.steps == 700
    assert found.largest == pytest.approx(np.max(np.sum(X**2, axis=1)) + 1.0)


@pytest.mark.parametrize("cuts", [[1, 2, 3], [255, 256, 257], [13, 500]])
def test_rows_in_pieces_are_the_same_to_the_bit(cuts):
    whole = least_mean_squares(LMSState.zero(4), X, Y, StepSchedule()).value
    state = LMSState.zero(4)
    for rows, targets in zip(np.split(X, cuts), np.split(Y, cuts), strict=True):
        state = least_mean_squares(state, rows, targets, StepSchedule()).value
    for one, other in zip(whole, state, strict=True):
        assert np.array_equal(one, other)


def test_passes_go_on():
    twice = least_mean_squares(LMSState.zero(4), X, Y, StepSchedule(), passes=2).value
    again = least_mean_squares(LMSState.zero(4), np.tile(X, (2, 1)), np.tile(Y, 2), StepSchedule()).value
    assert np.array_equal(twice.theta, again.theta)


def test_the_error_is_that_of_theory():
    """E‖θ − θ*‖² is ησ²p/2 for small steps, and that of the mean of all θ is σ²p/n as for least squares."""
    rng, n, p, noise = np.random.default_rng(1), 6000, 4, 0.7
    of_theta, of_average, truth = [], [], np.array([1.0, -1.0, 2.0, 0.5])
    schedule = StepSchedule(0.02, 100.0, 0.6)
    for _ in range(60):
        rows = rng.normal(size=(n, p))
        y = rows @ truth + noise * rng.normal(size=n)
        found = least_mean_squares(LMSState.zero(p), rows, y, schedule, intercept=False).value
        of_theta.append(np.sum((found.theta - truth) ** 2))
        tail = found.average * n  # without the way there: a mean over all but the first thousand
        early = least_mean_squares(LMSState.zero(p), rows[:1000], y[:1000], schedule, intercept=False).value
        of_average.append(np.sum(((tail - early.average * 1000) / (n - 1000) - truth) ** 2))
    eta = 0.02 * (1.0 + n / 100.0) ** -0.6
    # A mean of 60 squares of p degrees of freedom has a relative standard error of √(2/(60p)) = 0.09.
    assert np.mean(of_theta) / (eta * noise**2 * p / 2.0) == pytest.approx(1.0, abs=0.3)
    assert np.mean(of_average) / (noise**2 * p / (n - 1000)) == pytest.approx(1.0, abs=0.3)


def test_the_certificate_measures_the_gradient():
    found = least_mean_squares(LMSState.zero(4), X, Y, StepSchedule())
    design = np.column_stack([X, np.ones(len(X))])
    gradient = lambda theta: np.linalg.norm(design.T @ (Y - design @ theta))  # noqa: E731
    assert found.certificate.residual == pytest.approx(gradient(found.value.theta) / gradient(np.zeros(4)))
    mean = least_mean_squares(LMSState.zero(4), X, Y, StepSchedule(), averaged=True)
    assert mean.certificate.residual == pytest.approx(gradient(mean.value.average) / gradient(np.zeros(4)))
    assert found.certificate.kind == "heuristic"
    constant = least_mean_squares(LMSState.zero(4), X, Y, StepSchedule(0.01, 1.0, 0.0))
    assert "does not converge" in str(constant.certificate)
    assert least_mean_squares(LMSState.zero(4), X, 0.0 * Y, StepSchedule()).certificate.residual == 0.0


@pytest.mark.parametrize("step", [0.9, 5.0, 1e3])
def test_steps_that_diverge_are_refused_by_the_bound(step):
    with pytest.raises(NumericalError, match=r"stable below 2/mean‖x‖² = 0\.499"):
        least_mean_squares(LMSState.zero(4), X, Y, StepSchedule(step, 1e9, 0.6))


def test_values_whose_squares_overflow_are_refused():
    with pytest.raises(NumericalError, match="too large"):
        least_mean_squares(LMSState.zero(4), X * 1e200, Y, StepSchedule())


def test_sparse_rows_are_the_same():
    thin = np.where(np.abs(X) > 1.0, X, 0.0)
    dense, other = (
        least_mean_squares(LMSState.zero(4), rows, Y, StepSchedule()) for rows in (thin, sparse.csr_array(thin))
    )
    assert np.array_equal(dense.value.theta, other.value.theta)
    assert dense.certificate.residual == pytest.approx(other.certificate.residual)
