import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.infer.resample import class_folds, dealt, folds


@pytest.mark.parametrize(("n", "count"), [(10, 3), (7, 7), (100, 5)])
def test_every_row_is_held_out_once(n, count):
    held = folds(n, count)
    np.testing.assert_array_equal(held.sum(axis=0), 1)
    assert np.ptp(held.sum(axis=1)) <= 1
    np.testing.assert_array_equal(held, folds(n, count, 0))
    assert count == n or not np.array_equal(held, folds(n, count, 1))


@pytest.mark.parametrize(("n", "count"), [(3, 4), (3, 1)])
def test_impossible_folds_are_refused(n, count):
    with pytest.raises(InputError, match="folds"):
        folds(n, count)


def test_classes_are_shared_out():
    codes = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [50, 23, 7]))
    held = class_folds(codes, 5)
    np.testing.assert_array_equal(held.sum(axis=0), 1)
    for code in range(3):
        counts = held[:, codes == code].sum(axis=1)
        assert np.ptp(counts) <= 1
        assert counts.min() >= 1
    np.testing.assert_array_equal(held, class_folds(codes, 5, 0))
    assert not np.array_equal(held, class_folds(codes, 5, 1))
    assert len(class_folds(codes, 10)) == 7


def test_a_class_of_one_row_is_refused():
    with pytest.raises(InputError, match="SVC: a class has one row only"):
        class_folds(np.array([0, 0, 1]), 5, who="SVC")


def test_folds_are_even_in_all_and_in_each_group():
    codes, rng = np.repeat([0, 1, 2], [12, 5, 3])[np.random.default_rng(1).permutation(20)], np.random.default_rng(2)
    first = np.zeros(3)
    for _ in range(300):
        fold_of = dealt(codes, 3, rng)
        for part in (fold_of, *(fold_of[codes == code] for code in range(3))):
            assert np.ptp(np.bincount(part, minlength=3)) <= 1
        first[fold_of[0]] += 1
    assert stats.chisquare(first, 300 * np.array([7, 7, 6]) / 20).pvalue > 1e-3
