"""Nested cross-validation: the formulas written out, and coverage where independent rows fail."""

import numpy as np
import pytest

from credo.models import LinearRegression
from credo.validate.evaluate import evaluate
from credo.validate.nested import nested_claim
from credo.validate.plans import NestedFolds
from credo.validate.refit import Tally


def test_equals_the_algorithm_step_by_step():
    """Bates, Hastie & Tibshirani (2023), Algorithm 1, with losses made up for every refit."""
    rng = np.random.default_rng(0)
    plan, n = NestedFolds(4, 3, random_state=1), 24
    splits = list(plan.split(np.empty((n, 1))))
    losses = [(held, rng.gamma(2.0, size=len(held)) + (0.5 if len(held) > 6 else 0.0)) for _, held in splits]
    tally = Tally(*np.zeros((5, 2, 1)), losses=losses)
    claim = nested_claim(tally, plan, n)
    a, b, inner, outer, rows = [], [], [], [], np.zeros(n)
    for repeat in range(3):
        part = losses[10 * repeat : 10 * repeat + 10]
        folds, pairs = part[:4], part[4:]
        for k in range(4):
            outer_losses = folds[k][1]
            rows[folds[k][0]] += outer_losses / 3
            inside = []
            for held, values in pairs:
                if set(folds[k][0]) <= set(held):
                    inside += [v for row, v in zip(held, values, strict=True) if row not in set(folds[k][0])]
            a.append((np.mean(inside) - np.mean(outer_losses)) ** 2)
            b.append(np.var(outer_losses, ddof=1) / len(outer_losses))
            inner.append(np.mean(inside))
            outer.append(np.mean(outer_losses))
    naive = np.std(rows, ddof=1) / np.sqrt(n)
    root = np.sqrt(max(0.75 * (np.mean(a) - np.mean(b)), 0.0))
    assert claim.standard_error == pytest.approx(np.clip(root, naive, 2.0 * naive))
    assert claim.value == pytest.approx(np.mean(inner) - 1.5 * (np.mean(inner) - np.mean(outer)))


@pytest.mark.slow
def test_covers_where_independent_rows_do_not():
    """40 rows of 15 columns, the risk of the fit to all rows: 90 % intervals over 300 simulations."""
    rng = np.random.default_rng(0)
    n, d = 40, 15
    held = {"10-fold": [], "10x nested 10-fold": []}
    for _ in range(300):
        X = rng.normal(size=(n, d))
        y = X @ np.ones(d) + rng.normal(size=n)
        fitted = np.linalg.lstsq(np.column_stack([np.ones(n), X]), y, rcond=None)[0]
        truth = 1.0 + np.sum((fitted - np.r_[0.0, np.ones(d)]) ** 2)
        for plan, inside in held.items():
            claim = evaluate(LinearRegression(), X, y, plan=plan, scores="squared", random_state=0).claim("squared")
            low, high = claim.interval(0.9)
            inside.append(low <= truth <= high)
    naive, nested = np.mean(held["10-fold"]), np.mean(held["10x nested 10-fold"])
    assert naive < 0.87
    assert nested > naive + 0.03
    assert nested > 0.84
