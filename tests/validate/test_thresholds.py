"""The threshold that maximizes F1, against a search over all of them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as PlainLogistic
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from credo.errors import InputError
from credo.validate.evaluate import evaluate
from credo.validate.thresholds import best_threshold, maximizing_f1, threshold_of


@pytest.mark.parametrize("decimals", [1, 6])
def test_no_other_cut_has_a_larger_f1(decimals):
    rng = np.random.default_rng(0)
    p = np.round(rng.random(200), decimals)
    there = rng.random(200) < p**3
    cut = maximizing_f1(p, there)
    every = [f1_score(there, p >= c) for c in np.unique(p)]
    assert f1_score(there, p >= cut) == pytest.approx(np.max(every))


def test_what_it_promises_is_what_new_rows_give():
    """Counted crosswise, F1 of 60 simulated tables is that of the same threshold on many new rows."""
    rng = np.random.default_rng(0)
    gaps = []
    for _ in range(60):
        p = rng.beta(1.0, 4.0, size=80)
        there = rng.random(80) < p
        found = threshold_of(p, there)
        new = rng.beta(1.0, 4.0, size=4000)
        gaps.append(found.f1 - f1_score(rng.random(4000) < new, new >= found.value))
    assert abs(np.mean(gaps)) < 3.0 * np.std(gaps) / 60**0.5 + 0.01


def test_errors_are_named_and_the_result_prints():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 1))
    rare = X[:, 0] + rng.normal(size=120) > 1.0
    found = best_threshold(evaluate(PlainLogistic(), X, rare, random_state=0))
    assert str(found).startswith("threshold 0.")
    assert 0.0 < found.f1_error < 0.2
    with pytest.raises(InputError, match="SVC"):
        best_threshold(evaluate(LinearSVC(), X, np.digitize(X[:, 0], [-1.0, 1.0]), random_state=0))
    with pytest.raises(InputError, match="no probability of the second"):
        best_threshold(evaluate(LinearSVC(), X, rare, random_state=0))
