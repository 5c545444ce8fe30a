"""The number of clusters: simulated truth in many arrangements, and clouds that have one cluster."""

import numpy as np
import pytest

from credo.errors import InputError, TooLargeError
from credo.validate.cluster_count import _clouds, choose_clusters


def blobs(seed, count, arranged, *, distance=8.0, columns=2, sizes="equal", rows=30):
    """Round clusters of standard deviation one in a row or on a square grid; unequal ones have from half to one and a
    half times the rows."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(count))) if arranged == "grid" else count
    centers = np.zeros((count, columns))
    centers[:, 0], centers[:, 1] = np.arange(count) % side, np.arange(count) // side
    shares = np.linspace(0.5, 1.5, count) if sizes == "unequal" else np.ones(count)
    parts = zip(distance * centers, np.rint(rows * shares).astype(int), strict=True)
    return np.concatenate([center + rng.normal(size=(n, columns)) for center, n in parts])


def cloud(seed, shape, columns, rows=120):
    rng = np.random.default_rng(seed)
    if shape == "uniform":
        return rng.uniform(size=(rows, columns))
    mixed = np.eye(columns) if shape == "round" else rng.normal(size=(columns, columns))
    return rng.normal(size=(rows, columns)) @ mixed


@pytest.mark.parametrize(
    ("count", "arranged", "columns", "sizes"),
    [(2, "row", 2, "equal"), (3, "row", 2, "unequal"), (2, "row", 10, "equal")],
)
def test_separated_clusters_are_counted(count, arranged, columns, sizes):
    found = choose_clusters(blobs(1, count, arranged, columns=columns, sizes=sizes), random_state=0)
    assert found.count == count
    assert found.p_value == pytest.approx(0.02)
    assert np.all(found.p_values[: count - 1] <= 0.02)
    assert found.p_values[count - 1] > 0.02
    assert np.all(np.isnan(found.p_values[count:]))
    assert str(found).startswith(f"{count} clusters; one cloud has p = 0.02")


@pytest.mark.parametrize("distance", [5.0, 12.0, 30.0])
def test_two_clusters_are_two_at_any_distance(distance):
    counts = [choose_clusters(blobs(s, 2, "row", distance=distance), random_state=s).count for s in range(2)]
    assert counts == [2, 2]


def test_one_cloud_is_one():
    found = choose_clusters(cloud(2, "correlated", 2), random_state=0)
    assert found.count == 1
    assert found.p_value > 0.02
    assert found.separation[0] == 0.0
    assert str(found).startswith("1 cluster; ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "arranged", "sizes", "columns", "distance"),
    [
        (2, "row", "equal", 2, 5.0),
        (4, "grid", "equal", 2, 5.0),
        (3, "row", "unequal", 2, 6.0),
        (6, "row", "equal", 2, 5.0),
        (3, "row", "unequal", 2, 30.0),
        (2, "row", "equal", 10, 8.0),
        (4, "grid", "equal", 10, 8.0),
        (5, "row", "unequal", 10, 8.0),
        (6, "grid", "unequal", 10, 8.0),
    ],
)
def test_it_is_right_in_eleven_of_twelve(count, arranged, sizes, columns, distance):
    drawn = {"sizes": sizes, "columns": columns, "distance": distance}
    found = [choose_clusters(blobs(s, count, arranged, **drawn), random_state=s).count for s in range(12)]
    assert found.count(count) >= 11


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "columns"), [("round", 2), ("correlated", 10), ("uniform", 2)])
def test_a_cloud_is_one_in_ninety_five_of_a_hundred(shape, columns):
    right = sum(choose_clusters(cloud(s, shape, columns), random_state=s).count == 1 for s in range(100))
    assert right >= 95


@pytest.mark.parametrize("shape", ["gaussian", "turned box", "box"])
def test_clouds_have_the_covariance_of_the_rows(shape):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 3)) @ np.diag([1.0, 2.0, 3.0])
    X = X if shape == "box" else X @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    drawn = _clouds(X, 20, shape, rng).reshape(-1, 3)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), atol=0.25)


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_units_and_offsets_do_not_matter(unit):
    X = blobs(1, 3, "row")
    plain, moved = (choose_clusters(Z, (1, 2, 3, 4), 0) for Z in (X, unit * (X + 100.0)))
    assert plain.count == moved.count == 3
    np.testing.assert_allclose(plain.separation, moved.separation, rtol=1e-6)


def test_one_is_tried_in_any_case_and_duplicates_are_no_harm():
    assert choose_clusters(cloud(1, "round", 2), (2, 3), 0).count == 1
    pair = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    assert choose_clusters(pair, (1, 2, 3), 0).count == 2


def test_nonsense_is_refused():
    X = blobs(0, 4, "grid", rows=5)
    for bad in (X[:, 0], np.full((9, 2), 1.0), np.full((9, 2), np.nan), np.empty((0, 2))):
        with pytest.raises(InputError, match="X has shape"):
            choose_clusters(bad)
    with pytest.raises(TooLargeError, match="random sample"):
        choose_clusters(np.arange(20_002.0).reshape(-1, 2))
    for counts in ((), (0, 1), (1, 6)):
        with pytest.raises(InputError, match="counts are"):
            choose_clusters(X, counts)
