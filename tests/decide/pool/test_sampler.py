"""What every sampler takes and refuses, and the rule of ties."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from credo.decide.pool import (
    CoreSetSampler,
    EntropySampler,
    KMeansSampler,
    MarginSampler,
    ProbCover,
    RandomSampler,
    UncertaintySampler,
)
from credo.decide.pool.sampler import Asked, best_first
from credo.errors import InputError

POOL = np.random.default_rng(0).normal(size=(60, 3))
NAMES = ["a", "b", "c"]
FITTED = LogisticRegression().fit(POOL, np.arange(60) % 3)
SAMPLERS = {
    "ProbCover": lambda: ProbCover(random_state=0),
    "RandomSampler": lambda: RandomSampler(random_state=0),
    "CoreSetSampler": lambda: CoreSetSampler(random_state=0),
    "KMeansSampler": lambda: KMeansSampler(random_state=0),
    "UncertaintySampler": lambda: UncertaintySampler(FITTED),
    "MarginSampler": lambda: MarginSampler(FITTED),
    "EntropySampler": lambda: EntropySampler(FITTED),
}
of_each = pytest.mark.parametrize("name", SAMPLERS)


@of_each
def test_picks_are_different_rows_without_a_label(name):
    labelled = np.arange(0, 60, 3)
    picked = SAMPLERS[name]().ask(POOL, 40, labelled)
    assert sorted(picked.indices) == sorted(set(range(60)) - set(labelled.tolist()))
    assert len(picked) == 40
    assert picked.how


@of_each
def test_a_mask_says_the_same_as_row_numbers(name):
    mask = np.zeros(60, dtype=bool)
    mask[[7, 3]] = True
    by_mask, by_number = SAMPLERS[name]().ask(POOL, 9, mask), SAMPLERS[name]().ask(POOL, 9, [7, 3, 7])
    np.testing.assert_array_equal(by_mask.indices, by_number.indices)


@of_each
@pytest.mark.parametrize(
    "kind", [pd.DataFrame, pl.DataFrame, pa.table, "list"], ids=["pandas", "polars", "pyarrow", "list"]
)
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_any_kind_of_table(name, kind):
    columns = dict(zip(NAMES, POOL.T, strict=True))
    pool = POOL.tolist() if kind == "list" else kind(columns)
    np.testing.assert_array_equal(SAMPLERS[name]().ask(pool, 5).indices, SAMPLERS[name]().ask(POOL, 5).indices)


@of_each
@pytest.mark.parametrize(
    ("n", "labelled", "match"),
    [
        (61, None, r"n=61, but 60 of 60 rows have no label\. No row is picked twice\. Ask for at most 60"),
        (1, np.ones(60, dtype=bool), "n=1, but 0 of 60 rows .* nothing left"),
        (0, None, "n=0 is no number of rows"),
        (True, None, "n=True is no number"),
        (2, [60], "labelled has the row 60"),
        (2, [-1], "labelled has the row -1"),
        (2, [0.5], "type float64"),
        (2, [[1]], r"shape \(1, 1\)"),
        (2, np.ones(3, dtype=bool), "a mask of 60 rows"),
    ],
)
def test_questions_that_are_refused(name, n, labelled, match):
    with pytest.raises(InputError, match=f"{name}: .*{match}"):
        SAMPLERS[name]().ask(POOL, n, labelled)


@of_each
def test_an_empty_pool_and_no_pool(name):
    with pytest.raises(InputError, match=f"{name}: the pool is empty"):
        SAMPLERS[name]().ask(POOL[:0], 1)
    with pytest.raises(InputError, match="the pool is a int"):
        SAMPLERS[name]().ask(3, 1)


@pytest.mark.parametrize("name", ["ProbCover", "CoreSetSampler", "KMeansSampler"])
@pytest.mark.parametrize(
    ("pool", "match"),
    [
        (np.where(np.eye(60, 3) > 0, np.nan, POOL), "contains NaN.*Drop or impute"),
        (np.where(np.eye(60, 3) > 0, np.inf, POOL), "infinity"),
        (np.where(np.eye(60, 3) > 0, 1e200, POOL), r"a value of 1e\+200.*overflow"),
        (POOL[:, 0], "1D array"),
        ([["a", "b"]] * 3, "could not convert"),
        (sparse.csr_array(POOL), "Sparse data"),
    ],
    ids=["nan", "infinite", "huge", "one axis", "text", "sparse"],
)
def test_pools_that_are_no_points(name, pool, match):
    with pytest.raises(InputError, match=f"{name}: (?s:.*){match}"):
        SAMPLERS[name]().ask(pool, 2)


@pytest.mark.parametrize("name", ["ProbCover", "RandomSampler", "CoreSetSampler", "KMeansSampler"])
def test_the_same_seed_picks_the_same(name):
    np.testing.assert_array_equal(SAMPLERS[name]().ask(POOL, 7).indices, SAMPLERS[name]().ask(POOL, 7).indices)


def test_equal_scores_go_by_row_number():
    asked = Asked("me", np.zeros((6, 1)), 3, [1])
    assert best_first(np.array([0.0, 9.0, 1.0, 0.0, 1.0, 0.0]), asked).tolist() == [2, 4, 0]
