"""Local regression against a weighted least squares fit at each query, one by one, and deleted rows."""

import numpy as np
import pytest

from credo.infer import LocalRows, local_bandwidth, local_fit, local_inference, local_loo

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(40, 2))
TARGETS = np.sin(2.0 * ROWS[:, 0]) + ROWS[:, 1] ** 2 + 0.1 * RNG.normal(size=40)
QUERIES = RNG.normal(size=(12, 2))
degrees = pytest.mark.parametrize("degree", [0, 1, 2])


def problem(degree, weights=None):
    return LocalRows(ROWS, TARGETS, np.ones(40) if weights is None else weights, degree)


def design(offsets, degree):
    columns = [np.ones(len(offsets)), *(offsets.T if degree else [])]
    if degree == 2:
        columns += [offsets[:, 0] ** 2, offsets[:, 0] * offsets[:, 1], offsets[:, 1] ** 2]
    return np.column_stack(columns)


def naive_row(rows, query, bandwidth, degree):
    """The coefficient of each target in the fit at one query: e₁' (A'VA)⁻¹ A'V."""
    A = design(rows - query, degree)
    v = np.exp(-np.sum((rows - query) ** 2, axis=1) / (2.0 * bandwidth**2))
    return np.linalg.solve(A.T * v @ A, A.T * v)[0]


@degrees
def test_fit_is_weighted_least_squares_at_each_query(degree, monkeypatch):
    L = np.stack([naive_row(ROWS, query, 0.7, degree) for query in QUERIES])
    monkeypatch.setattr("credo.infer.local_regression._ENTRIES", 2500)  # several blocks
    found = local_fit(problem(degree), QUERIES, 0.7)
    np.testing.assert_allclose(found.location, L @ TARGETS, rtol=1e-8)
    np.testing.assert_allclose(found.spread, np.sum(L**2, axis=1), rtol=1e-8)


@degrees
def test_leave_one_out_is_deletion(degree):
    errors = [
        TARGETS[i] - naive_row(np.delete(ROWS, i, 0), ROWS[i], 0.8, degree) @ np.delete(TARGETS, i) for i in range(40)
    ]
    np.testing.assert_allclose(local_loo(problem(degree), 0.8), np.mean(np.square(errors)), rtol=1e-7)


@degrees
def test_degrees_of_freedom_are_cleveland_and_devlins(degree, monkeypatch):
    L = np.stack([naive_row(ROWS, row, 0.7, degree) for row in ROWS])
    R = (np.eye(40) - L).T @ (np.eye(40) - L)
    found = local_inference(problem(degree), 0.7)
    assert found.effective_degrees == pytest.approx(np.trace(L))
    assert found.noise_variance == pytest.approx(TARGETS @ R @ TARGETS / np.trace(R))
    assert found.degrees == pytest.approx(np.trace(R) ** 2 / np.trace(R @ R))
    monkeypatch.setattr("credo.infer.local_regression._WHOLE", 10)
    rough = local_inference(problem(degree), 0.7)
    assert not rough.second_moment
    assert rough.degrees == pytest.approx(np.trace(R))
    assert rough.noise_variance == pytest.approx(found.noise_variance)


@degrees
def test_weights_are_repetition(degree):
    w = np.random.default_rng(1).integers(1, 4, 40)
    weighted = problem(degree, w.astype(float))
    repeated = LocalRows(np.repeat(ROWS, w, axis=0), np.repeat(TARGETS, w), np.ones(w.sum()), degree)
    np.testing.assert_allclose(local_fit(weighted, QUERIES, 0.6), local_fit(repeated, QUERIES, 0.6), rtol=1e-8)
    np.testing.assert_allclose(local_inference(weighted, 0.6), local_inference(repeated, 0.6), rtol=1e-8)
    assert local_loo(weighted, 0.6) == pytest.approx(local_loo(repeated, 0.6))
    assert local_bandwidth(weighted) == pytest.approx(local_bandwidth(repeated), rel=1e-6)


def test_wide_bandwidth_is_one_line_for_all_rows():
    A = np.column_stack([np.ones(40), ROWS])
    at = np.column_stack([np.ones(12), QUERIES])
    found = local_fit(problem(1), QUERIES, 1e12)
    np.testing.assert_allclose(found.location, at @ np.linalg.lstsq(A, TARGETS)[0], rtol=1e-8)
    np.testing.assert_allclose(found.spread, np.sum(at @ np.linalg.inv(A.T @ A) * at, axis=1), rtol=1e-8)
    assert local_inference(problem(1), 1e12).degrees == pytest.approx(37.0)


def test_bandwidth_has_the_least_error_of_many():
    chosen = local_loo(problem(1), local_bandwidth(problem(1)))
    assert chosen <= 1.01 * min(local_loo(problem(1), h) for h in np.geomspace(0.1, 14.0, 40))


@degrees
def test_far_queries_are_finite_and_less_sure_the_further(degree):
    queries = np.array([[1.0, 0.0]]) * np.array([3.0, 30.0, 1e3, 1e6, 1e150, 1e300])[:, None]
    found = local_fit(problem(degree), queries, 0.3)
    assert np.all(np.isfinite(found.location))
    assert np.all(np.isfinite(found.spread))
    if degree:
        assert np.all(np.diff(found.spread[1:5]) > 0.0)


@pytest.mark.parametrize("bandwidth", [1e-300, 1e-9])
def test_narrow_bandwidth_interpolates_and_leaves_no_degrees(bandwidth):
    np.testing.assert_allclose(local_fit(problem(1), ROWS, bandwidth).location, TARGETS, rtol=1e-12)
    assert local_inference(problem(1), bandwidth).degrees == 0.0
    assert local_loo(problem(1), bandwidth) == pytest.approx(np.var(TARGETS) * (40 / 39) ** 2)


def test_directions_without_rows_have_no_slope_and_count_as_unknown():
    line = np.column_stack([np.linspace(-1.0, 1.0, 21)] * 2)
    data = LocalRows(line, line[:, 0], np.ones(21), 1)
    found = local_fit(data, np.array([[0.0, 0.0], [1.0, -1.0]]), 0.5)
    np.testing.assert_allclose(found.location, 0.0, atol=1e-12)
    assert found.spread[1] == pytest.approx(found.spread[0] + 2.0 / 0.5**2)


def test_one_point():
    data = LocalRows(np.zeros((1, 2)), np.array([3.0]), np.array([4.0]), 1)
    assert local_bandwidth(data) == 1.0
    found = local_fit(data, np.array([[0.0, 0.0], [2.0, 0.0]]), 1.0)
    np.testing.assert_allclose(found.location, 3.0)
    np.testing.assert_allclose(found.spread, [0.25, 4.25])
    assert local_inference(data, 1.0).degrees == pytest.approx(3.0)
