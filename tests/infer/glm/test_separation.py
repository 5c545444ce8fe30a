"""Directions to infinity: by hand, and against a search that grows without end."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize

from credo.errors import ConvergenceWarning, UndefinedError
from credo.infer.glm.separation import binary_signs, count_signs, plane_separates, separation
from credo.models import GLM

X = np.arange(6.0)[:, None]
ONES = np.column_stack([np.ones(6), X])


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0, 0, 0, 1, 1, 1], "complete"),
        ([0, 0, 1, 0, 1, 1], "none"),
        ([1, 1, 1, 0, 0, 0], "complete"),
    ],
)
def test_two_classes_on_a_line(y, expected):
    assert separation(ONES, *binary_signs(np.array(y, dtype=float))) == expected


def test_a_tie_at_the_border_separates_in_part():
    design = np.column_stack([np.ones(6), [0.0, 1.0, 2.0, 2.0, 3.0, 4.0]])
    assert separation(design, *binary_signs(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))) == "partial"


def test_fractions_between_hold_the_predictor():
    y = np.array([0.0, 0.0, 0.3, 0.7, 1.0, 1.0])
    assert separation(ONES, *binary_signs(y)) == "none"


def test_a_group_without_a_count_separates_in_part():
    group = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    design = np.column_stack([np.ones(6), group])
    assert separation(design, *count_signs(np.array([2.0, 0.0, 1.0, 0.0, 0.0, 0.0]))) == "partial"
    assert separation(design, *count_signs(np.array([2.0, 0.0, 1.0, 0.0, 4.0, 0.0]))) == "none"


def test_nothing_but_counts_is_not_separated():
    assert separation(ONES, *count_signs(np.ones(6))) == "none"


@pytest.mark.parametrize("unit", [1e-150, 1e-12, 1.0, 1e15, 1e150])
def test_units_decide_nothing(unit):
    scale = np.array([1.0, unit])
    assert separation(ONES * scale, *binary_signs(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))) == "complete"
    assert separation(ONES * scale, *binary_signs(np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0]))) == "none"
    counts = np.array([2.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    group = np.column_stack([np.ones(6), np.repeat([0.0, 1.0], 3)])
    assert separation(group * scale, *count_signs(counts)) == "partial"


def textbook(design, signs, held):
    """Konis' program on all rows: whether Σ sᵢ xᵢ'γ can be positive with 0 ≤ sᵢ xᵢ'γ ≤ 1, and zero where held."""
    rows = signs[~held, None] * design[~held]
    found = optimize.linprog(
        -rows.sum(axis=0),
        A_ub=np.vstack([-rows, rows]),
        b_ub=np.r_[np.zeros(len(rows)), np.ones(len(rows))],
        A_eq=design[held] if np.any(held) else None,
        b_eq=np.zeros(np.sum(held)) if np.any(held) else None,
        bounds=(None, None),
    )
    return -found.fun > 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_few_rows_decide_as_all_of_them(seed):
    """More rows than the first program has, of which a few contradict a plane, or a column is seldom not zero."""
    rng = np.random.default_rng(seed)
    A = np.column_stack([np.ones(4000), rng.normal(size=(4000, 4)), np.r_[np.ones(3), np.zeros(3997)]])
    y = (A @ rng.normal(size=6) > 0).astype(float)
    wrong = rng.choice(4000, seed % 4, replace=False)
    y[wrong] = 1.0 - y[wrong]
    if seed % 3 == 0:
        y[:3] = 1.0
    kind = binary_signs if seed < 8 else count_signs
    signs, held = kind(y)
    assert (separation(A, signs, held) != "none") == textbook(A, signs, held)


def test_a_failed_program_is_never_none(monkeypatch):
    monkeypatch.setattr(optimize, "linprog", lambda *given, **named: SimpleNamespace(status=4, x=None, fun=None))
    y = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    assert separation(ONES, *binary_signs(y)) == "undecided"
    assert plane_separates(X, 2.0 * y - 1.0) is None
    many = np.tile([0.0, 1.0, 2.0, 2.0, 3.0, 4.0], 5)[:, None], np.tile([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 5)
    with pytest.warns(ConvergenceWarning, match="was not decided"):
        model = GLM(family="bernoulli", link="probit").fit(*many)
    assert model.separated_ == "undecided"
    assert not model.certificate_.converged
    assert np.all(np.isfinite(model.predict(many[0])))
    with pytest.raises(UndefinedError, match="was not decided"):
        model.summary()
