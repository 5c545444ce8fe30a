"""The perceptron against a plain loop, Novikoff's bound, a maximal margin, and tables that no plane separates."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC

from credo.errors import InputError
from credo.infer import perceptron


def plain(X, signs, passes):
    """Rosenblatt's rule as it is read, with scores summed from the first column to the last on every processor."""
    theta, mistakes, made, clean = np.zeros(X.shape[1] + 1), 0, 0, False
    while made < passes and not clean:
        made, clean = made + 1, True
        for x, s in zip(X, signs, strict=True):
            row = np.append(x, 1.0)
            if s * sum((theta * row).tolist()) <= 0.0:
                theta, mistakes, clean = theta + s * row, mistakes + 1, False
    return theta, mistakes, made


def table(seed, n=60, d=3, gap=0.0):
    """Whole numbers, so that sums have no rounding and the sequence can be compared to the last bit."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (n, d)).astype(float)
    scores = X @ rng.integers(-4, 5, d) + rng.integers(-4, 5) + 0.5
    away = np.abs(scores) > gap
    return X[away], np.where(scores[away] > 0, 1.0, -1.0)


@given(st.integers(0, 10**6), st.booleans())
def test_the_sequence_is_that_of_a_plain_loop(seed, noisy):
    X, signs = table(seed)
    if noisy:
        signs[::7] *= -1.0
    machine, certificate = (found := perceptron(X, signs, max_passes=30)).value, found.certificate
    theta, mistakes, passes = plain(X, signs, 30)
    assert np.array_equal(np.append(machine.coef, machine.intercept), theta)
    assert (machine.mistakes, certificate.iterations) == (mistakes, passes)


@given(st.integers(0, 10**6))
def test_mistakes_are_below_novikoffs_bound(seed):
    X, signs = table(seed, gap=3.0)
    rng = np.random.default_rng(seed)
    X = X + rng.uniform(-0.1, 0.1, X.shape)
    found = perceptron(X, signs, max_passes=10**4, generator=rng)
    assert found.certificate.converged
    assert np.all(signs * found.value.decision(X) > 0)
    assert found.value.mistakes <= found.value.mistake_bound < np.inf


def test_the_bound_is_that_of_the_widest_margin():
    X, signs = table(3, gap=3.0)
    rows = np.column_stack([X, np.ones(len(X))])
    # Both signs of each row make a machine through the origin, as the intercept is a column here.
    peer = SVC(kernel="linear", C=1e8, tol=1e-8).fit(
        np.concatenate([signs[:, None] * rows, -signs[:, None] * rows]), np.repeat([1, -1], len(rows))
    )
    expected = np.max(np.sum(rows**2, axis=1)) * np.sum(peer.coef_**2)
    found = perceptron(X, signs, max_passes=1000)
    np.testing.assert_allclose(found.value.mistake_bound, expected, rtol=1e-4)
    assert "widest margin" in str(found.certificate)


def test_more_passes_or_no_plane_at_all():
    X, signs = table(5)
    early = perceptron(X, signs, max_passes=1)
    assert early.certificate.status == "stopped early"
    assert "can be separated by a plane, but more passes are needed" in str(early.certificate)
    assert early.value.mistakes <= early.value.mistake_bound < np.inf
    crossed = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    none = perceptron(crossed, np.array([-1.0, -1.0, 1.0, 1.0]), max_passes=50)
    assert "cannot be separated by a plane" in str(none.certificate)
    assert none.value.mistake_bound == np.inf
    # Touching is not separated: the same row on both sides.
    tie = perceptron(np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0, 1.0]))
    assert "cannot be separated" in str(tie.certificate)


def test_far_from_the_origin_the_decision_is_still_right():
    X, signs = table(5)
    found = perceptron(X + 1e6, signs, max_passes=2)
    assert "can be separated by a plane, but more" in str(found.certificate)
    signs[0] *= -1.0
    X[1], signs[1] = X[0], -signs[0]
    assert "cannot be separated" in str(perceptron(X + 1e6, signs, max_passes=2).certificate)


def test_without_an_intercept_the_plane_goes_through_the_origin():
    X, signs = np.array([[1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, 1.0])
    assert "cannot be separated" in str(perceptron(X, signs, intercept=False).certificate)
    assert perceptron(X, signs).certificate.converged
    through = perceptron(X - 1.5, signs, intercept=False)
    assert through.certificate.converged
    assert through.value.intercept == 0.0


def test_large_tables_are_left_undecided_and_large_values_refused(monkeypatch):
    monkeypatch.setattr(import_module("credo.infer.perceptron"), "_AFFORDABLE", 10)
    X, signs = table(5)
    assert "was not decided" in str(perceptron(X, signs, max_passes=1).certificate)
    done = perceptron(X, signs, max_passes=1000)
    assert done.value.mistakes <= done.value.mistake_bound < np.inf
    with pytest.raises(InputError, match="above 1e"):
        perceptron(X * 1e200, signs)


def test_sparse_rows_give_the_same_plane():
    X, signs = table(7)
    X[np.abs(X) < 5] = 0.0
    dense, thin = (perceptron(rows, signs, max_passes=20) for rows in (X, sparse.csr_array(X)))
    assert np.array_equal(dense.value.coef, thin.value.coef)
    assert dense.value.mistake_bound == pytest.approx(thin.value.mistake_bound)
    assert dense.certificate.notes == thin.certificate.notes


@pytest.mark.parametrize("unit", [2.0**-400, 1.0, 2.0**330])
def test_scores_of_exactly_zero_are_mistakes(unit):
    """Rows of zeros, sums that cancel, and opposite copies that lead θ back to zero.

    Units are powers of two: products are exact, so that fused multiplications cannot change the sign of a sum.
    """
    X = unit * np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, -1.0], [2.0, 2.0], [0.0, 3.0]])
    signs = np.array([1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0])
    for passes in (1, 2, 3, 9, 40):
        found = perceptron(X, signs, max_passes=passes)
        theta, mistakes, made = plain(X, signs, passes)
        assert np.array_equal(np.append(found.value.coef, found.value.intercept), theta)
        assert (found.value.mistakes, found.certificate.iterations) == (mistakes, made)


def test_an_overlap_of_many_rows_is_shown_by_few(monkeypatch):
    """A linear program of all rows took most of a second of 100 000 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    signs = np.where(X @ np.ones(3) + rng.normal(size=20_000) > 0.0, 1.0, -1.0)
    module, sizes = import_module("credo.infer.perceptron"), []
    true = module.plane_separates
    monkeypatch.setattr(
        module, "plane_separates", lambda X, signs, **options: sizes.append(len(X)) or true(X, signs, **options)
    )
    found = perceptron(X, signs, max_passes=3)
    assert "cannot be separated" in str(found.certificate)
    assert sizes
    assert max(sizes) < 1000


@pytest.mark.parametrize("seed", range(3))
def test_separable_rows_are_not_taken_for_overlapping_ones(seed):
    X, signs = table(seed, n=5000, d=2)
    early = perceptron(X, signs, max_passes=1)
    assert "can be separated by a plane" in str(early.certificate) or early.certificate.converged
