"""Merging of equal points, and padding that a kernel can look at."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.gaussian.observations import measured_before, observations


@pytest.fixture
def repeated():
    """Nine measurements at four points, two of which have measurements of two precisions."""
    X = np.array([[1.0], [0.0], [1.0], [2.0], [1.0], [0.0], [2.0], [3.0], [1.0]])
    y = np.array([1.0, 5.0, 2.0, -1.0, 4.0, 6.0, 0.5, 7.0, 3.0])
    known = np.array([0.0, 0.1, 0.0, 0.0, 0.2, 0.1, 0.3, 0.0, 0.2])
    w = np.array([1.0, 2.0, 3.0, 1.0, 0.0, 1.0, 1.0, 4.0, 1.0])
    return X, y, w, known


def test_points_carry_the_count_mean_and_scatter_of_their_measurements(repeated):
    X, y, w, known = repeated
    data, sites = observations(X, y, w, known)
    n = data.rows
    points = {(float(data.X[i, 0]), float(data.known[i])): i for i in range(n)}
    assert set(points) == {(x, v) for x, v, weight in zip(X[:, 0], known, w, strict=True) if weight > 0}
    for (x, v), i in points.items():
        mine = np.repeat(y, w.astype(int))[np.repeat((X[:, 0] == x) & (known == v), w.astype(int))]
        assert data.weights[i] == len(mine)
        np.testing.assert_allclose(data.y[i], np.mean(mine), rtol=1e-15)
        np.testing.assert_allclose(data.scatter[i], np.sum((mine - np.mean(mine)) ** 2), rtol=1e-14)
    for row, site in enumerate(sites):
        assert site == (points[(X[row, 0], known[row])] if w[row] > 0 else -1)


def test_a_weight_is_so_many_rows_in_any_order_to_the_last_bit(repeated):
    X, y, w, known = repeated
    order = np.random.default_rng(0).permutation(int(w.sum()))
    many = [np.repeat(a, w.astype(int), axis=0)[order] for a in (X, y, known)]
    weighted, expanded = observations(X, y, w, known)[0], observations(many[0], many[1], None, many[2])[0]
    for name in ("X", "weights", "known"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(expanded, name))
    np.testing.assert_allclose(weighted.y, expanded.y, rtol=1e-15)
    np.testing.assert_allclose(weighted.scatter, expanded.scatter, rtol=1e-13)


def test_padding_has_no_weight_and_lies_on_a_real_point(repeated):
    data, _ = observations(*repeated[:3], repeated[3])
    assert data.weights.shape == (16,)
    np.testing.assert_array_equal(data.present, np.arange(16) < data.rows)
    np.testing.assert_array_equal(data.X[data.rows :], np.broadcast_to(data.X[data.rows - 1], (16 - data.rows, 1)))
    for part in (data.y, data.weights, data.scatter, data.known):
        assert not np.any(part[data.rows :])
    longer = data.padded(32)
    assert longer.rows == data.rows
    assert longer.X.shape == (32, 1)


def test_one_row_of_large_weight_has_no_scatter():
    data, _ = observations([[0.3]], [0.1 + 0.2], [7.0])
    assert data.scatter[0] == 0.0
    np.testing.assert_allclose(data.y[0], 0.1 + 0.2, rtol=1e-15)


def test_without_noise_equal_repeats_are_counted_and_contradictions_refused():
    X, y = np.array([[0.0], [1.0], [0.0]]), np.array([2.0, 3.0, 2.0])
    data, sites = observations(X, y, noiseless=True)
    assert data.weights[:2].tolist() == [2.0, 1.0]
    assert data.scatter[:2].tolist() == [0.0, 0.0]
    assert sites.tolist() == [0, 1, 0]
    other = np.array([2.0, 3.0, 2.001])
    with pytest.raises(InputError, match=r"GP: 1 points were measured more than once .* \(first at \[0\.\]\)"):
        observations(X, other, noiseless=True, who="GP")
    # Known noise of the rows is noise.
    assert observations(X, other, None, np.full(3, 0.1), noiseless=True)[0].scatter[0] > 0


def test_points_measured_before_are_found():
    data, _ = observations([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [1.0, 2.0, 3.0], None, [0.0, 0.5, 0.0])
    at = {tuple(point): i for i, point in enumerate(np.asarray(data.X)[: data.rows].tolist())}
    rows = [[4.0, 5.0], [2.0, 3.0], [4.0, 5.1], [0.0, 1.0]]
    again = measured_before(data, rows, [3.0, 9.0, 9.0, 9.0], [0.0, 0.0, 0.0, 0.2])
    # The second was measured with noise, the third never, and the fourth is noisy itself.
    assert again.tolist() == [at[4.0, 5.0], -1, -1, -1]
    with pytest.raises(InputError, match="different results"):
        measured_before(data, rows, [3.1, 9.0, 9.0, 9.0], [0.0, 0.0, 0.0, 0.2])
