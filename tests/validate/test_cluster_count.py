"""The number of clusters: simulated truth, laws of what halves share, and how often it is right."""

import numpy as np
import pytest

from credo.errors import InputError, TooLargeError
from credo.validate.cluster_count import _root_of_covariance, _shared, choose_clusters

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def blobs(seed, centers, rows=30, stretch=(1.0, 1.0)):
    rng = np.random.default_rng(seed)
    return np.concatenate([(center + rng.normal(size=(rows, 2))) * stretch for center in np.atleast_2d(centers)])


def test_four_separated_blobs_are_four():
    found = choose_clusters(blobs(1, 7.0 * SQUARE), random_state=0)
    assert found.count == 4
    assert found.p_value == pytest.approx(0.05)
    assert found.information[3] == pytest.approx(np.log(4.0), abs=0.05)  # all that four clusters can share
    assert str(found).startswith("4 clusters; one cloud has p = 0.05")


def test_one_blob_is_one():
    found = choose_clusters(blobs(2, [0.0, 0.0], rows=100, stretch=(3.0, 1.0)), random_state=0)
    assert found.count == 1
    assert found.p_value > 0.05
    assert found.information[0] == 0.0
    assert str(found).startswith("1 cluster; ")


def test_a_random_split_of_a_cluster_gains_nothing():
    # Two far blobs, and one of them cut at right angles by the two halves: entropy up, agreement down, by as much.
    X = blobs(3, np.array([[0.0, 0.0], [100.0, 0.0]]), rows=50)
    two = np.array([[0.0, 0.0], [100.0, 0.0]])
    across = lambda step: np.array([-step, step, [100.0, 0.0]])  # noqa: E731
    step_1, step_2 = np.array([0.3, 0.0]), np.array([0.0, 0.3])
    whole = _shared(X, two, two)
    assert whole == pytest.approx(np.log(2.0), abs=1e-6)
    cut = _shared(X, across(step_1), across(step_2))
    assert cut == pytest.approx(whole, abs=0.05)
    assert _shared(X, across(step_1), across(step_1)) > whole + 0.2  # while a cut that both make is information


def test_labels_of_the_halves_need_not_match():
    X = blobs(4, 7.0 * SQUARE)
    assert _shared(X, 7.0 * SQUARE, 7.0 * SQUARE[[2, 0, 3, 1]]) == pytest.approx(_shared(X, 7.0 * SQUARE, 7.0 * SQUARE))


@pytest.mark.parametrize("shape", [(50, 3), (3, 5), (10, 1)])
def test_clouds_have_the_covariance_of_the_rows(shape):
    X = np.random.default_rng(5).normal(size=shape) @ np.diag(np.arange(1.0, shape[1] + 1))
    root = _root_of_covariance(X)
    np.testing.assert_allclose(root.T @ root, np.atleast_2d(np.cov(X.T)), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stated", "count", "drawn"),
    [
        (1.00, 4, {"centers": 6.0 * SQUARE}),
        (0.99, 4, {"centers": 4.0 * SQUARE}),
        (0.98, 1, {"centers": [0.0, 0.0], "rows": 120}),
        (0.95, 1, {"centers": [0.0, 0.0], "rows": 120, "stretch": (1.0, 3.0)}),
    ],
)
def test_it_is_right_as_often_as_the_docstring_tells(stated, count, drawn):
    """40 tables that the figures were not taken from: no less often, up to three standard errors of both.

    A cloud is promised to stay whole in 95 % whatever was measured, so that this is the rate that is tested there.
    """
    times = 40
    right = sum(
        choose_clusters(blobs(30_000 + s, **drawn), random_state=30_000 + s).count == count for s in range(times)
    )
    rate = min(stated, 0.97) if count > 1 else 0.95
    error = np.sqrt(rate * (1.0 - rate) * (1.0 / times + 1.0 / 100))
    assert right / times > rate - 3.0 * error


def test_nonsense_is_refused():
    X = blobs(0, 7.0 * SQUARE, 5)
    for bad in (X[:, 0], np.full((9, 2), 1.0), np.full((9, 2), np.nan), np.empty((0, 2))):
        with pytest.raises(InputError, match="X has shape"):
            choose_clusters(bad)
    with pytest.raises(TooLargeError, match="random sample"):
        choose_clusters(np.arange(20_002.0).reshape(-1, 2))
    for counts in ((), (0, 1), (1.5, 2.0), (1, 6)):
        with pytest.raises(InputError, match="counts are"):
            choose_clusters(X, counts)
