"""Products with an intercept and an offset against those with a column of ones; sparse against dense."""

import numpy as np
import pytest
from scipy import sparse

from credo.infer.glm import design as module
from credo.infer.glm.design import LinearDesign, weighted_gram

rng = np.random.default_rng(0)
X, OFFSET, W, R = rng.normal(size=(40, 3)), rng.normal(size=40), rng.uniform(size=40), rng.normal(size=(40, 2))
ONES = np.column_stack([np.ones(40), X])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_products(kind, intercept):
    design, full = LinearDesign(kind(X), intercept, OFFSET), ONES if intercept else X
    beta = rng.normal(size=(full.shape[1], 2))
    assert design.columns == full.shape[1]
    np.testing.assert_allclose(np.concatenate(list(design.dense_parts())), full)
    np.testing.assert_allclose(sparse.csr_array(design.whole()).toarray(), full)
    np.testing.assert_allclose(design.predictor(beta[:, 0]), OFFSET + full @ beta[:, 0])
    np.testing.assert_allclose(design.predictors(beta), OFFSET[:, None] + full @ beta)
    np.testing.assert_allclose(design.against(R[:, 0]), full.T @ R[:, 0])
    np.testing.assert_allclose(design.against_all(R), full.T @ R)
    np.testing.assert_allclose(design.gram(W), full.T @ (W[:, None] * full))
    np.testing.assert_allclose(np.concatenate(list(design.rows(np.array([3, 5])).dense_parts())), full[[3, 5]])
    matrix = rng.normal(size=(full.shape[1], full.shape[1]))
    np.testing.assert_allclose(design.forms(matrix), np.einsum("ni,ij,nj->n", full, matrix, full))


def test_blocks_of_rows_add_up(monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 20)
    np.testing.assert_allclose(weighted_gram(X, W), X.T @ (W[:, None] * X), rtol=1e-13)
    thin = LinearDesign(sparse.csr_array(X), True, OFFSET)
    assert len(list(thin.dense_parts())) == 8
    np.testing.assert_allclose(np.concatenate(list(thin.dense_parts())), ONES)
