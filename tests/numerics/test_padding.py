"""Padding is weight zero; merging makes weights and repetitions the same input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from credo.errors import InputError
from credo.numerics import bucket, filled, merge_rows, pad, trim


def test_buckets_hold_their_rows_and_waste_no_more_than_promised():
    sizes = np.array([bucket(n) for n in range(1, 20_000)])
    n = np.arange(1, 20_000)
    assert np.all(sizes >= n)
    assert np.all(np.diff(sizes) >= 0)
    distinct = np.unique(sizes)
    assert set(distinct[distinct <= 128]) == {16, 32, 64, 128}
    ratio = distinct[1:] / distinct[:-1]
    low = distinct[:-1]
    assert np.all(ratio[(low >= 128) & (low < 1000)] <= 1.25)
    assert np.all(ratio[low >= 1000] <= 1.125)
    assert np.all([bucket(int(size)) == size for size in distinct])


def test_bucket_refuses_an_empty_table():
    with pytest.raises(InputError, match="0 rows"):
        bucket(0)


def test_pad_keeps_weighted_sums_and_trim_undoes_it():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(37, 3)), rng.normal(size=37), rng.uniform(size=37)
    padded_X, padded_y, padded_w = pad(X, y, weights=w)
    assert padded_X.shape == (64, 3)
    np.testing.assert_allclose(padded_X.T * padded_w @ padded_y, X.T * w @ y, rtol=1e-14)
    for back, given_ in zip(trim(37, padded_X, padded_y, padded_w), (X, y, w), strict=True):
        np.testing.assert_array_equal(back, given_)


def test_pad_defaults_to_weights_of_one_and_takes_a_length():
    codes, w = pad(np.arange(5), rows=7)
    assert codes.dtype.kind == "i"
    assert w.tolist() == [1, 1, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: pad(np.ones(3), np.ones(4)),
        lambda: pad(np.ones((0, 2))),
        lambda: pad(np.ones(3), weights=np.ones(4)),
        lambda: pad(np.ones(30), rows=7),
        lambda: trim(5, np.ones(3)),
        lambda: merge_rows(np.ones(3), weights=np.zeros(3)),
        lambda: merge_rows(np.ones(3), weights=np.array([1.0, -1.0, 1.0])),
        lambda: merge_rows(np.ones(3), weights=np.array([1.0, np.nan, 1.0])),
        lambda: merge_rows(np.array(["a", "b"])),
        lambda: merge_rows(),
    ],
)
def test_bad_shapes_and_weights_are_refused(call):
    with pytest.raises(InputError):
        call()


few = st.integers(-2, 2)
rows = st.lists(st.tuples(few, few, few, st.integers(0, 3)), min_size=1, max_size=30).filter(
    lambda table: any(row[3] for row in table)
)


@given(rows, st.randoms(use_true_random=False))
def test_repetition_weights_and_order_are_the_same_input_to_the_last_bit(table, random):
    weighted = np.array(table, dtype=float)
    repeated = np.repeat(weighted, weighted[:, 3].astype(int), axis=0)
    random.shuffle(table)
    shuffled = np.array(table, dtype=float)
    merged = [
        merge_rows(weighted[:, :2], weighted[:, 2], weights=weighted[:, 3]),
        merge_rows(repeated[:, :2], repeated[:, 2]),
        merge_rows(shuffled[:, :2], shuffled[:, 2], weights=shuffled[:, 3]),
    ]
    counts = {}
    for a, b, y, w in weighted.tolist():
        if w:
            counts[a, b, y] = counts.get((a, b, y), 0) + w
    for (X, y), w, _ in merged:
        assert dict(zip(zip(*X.T.tolist(), y.tolist(), strict=True), w.tolist(), strict=True)) == counts
        assert [(*x, t) for x, t in zip(X.tolist(), y.tolist(), strict=True)] == sorted(counts)
        assert X.tobytes() == merged[0].arrays[0].tobytes()


def test_inverse_says_where_each_row_went():
    X = np.array([[1.0], [0.0], [1.0], [5.0]])
    (distinct,), w, inverse = merge_rows(X, weights=np.array([1.0, 2.0, 3.0, 0.0]))
    assert inverse.tolist() == [1, 0, 1, -1]
    np.testing.assert_array_equal(distinct[inverse[:3]], X[:3])
    assert w.tolist() == [2.0, 4.0]


def test_sums_of_fractional_weights_do_not_depend_on_the_order_and_zeros_have_no_sign():
    w = np.array([0.1, 0.2, 0.3, 1e-17, 0.7])
    X = np.array([[0.0], [-0.0], [0.0], [0.0], [-0.0]])
    results = [merge_rows(X[order], weights=w[order]) for order in (np.arange(5), np.array([4, 2, 0, 3, 1]))]
    assert results[0].weights.tobytes() == results[1].weights.tobytes()
    assert results[0].arrays[0].tobytes() == results[1].arrays[0].tobytes() == np.zeros((1, 1)).tobytes()


def test_missing_values_are_equal_to_each_other():
    (X,), w, _ = merge_rows(np.array([[np.nan], [1.0], [np.nan]]))
    assert w.tolist() == [1.0, 2.0]
    assert np.isnan(X[1, 0])


def test_sparse_rows_are_filled_as_dense_ones():
    X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    filled_up = filled(sparse.csr_array(X))
    assert sparse.issparse(filled_up)
    np.testing.assert_array_equal(filled_up.toarray(), filled(X))


def test_rows_that_leading_columns_do_not_tell_apart_are_ordered_by_the_others(monkeypatch):
    """The order of all columns, whether or not the first few were enough; a sort by thousands of them took seconds."""
    sorted_columns = []
    true = np.lexsort
    monkeypatch.setattr(np, "lexsort", lambda keys: sorted_columns.append(len(keys)) or true(keys))
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(30, 400))
    alike = np.column_stack([np.ones((30, 20)), rng.integers(0, 3, size=(30, 2)).astype(float)])
    for rows in (wide, alike):
        (merged,), weights, inverse = merge_rows(rows)
        expected, counts = np.unique(rows, axis=0, return_counts=True)
        np.testing.assert_array_equal(merged, expected)
        np.testing.assert_array_equal(weights, counts)
        np.testing.assert_array_equal(merged[inverse], rows)
    assert sorted_columns[0] < 20
