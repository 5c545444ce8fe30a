"""Separation of several classes: against the textbook program on all pairs, and never a proof where there is none."""

import numpy as np
import pytest
from scipy import optimize

from credo.infer.glm import LinearDesign
from credo.infer.glm import softmax_existence as module
from credo.infer.glm.softmax import fit_softmax
from credo.infer.glm.softmax_existence import softmax_separation
from credo.models import SoftmaxRegression


def textbook(X, codes, classes):
    """Whether Σ (x'γ_own − x'γ_other) can be positive with each between 0 and 1; and whether with a common margin."""
    ones = np.column_stack([np.ones(len(X)), X])
    rows = []
    for x, own in zip(ones, codes, strict=True):
        for other in set(range(classes)) - {own}:
            row = np.zeros((classes, ones.shape[1]))
            row[own], row[other] = x, -x
            rows.append(row.ravel())
    rows = np.array(rows)
    some = optimize.linprog(
        -rows.sum(axis=0),
        A_ub=np.vstack([-rows, rows]),
        b_ub=np.r_[np.zeros(len(rows)), np.ones(len(rows))],
        bounds=(None, None),
    )
    strict = optimize.linprog(
        np.r_[np.zeros(rows.shape[1]), -1.0],
        A_ub=np.column_stack([-rows, np.ones(len(rows))]),
        b_ub=np.zeros(len(rows)),
        bounds=(-1, 1),
    )
    return "none" if -some.fun < 1e-6 else "complete" if -strict.fun > 1e-6 else "partial"


def drawn(seed):
    """Three classes that overlap, are apart, or of which one is apart from the others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(45, 2))
    codes = rng.integers(0, 3, 45)
    codes[:3] = [0, 1, 2]
    kind = seed % 3
    if kind == 1:
        X = X + 30.0 * np.column_stack([codes == 1, codes == 2])
    if kind == 2:
        X[:, 0] += 30.0 * (codes == 1)
    return X, codes, ("none", "complete", "partial")[kind]


@pytest.mark.parametrize("seed", range(9))
def test_separation_is_that_of_the_textbook(seed):
    X, codes, expected = drawn(seed)
    design = LinearDesign((X - X.mean(axis=0)) / X.std(axis=0), True, np.zeros(45))
    found = softmax_separation(design, codes, np.ones(45), fit_softmax(design, codes, np.ones(45), 3, 0.0))
    assert found == textbook(X, codes, 3) == expected


@pytest.mark.parametrize("seed", range(1, 30, 3))
def test_no_proof_where_there_is_no_maximum(seed):
    X, codes, _ = drawn(seed)
    design, w = LinearDesign((X - X.mean(axis=0)) / X.std(axis=0), True, np.zeros(45)), np.ones(45)
    found = fit_softmax(design, codes, w, 3, 0.0)
    assert not module._maximum_is_proven(design, design.predictors(found.standard_coefficients), w, found)


def test_far_but_finite_needs_no_linear_program(monkeypatch):
    monkeypatch.setattr(module, "direction_exists", None)  # a call would raise
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    eta = X @ rng.normal(size=(2, 4)) * 8.0
    model = SoftmaxRegression().fit(X, np.argmax(eta + rng.gumbel(size=eta.shape), axis=1))
    assert model.separated_ == "none"
    assert model.certificate_.converged
    assert np.ptp(X @ model.coef_.T + model.intercept_) > 40.0
