"""The tightest rectangle against loops over rows and columns, its border, its certificate and its guarantee."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris

import credo
from credo.errors import InputError
from credo.models import RectangleLearner
from credo.validate.bounds import TightestRectangle

rng = np.random.default_rng(0)
LOW, HIGH = np.array([0.2, 0.3]), np.array([0.8, 0.9])


def boxed(X):
    """The truth: inside a rectangle or not."""
    return np.where(np.all((X >= LOW) & (X <= HIGH), axis=1), "in", "out")


def looped(X, y, name):
    """Each end, by looking at one row after the other."""
    low, high = [np.inf] * X.shape[1], [-np.inf] * X.shape[1]
    for row, label in zip(X, y, strict=True):
        if label == name:
            low = [min(a, b) for a, b in zip(low, row, strict=True)]
            high = [max(a, b) for a, b in zip(high, row, strict=True)]
    return low, high


def signed_depth(x, low, high):
    """Inside, the distance to the nearest side in its length; outside, minus that by which it is passed most."""
    passed = [max(a - v, v - b) / (b - a) for v, a, b in zip(x, low, high, strict=True)]
    return -max(passed)


def test_rectangle_and_scores_are_those_of_a_loop():
    X, new = rng.random((60, 2)), rng.normal(0.5, 0.5, size=(50, 2))
    y = boxed(X)
    for positive, sign in (("in", -1.0), ("out", 1.0), (None, 1.0)):
        model = RectangleLearner(positive=positive).fit(X, y)
        low, high = looped(X, y, positive or "out")
        assert (model.low_.tolist(), model.high_.tolist()) == ([low], [high])
        expected = [sign * signed_depth(x, low, high) for x in new]  # of the second class, "out"
        np.testing.assert_allclose(model.decision_function(new), expected, rtol=1e-12)
        np.testing.assert_array_equal(model.predict(new), np.where(np.array(expected) > 0, "out", "in"))


def test_the_border_belongs_to_the_rectangle():
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [9.0, 9.0]]), ["yes", "yes", "no"]
    model = RectangleLearner(positive="yes").fit(X, y)
    inside = [[0.0, 0.0], [1.0, 2.0], [1.0, 1.0], [0.0, 1.5]]
    outside = [[np.nextafter(1.0, 2.0), 1.0], [-5e-324, 1.0], [0.5, np.nextafter(2.0, 3.0)]]
    assert model.predict(inside + outside).tolist() == ["yes"] * 4 + ["no"] * 3
    assert ((model.decision_function(inside + outside) > 0.0).tolist()) == [True] * 4 + [False] * 3
    turned = RectangleLearner(positive="a").fit(X, ["a", "a", "b"])  # the first class: scores are those of the second
    assert turned.predict(inside + outside).tolist() == ["a"] * 4 + ["b"] * 3
    assert np.all(turned.decision_function(inside) < 0.0)


def test_one_row_and_equal_columns_are_a_rectangle_of_no_size():
    model = RectangleLearner().fit([[1.0, 5.0], [3.0, 5.0], [4.0, 5.0]], [0, 1, 0])
    assert model.predict([[3.0, 5.0], [3.1, 5.0], [3.0, 5.1]]).tolist() == [1, 0, 0]
    np.testing.assert_allclose(model.decision_function([[3.3, 5.0], [3.0, 7.0]]), [-0.1, -2.0])  # ranges are 3 and 0


def test_values_near_the_largest_number_do_not_overflow():
    model = RectangleLearner().fit([[-1.7e308], [1.7e308], [1.79e308]], [1, 1, 0])
    scores = model.decision_function([[0.0], [-1.79e308], [1.75e308]])
    assert np.all(np.isfinite(scores))
    assert (scores > 0).tolist() == [True, False, False]


def test_certificate_says_whether_rows_are_realizable_and_how_many_are_not():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert "realizable: no row of another class is inside the rectangle of 'in'" in str(
        RectangleLearner(positive="in").fit(X, ["out", "in", "in", "out"]).certificate_
    )
    mixed = RectangleLearner(positive="in").fit(X, ["in", "out", "in", "out"], sample_weight=[1, 3, 1, 2])
    assert mixed.certificate_.kind == "exact"
    assert "agnostic: 3 of 7 rows are inside the rectangle of 'in' and of another class" in str(mixed.certificate_)


def test_each_of_many_classes_has_a_rectangle():
    X, y = load_iris(return_X_y=True)
    model = RectangleLearner().fit(X, y)
    for code in range(3):
        low, high = looped(X, y, code)
        assert (model.low_[code].tolist(), model.high_[code].tolist()) == (low, high)
        np.testing.assert_allclose(
            model.decision_function(X)[:, code], [signed_depth(x, low, high) for x in X], atol=1e-300
        )
    assert model.score(X, y) > 0.9
    notes = model.certificate_.notes
    assert [note.split(":")[0] for note in notes] == ["realizable", "agnostic", "agnostic"]


def test_weights_only_say_which_rows_are_there(tmp_path):
    X = rng.random((40, 2))
    y, w = boxed(X), rng.integers(0, 3, 40)
    model, fewer = RectangleLearner().fit(X, y, sample_weight=w), RectangleLearner().fit(X[w > 0], y[w > 0])
    np.testing.assert_array_equal(model.decision_function(X), fewer.decision_function(X))
    credo.save(model, tmp_path / "model.credo")
    np.testing.assert_array_equal(credo.load(tmp_path / "model.credo").low_, model.low_)


def test_positive_is_one_of_two_classes():
    X = rng.random((9, 1))
    with pytest.raises(InputError, match=r"positive='c', but the classes are \['a', 'b'\].*Try positive='b'"):
        RectangleLearner(positive="c").fit(X, list("aabbabbab"))
    with pytest.raises(InputError, match=r"positive=1, but the classes are \[0, 1, 2\].*Leave it out"):
        RectangleLearner(positive=1).fit(X, [0, 1, 2] * 3)
    assert RectangleLearner(positive=0).fit(X, [0, 1, 0] * 3).positive_.tolist() == [0]
    assert not hasattr(RectangleLearner(), "predict_proba")
    assert not hasattr(RectangleLearner(), "predict_dist")


@pytest.mark.parametrize("power", [1.0, 3.0], ids=["uniform", "skewed"])
def test_the_guarantee_holds_for_the_rows_it_asks_for(power):
    """With n = rows(ε, δ) of them, the error is above ε in at most a share δ of the samples, of any distribution.

    Columns are powers of uniform numbers, $x = u^p$ with distribution function $x^{1/p}$, so that the error is exact:
    the probability of the part of the true rectangle that is missed.
    """
    error, delta, times = 0.1, 0.1, 400
    n = int(TightestRectangle(2).rows(error, delta))
    mass = lambda low, high: np.prod(high ** (1.0 / power) - low ** (1.0 / power))  # noqa: E731
    failures = 0
    for _ in range(times):
        X = rng.random((n, 2)) ** power
        model = RectangleLearner(positive="in").fit(X, boxed(X))
        assert np.all((model.low_[0] >= LOW) & (model.high_[0] <= HIGH))
        failures += mass(LOW, HIGH) - mass(model.low_[0], model.high_[0]) > error
    assert stats.binomtest(int(failures), times, delta, alternative="greater").pvalue > 1e-3


def test_a_few_rows_do_not_have_the_guarantee():
    """The bound is no idle one: with a fifth of the rows the error is above ε far too often."""
    n = int(TightestRectangle(2).rows(0.1, 0.1)) // 5
    failures = 0
    for _ in range(200):
        X = rng.random((n, 2))
        model = RectangleLearner(positive="in").fit(X, boxed(X))
        failures += np.prod(HIGH - LOW) - np.prod(model.high_[0] - model.low_[0]) > 0.1
    assert failures > 100
