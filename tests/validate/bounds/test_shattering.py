"""VC dimensions by search against known ones, and AdaBoost's bound against AdaBoost."""

from itertools import product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from credo.errors import InputError
from credo.validate.bounds import adaboost_training_bound, vc_dimension


def boxes(points):
    """All boxes with sides through a grid around the points."""
    edges = [np.unique(np.concatenate([[-np.inf], points[:, j], [np.inf]])) for j in range(points.shape[1])]
    sides = [[(a, b) for a in e for b in e if a <= b] for e in edges]
    return np.array(
        [
            np.all([(points[:, j] >= a) & (points[:, j] <= b) for j, (a, b) in enumerate(box)], axis=0)
            for box in product(*sides)
        ]
    )


def test_known_dimensions():
    diamond = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [0.1, 0.2]])
    assert vc_dimension(boxes(diamond)) == 4
    assert vc_dimension(boxes(np.arange(5.0)[:, None])) == 2
    assert vc_dimension(np.array(list(product([0, 1], repeat=3)))) == 3
    assert vc_dimension([[1, 0, 1]]) == 0


def test_half_planes_shatter_three_points_and_not_four():
    rng = np.random.default_rng(0)
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.1, 1.2], [0.4, 0.3]])
    planes = rng.normal(size=(20_000, 3))
    assert vc_dimension(planes[:, :2] @ points.T + planes[:, 2:] > 0.0) == 3


def test_nonsense_is_refused():
    for wrong in ([1, 0], [[0.5, 1.0]], np.zeros((0, 3))):
        with pytest.raises(InputError, match="true or false"):
            vc_dimension(wrong)
    with pytest.raises(InputError, match="weighted error"):
        adaboost_training_bound([0.2, 1.4])


def test_adaboost_stays_below_its_bound():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.where(np.sum(X**2, axis=1) + 0.5 * rng.normal(size=150) > 2.5, 1, -1)
    weights, votes, errors, training = np.full(150, 1 / 150), np.zeros(150), [], []
    for _ in range(20):
        said = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weights).predict(X)
        errors.append(weights @ (said != y))
        alpha = 0.5 * np.log((1.0 - errors[-1]) / errors[-1])
        votes += alpha * said
        weights *= np.exp(-alpha * y * said)
        weights /= np.sum(weights)
        training.append(np.mean(np.where(votes > 0, 1, -1) != y))
    bound = adaboost_training_bound(errors)
    assert np.all(np.array(training) <= bound + 1e-12)
    assert bound[-1] < 0.7
