"""Gram matrices of many weightings against one after the other, at any size."""

import numpy as np
import pytest

from credo.infer import replicates
from credo.infer.replicates import paired_rows, replicate_blocks, standard_units

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("columns", [1, 5, 70])
def test_gram_matrices_are_those_of_each_weighting(columns):
    rows, W = RNG.normal(size=(1500, columns)), RNG.uniform(size=(3, 1500))
    expected = np.einsum("bn,ni,nj->bij", W, rows, rows)
    np.testing.assert_allclose(paired_rows(rows).all_grams(W), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("columns", [1, 5, 70])
def test_forms_are_those_of_each_matrix(columns):
    rows, roots = RNG.normal(size=(1500, columns)), RNG.normal(size=(3, columns, columns))
    matrices = roots @ np.swapaxes(roots, 1, 2)
    found = np.concatenate([paired_rows(rows).forms(matrices, tile) for tile in paired_rows(rows).tiles], axis=1)
    np.testing.assert_allclose(found, np.einsum("ni,bij,nj->bn", rows, matrices, rows), rtol=1e-10)


def test_products_that_are_not_kept_give_the_same(monkeypatch):
    rows, W = RNG.normal(size=(1500, 4)), RNG.uniform(size=(3, 1500))
    kept = paired_rows(rows)
    monkeypatch.setattr(replicates, "_KEPT", 0)
    anew = paired_rows(rows)
    assert kept.products is not None
    assert anew.products is None
    np.testing.assert_allclose(anew.all_grams(W), kept.all_grams(W), rtol=1e-14)


@pytest.mark.parametrize("count", [1, 128, 129, 1000])
def test_blocks_hold_every_replicate_once_and_are_small(count):
    blocks = replicate_blocks(count)
    assert [i for block in blocks for i in range(count)[block]] == list(range(count))
    assert max(block.stop - block.start for block in blocks) <= 128


def test_standard_units():
    X, w = RNG.normal(size=(50, 2)) * [3.0, 1e-4] + [1e3, 2.0], RNG.uniform(size=50)
    units = standard_units(X, w, centered=True)
    z = units.of(X)
    np.testing.assert_allclose(w @ z, 0.0, atol=1e-10)
    np.testing.assert_allclose(w @ z**2, np.sum(w), rtol=1e-12)
    assert standard_units(np.full((4, 1), 1e6), np.ones(4), centered=True).scale[0] == 1.0
    assert standard_units(X, w, centered=False).center.tolist() == [0.0, 0.0]
