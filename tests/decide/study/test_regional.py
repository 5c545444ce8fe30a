"""Suggestions in a trust region: near the best, the same again, and a design after a restart."""

import numpy as np
import pytest

from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.regional import column_lengthscales, suggest_in_region
from credo.decide.study.setup import Setup
from credo.kernels import Hamming, Matern52, On
from credo.models import BayesianLinearRegression
from credo.represent.space import Real, Space

WIDE = Space({f"x{i}": Real(0, 1) for i in range(24)})
SETUP = Setup(WIDE, Goal.of("minimize"), initial=6)


def loss(rows):
    return np.sum((rows - 0.3) ** 2, axis=1)


def test_is_near_the_best_and_the_same_again():
    rows = WIDE.sample_rows(16, 0)
    known = Known.of(rows, loss(rows))
    a, b = (suggest_in_region(SETUP, known, np.random.default_rng(3), seed=3) for _ in range(2))
    np.testing.assert_array_equal(a[0], b[0])
    best = rows[np.argmin(loss(rows))]
    others = np.delete(rows, np.argmin(loss(rows)), axis=0)
    assert np.linalg.norm(a[0] - best) < np.min(np.linalg.norm(others - best, axis=1))
    assert "side 0." in str(a[1])


def test_a_region_that_shrank_to_nothing_starts_again():
    """The best comes first, then failures enough for seven halvings of 0.8, which is below the least side."""
    rows = WIDE.sample_rows(6 + 7 * 24, 0)
    known = Known.of(rows, 1.0 + np.arange(len(rows)))
    row, why = suggest_in_region(SETUP, known, np.random.default_rng(0))
    assert why.reason == "start"
    assert "restart 1" in str(why.note)
    assert np.all((row >= 0.0) & (row <= 1.0))


def test_length_scales_by_column():
    kernel = On(Matern52(lengthscale=np.array([2.0, 3.0])), (0, 2)) * On(Hamming(lengthscale=np.array([5.0])), (1,))
    assert column_lengthscales(kernel, 3).tolist() == [2.0, 5.0, 3.0]
    assert column_lengthscales(Matern52(lengthscale=4.0), 2).tolist() == pytest.approx([4.0, 4.0])


def test_what_broke_its_bounds_is_no_center():
    """The least value broke its bound: the region is around the best that kept it."""
    rows = WIDE.sample_rows(16, 0)
    values = loss(rows)
    excess = np.full((16, 1), -1.0)
    best, next_best = np.argsort(values)[:2]
    excess[best] = 2.0
    setup = Setup(WIDE, Goal.of("minimize", ["heat <= 1"]), initial=6)
    known = Known.of(rows, values, excess=excess)
    row, _ = suggest_in_region(setup, known, np.random.default_rng(3), seed=3)
    assert np.sum(row == rows[next_best]) > np.sum(row == rows[best])
    none = Known.of(rows, values, excess=np.linspace(1.0, 2.0, 16)[:, None])
    row, _ = suggest_in_region(setup, none, np.random.default_rng(3), seed=3)
    assert np.sum(row == rows[0]) > 0


def test_a_surrogate_of_ones_own_needs_no_drawn_functions():
    setup = Setup(WIDE, Goal.of("minimize"), surrogate=BayesianLinearRegression(), initial=6)
    rows = WIDE.sample_rows(16, 0)
    row, why = suggest_in_region(setup, Known.of(rows, loss(rows)), np.random.default_rng(3), seed=3)
    assert np.all((row >= 0.0) & (row <= 1.0))
    assert why.acquisition == "log_ei"
