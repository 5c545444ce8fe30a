"""Tails that are too light: by counts written out, and only where the middle is too wide."""

import numpy as np
import pytest
from scipy import stats

from credo.validate.tails import light_tails

LEVELS = np.array([0.5, 0.95])
TOO_WIDE = np.array([0.7, 0.95]), np.array([1e-9, 1.0])  # coverage, p-values


def normal_places(n):
    """Of errors that are exactly normal, in the belief that is right."""
    return (np.arange(n) + 0.5) / n


def test_rows_far_out_are_counted_at_the_level_that_shows_them_most():
    pit = np.concatenate([normal_places(397), [1e-4, 1.0 - 1e-4, 2e-4]])
    tails, wide = light_tails(LEVELS, *TOO_WIDE, 400, pit)
    assert (tails.level, tails.missed, tails.rows) == (0.999, 3, 400)
    assert stats.binom.sf(2, 400, 0.001) * 4 < 0.05
    assert tails.expected == pytest.approx(0.4)
    assert wide.tolist() == [True, False]
    assert "99.9% intervals missed 3 of 400 rows, 0.4 were expected" in str(tails)


def test_without_a_level_that_holds_too_much_there_is_no_finding():
    pit = np.concatenate([normal_places(397), [1e-9, 1e-9, 1e-9]])
    assert light_tails(LEVELS, np.array([0.5, 0.95]), np.array([1.0, 1.0]), 400, pit) is None
    assert light_tails(LEVELS, np.array([0.3, 0.95]), np.array([1e-9, 1.0]), 400, pit) is None


@pytest.mark.parametrize("factor", [1.0, 1.5, 3.0])
def test_normal_errors_of_any_width_have_no_light_tails(factor):
    pit = stats.norm.cdf(stats.norm.ppf(normal_places(400)) / factor)
    assert light_tails(LEVELS, *TOO_WIDE, 400, pit) is None


def test_a_shape_that_no_factor_repairs_is_found():
    scores = stats.t.ppf(normal_places(400), 3) / np.sqrt(3.0)
    pit = stats.norm.cdf(np.clip(scores, -2.9, 2.9))  # none of them far out
    tails, _ = light_tails(LEVELS, *TOO_WIDE, 400, pit)
    factor = np.median(np.abs(scores)) / stats.norm.ppf(0.75)
    assert tails.narrowed == pytest.approx(factor)
    assert tails.missed == np.sum(np.abs(scores) > factor * stats.norm.ppf(0.995))
    assert "narrowed until those of 50% hold half of the rows, 99% intervals would miss" in str(tails)


def test_levels_that_cross_are_found_without_places():
    tails, _ = light_tails(LEVELS, np.array([0.7, 0.9]), np.array([1e-9, 1e-4]), 400, None)
    assert (tails.level, tails.missed, tails.expected) == (0.95, 40, pytest.approx(20.0))
    assert light_tails(LEVELS, *TOO_WIDE, 400, None) is None
