"""Sandwich covariances against the sums written out."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.sandwich import clustered_covariance, robust_covariance

rng = np.random.default_rng(0)
X, e, w = rng.normal(size=(12, 2)), rng.normal(size=12), rng.integers(1, 4, 12)
BREAD = np.linalg.inv(X.T @ (w[:, None] * X))
H = np.einsum("ij,jk,ik->i", X, BREAD, X)


@pytest.mark.parametrize(
    ("kind", "factor"), [("HC0", 1.0), ("HC1", None), ("HC2", 1 / (1 - H)), ("HC3", (1 - H) ** -2)]
)
def test_each_kind_is_the_sum_over_repeated_rows(kind, factor):
    n = w.sum()
    factor = np.full(12, n / (n - 2)) if factor is None else np.broadcast_to(factor, 12)
    meat = sum(factor[i] * e[i] ** 2 * np.outer(X[i], X[i]) for i in np.repeat(np.arange(12), w))
    found = robust_covariance(kind, BREAD, X, e, H, w.astype(float))
    np.testing.assert_allclose(found, BREAD @ meat @ BREAD, rtol=1e-12)


def test_clusters_are_sums_of_scores():
    groups = np.array(list("aabbccddeeff"))
    sums = {g: sum(w[i] * e[i] * X[i] for i in range(12) if groups[i] == g) for g in "abcdef"}
    meat = sum(np.outer(s, s) for s in sums.values())
    found, count = clustered_covariance(groups, BREAD, X, e, w.astype(float))
    n = w.sum()
    assert count == 6
    np.testing.assert_allclose(found, 6 / 5 * (n - 1) / (n - 2) * BREAD @ meat @ BREAD, rtol=1e-12)


def test_what_has_no_answer_is_refused():
    with pytest.raises(InputError, match="kind"):
        robust_covariance("HC9", BREAD, X, e, H, w.astype(float))
    with pytest.raises(InputError, match="row 3 has leverage 1"):
        robust_covariance("HC3", BREAD, X, e, np.where(np.arange(12) == 3, 1.0, H), w.astype(float))
    with pytest.raises(InputError, match="clusters"):
        clustered_covariance(np.zeros(12), BREAD, X, e, w.astype(float))
