"""Proven coverage against the theorems as they are written, and what a certificate says."""

import numpy as np
import pytest

from credo.validate.conformal.guarantee import (
    conformal_certificate,
    cv_plus_coverage,
    jackknife_plus_coverage,
    split_coverage,
)


def theorem_4(alpha, n, folds):
    """Barber et al. (2021), for folds of equal size."""
    m = n / folds
    return 1 - 2 * alpha - min(2 * (1 - 1 / folds) / (m + 1), (1 - folds / n) / (folds + 1))


@pytest.mark.parametrize(("n", "folds"), [(20, 2), (100, 5), (100, 20), (100, 50), (1000, 10)])
def test_cv_plus_is_never_worse_than_the_theorem(n, folds):
    sizes = np.full(folds, n // folds)
    proven, published = cv_plus_coverage(0.9, sizes), theorem_4(0.1, n, folds)
    second = 0.8 - (1 - folds / n) / (folds + 1)
    first = 0.8 - 2 * (1 - 1 / folds) / (n / folds + 1) * 0.9  # the factor 1 − α that the theorem leaves out
    assert proven == pytest.approx(max(0.0, first, second))
    assert proven >= published - 1e-12


def test_folds_of_one_row_are_the_jackknife():
    assert cv_plus_coverage(0.95, np.ones(40, dtype=int)) == pytest.approx(jackknife_plus_coverage(0.95))
    assert jackknife_plus_coverage(0.4) == 0.0
    assert split_coverage(0.95) == 0.95


def test_empty_folds_do_not_count_and_groups_have_the_first_bound_only():
    assert cv_plus_coverage(0.9, np.array([5, 0, 5])) == cv_plus_coverage(0.9, np.array([5, 5]))
    alone, among = (cv_plus_coverage(0.9, np.ones(40, dtype=int), alone=alone) for alone in (True, False))
    assert (alone, among) == (pytest.approx(0.8), 0.0)
    assert cv_plus_coverage(0.9, np.full(4, 10), alone=False) == pytest.approx(0.8 - 1.8 * 3 / 44)


@pytest.mark.parametrize(("sizes", "level"), [((3, 2, 2), 0.8), ((10, 10, 9, 9), 0.9), ((1, 8), 0.7)])
def test_bound_for_folds_is_what_twice_the_mean_of_p_values_allows(sizes, level):
    """The largest weighted mean of p-values with which a row is outside, twice, by counting."""
    sizes = np.array(sizes)
    n, folds = sizes.sum(), len(sizes)
    outside = n - np.ceil((n + 1) * level - 1e-9)  # calibration rows that fit no better than the new one, at most
    largest = 2 * (folds + outside) / (n + folds)
    proven = cv_plus_coverage(level, sizes, alone=False)
    assert proven <= 1 - largest + 1e-12  # what is stated is not above what is proven
    assert 1 - largest - proven <= 2 / (n + folds)  # and loses no more than the rounding of the rank


def test_certificate_has_the_guarantee_in_words():
    certificate = conformal_certificate("coverage is 1 − 2α or more", 0.8, 19, groups=3)
    assert certificate.kind == "bounded"
    assert certificate.error == pytest.approx(0.1)
    for words in ("1 − 2α", "3 groups", "n = 19", "0.95", "exchangeable", "marginal", "not at each x"):
        assert words in str(certificate)
    assert conformal_certificate("", 0.9, 19).error == 0.0
