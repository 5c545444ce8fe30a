"""The audit of intervals: size and power by simulation, and the factor by the definition of a quantile."""

import numpy as np
import pytest
from scipy import stats

from credo.decide.study.audit import audited


def test_the_factor_is_the_largest_ratio_of_quantiles():
    errors = np.array([5.0, -4.0, 3.0, -0.1, 6.0, 0.2, -7.0, 0.3, 8.0])
    found = audited(errors, 0.9)
    assert found.verdict == "overconfident"
    size, ratios = np.sort(np.abs(errors)), []
    for level in (0.5, 0.8, 0.9):
        k = min(int(np.ceil(10 * level)), 9)
        ratios.append(size[k - 1] / stats.norm.ppf(0.5 + level / 2))
    np.testing.assert_allclose(found.factor, max(ratios))
    assert f"widened by a factor of {found.factor:.2g}" in str(found)
    wide = np.abs(errors) / found.factor  # so much wider, they hold as often as promised
    for level in (0.5, 0.8, 0.9):
        assert np.mean(wide <= stats.norm.ppf(0.5 + level / 2) + 1e-12) >= level - 0.2


def test_right_intervals_are_rarely_widened_and_wrong_ones_mostly():
    rng = np.random.default_rng(0)
    right = [audited(rng.normal(size=25), 0.9).factor > 1.0 for _ in range(400)]
    assert np.mean(right) <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 400)
    wrong = [audited(3.0 * rng.normal(size=25), 0.9).factor for _ in range(100)]
    assert np.mean(np.array(wrong) > 1.0) > 0.95
    assert 2.0 < np.median(wrong) < 5.0


def test_timid_intervals_stay():
    found = audited(np.full(30, 0.01), 0.9)
    assert found.factor == 1.0
    assert found.verdict == "honest"
    assert "30 predicted measurements" in str(found)


def test_the_level_that_is_named_is_below_its_promise_where_any_is():
    """All corrected probabilities are one: the level of the least uncorrected one counts."""
    found = audited(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.4, 1.5, 1.45]), 0.9)
    assert found.verdict == "honest"
    assert (found.level, found.coverage) == (0.8, pytest.approx(6 / 9))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_too_few_are_not_judged(n):
    found = audited(np.full(n, 100.0), 0.9)
    assert found.factor == 1.0
    assert "too few" in str(found)
