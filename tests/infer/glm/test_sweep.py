"""One pass over the rows against sums written out, whole and in blocks on several cores."""

import sys

import numpy as np
import pytest
from scipy import sparse

from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign
from credo.infer.glm.loss import loss_of
from credo.infer.glm.sweep import information_at, row_losses, sweep

rng = np.random.default_rng(0)
X, W, OFFSET = rng.normal(size=(101, 3)), rng.integers(1, 4, 101).astype(float), rng.normal(size=101)
Y = rng.poisson(1.0, size=101).astype(float)
BETA = np.array([0.2, -0.4, 0.1, 0.3])


def problem(rows, ridge):
    return GLMProblem(LinearDesign(rows, True, OFFSET), Y, W, FAMILIES["poisson"], LINKS["log"], ridge)


@pytest.mark.parametrize("kind", ["whole", "blocks", "sparse"])
def test_a_point_is_its_sums_over_rows(kind, monkeypatch):
    module = sys.modules["credo.infer.glm.design"]
    if kind == "blocks":
        monkeypatch.setattr(module, "_BLOCK", 160)
    given = problem(sparse.csr_array(X) if kind == "sparse" else X, ridge=0.7)
    loss = loss_of(given.family, given.link)
    found = sweep(given, loss, BETA)
    design, penalties = np.column_stack([np.ones(101), X]), np.array([0.0, 0.7, 0.7, 0.7])
    eta = design @ BETA + OFFSET
    rows = loss(Y, eta)
    for one, other in zip(row_losses(given, loss, eta), rows, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found.eta, eta, rtol=1e-13)
    np.testing.assert_allclose(found.value, W @ rows.value + 0.5 * penalties @ BETA**2, rtol=1e-13)
    np.testing.assert_allclose(found.gradient, penalties * BETA - design.T @ (W * rows.score), rtol=1e-11)
    expected = design.T @ ((W * rows.curvature)[:, None] * design) + np.diag(penalties)
    np.testing.assert_allclose(information_at(given, found.curvature), expected, rtol=1e-12)
