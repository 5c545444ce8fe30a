"""Locally weighted regression: units, weights, coverage, and input that leaves little to say."""

import numpy as np
import pytest
from scipy import stats

from credo.errors import UndefinedError
from credo.models import LinearRegression, LocallyWeightedRegression

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, size=(50, 2)) * [1.0, 100.0]
Y = np.sin(X[:, 0]) + 0.01 * X[:, 1] + 0.1 * RNG.normal(size=50)


def test_prediction_is_a_weighted_line_on_standardized_columns():
    model = LocallyWeightedRegression(bandwidth=0.6).fit(X, Y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for query in X[:5] + 0.1:
        z = (query - X.mean(axis=0)) / X.std(axis=0)
        v = np.exp(-np.sum((Z - z) ** 2, axis=1) / (2 * 0.6**2))
        A = np.column_stack([np.ones(50), Z - z])
        expected = np.linalg.lstsq(np.sqrt(v)[:, None] * A, np.sqrt(v) * Y)[0][0]
        assert model.predict([query])[0] == pytest.approx(expected)


def test_units_do_not_matter():
    first = LocallyWeightedRegression().fit(X, Y)
    other = LocallyWeightedRegression().fit(X * [1e6, 1e-3] + 5.0, Y)
    assert other.bandwidth_ == pytest.approx(first.bandwidth_, rel=1e-6)
    np.testing.assert_allclose(
        other.predict_interval(X * [1e6, 1e-3] + 5.0), first.predict_interval(X), rtol=1e-6, atol=1e-8
    )


def test_wide_bandwidth_is_linear_regression_with_its_interval():
    model, peer = LocallyWeightedRegression(bandwidth=1e9).fit(X, Y), LinearRegression().fit(X, Y)
    assert model.effective_degrees_ == pytest.approx(3.0)
    assert model.degrees_ == pytest.approx(47.0)
    np.testing.assert_allclose(model.predict_interval(X), peer.predict_interval(X), rtol=1e-7)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_weights_are_repetition(degree):
    w = np.random.default_rng(1).integers(0, 4, 50)
    weighted = LocallyWeightedRegression(degree=degree).fit(X, Y, sample_weight=w)
    repeated = LocallyWeightedRegression(degree=degree).fit(np.repeat(X, w, axis=0), np.repeat(Y, w))
    np.testing.assert_allclose(weighted.predict_interval(X), repeated.predict_interval(X), rtol=1e-7)
    assert weighted.degrees_ == pytest.approx(repeated.degrees_)


def test_budget_splits_the_variance_and_notes_say_what_is_left_out():
    model = LocallyWeightedRegression().fit(X, Y)
    belief = model.predict_dist(X)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-9)
    assert np.ptp(belief.budget.noise) == 0.0
    assert "chosen" in str(model.certificate_)
    assert "chosen" not in str(LocallyWeightedRegression(bandwidth=0.5).fit(X, Y).certificate_)


def test_far_queries_widen_and_are_never_nan():
    model = LocallyWeightedRegression(bandwidth=0.3).fit(X, Y)
    low, high = model.predict_interval([[0.0, 0.0], [20.0, 0.0], [2e5, 0.0], [1e300, 1e300]])
    assert np.all(np.isfinite([low, high]))
    assert np.all(np.diff(high - low) > 0.0)


def test_a_constant_column_changes_nothing():
    model = LocallyWeightedRegression().fit(np.column_stack([X, np.full(50, 0.1)]), Y)
    plain = LocallyWeightedRegression(bandwidth=model.bandwidth_).fit(X, Y)
    np.testing.assert_allclose(
        model.predict_interval(np.column_stack([X, np.full(50, 0.1)])), plain.predict_interval(X), rtol=1e-9
    )
    assert "constant columns say nothing: [2]" in str(model.certificate_)


def test_one_row_predicts_and_has_no_belief():
    model = LocallyWeightedRegression().fit([[1.0]], [3.0])
    assert model.predict([[5.0]])[0] == 3.0
    with pytest.raises(UndefinedError, match="larger bandwidth"):
        model.predict_dist([[5.0]])


def test_interpolation_has_no_belief():
    model = LocallyWeightedRegression(bandwidth=1e-6).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), Y)
    with pytest.raises(UndefinedError, match="50 coefficients in effect for 50 rows"):
        model.predict_dist(X)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"bandwidth": 0.3}, {"bandwidth": 0.6, "degree": 2}])
def test_intervals_cover_a_smooth_curve(settings):
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(600):
        A = rng.uniform(-1.0, 1.0, size=(31, 1))
        b = np.sin(2.0 * A[:, 0]) + 0.3 * rng.normal(size=31)
        low, high = LocallyWeightedRegression(**settings).fit(A[:30], b[:30]).predict_interval(A[30:])
        inside += low[0] < b[30] < high[0]
    assert stats.binomtest(int(inside), 600, 0.9).pvalue > 1e-3
