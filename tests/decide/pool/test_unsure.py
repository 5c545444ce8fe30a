"""Samplers by a classifier against their formulas."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from credo.decide.pool import EntropySampler, MarginSampler, UncertaintySampler
from credo.errors import InputError


class Told:
    """A classifier that says what it was told to."""

    def __init__(self, probabilities):
        self.probabilities = np.array(probabilities)

    def predict_proba(self, X):
        return self.probabilities


THREE = Told([[0.8, 0.1, 0.1], [0.5, 0.49, 0.01], [0.4, 0.3, 0.3], [0.34, 0.33, 0.33], [1.0, 0.0, 0.0]])
POOL = np.zeros((5, 1))


def test_each_has_its_order():
    assert UncertaintySampler(THREE).ask(POOL, 5).indices.tolist() == [3, 2, 1, 0, 4]
    assert MarginSampler(THREE).ask(POOL, 3).indices.tolist() == [1, 3, 2]
    assert EntropySampler(THREE).ask(POOL, 3).indices.tolist() == [3, 2, 1]
    np.testing.assert_allclose(UncertaintySampler(THREE).ask(POOL, 2).scores, [0.66, 0.6])
    np.testing.assert_allclose(MarginSampler(THREE).ask(POOL, 2).scores, [-0.01, -0.01])
    by_hand = -(0.34 * np.log(0.34) + 0.66 * np.log(0.33))
    assert EntropySampler(THREE).ask(POOL, 1).scores[0] == pytest.approx(by_hand)


def test_they_agree_on_two_classes():
    X = np.random.default_rng(0).normal(size=(50, 2))
    fitted = LogisticRegression().fit(X, X[:, 0] > 0.1)
    orders = [make(fitted).ask(X, 12).indices for make in (UncertaintySampler, MarginSampler, EntropySampler)]
    np.testing.assert_array_equal(orders[0], orders[1])
    np.testing.assert_array_equal(orders[0], orders[2])
    assert UncertaintySampler(fitted).ask(X, 1).how == "least sure of LogisticRegression"


def test_the_classifier_gets_the_frame():
    frame = pd.DataFrame({"color": ["red", "blue", "red", "green"] * 3})
    pipeline = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, [0, 1, 0, 1] * 3)
    assert len(MarginSampler(pipeline).ask(frame, 2)) == 2


@pytest.mark.parametrize("make", [UncertaintySampler, MarginSampler, EntropySampler])
def test_bad_classifiers(make):
    with pytest.raises(InputError, match=f"{make.__name__}: a Perceptron has no predict_proba"):
        make(Perceptron())
    with pytest.raises(InputError, match=r"LogisticRegression is not fitted.*Call fit before ask"):
        make(LogisticRegression()).ask(POOL, 1)
    with pytest.raises(InputError, match=r"gave shape \(5, 3\) for 4 rows"):
        make(THREE).ask(POOL[:4], 1)
    with pytest.raises(InputError, match="not finite"):
        make(Told(np.full((5, 2), np.nan))).ask(POOL, 1)
    with pytest.raises(InputError, match="NaN"):
        make(LogisticRegression().fit([[0.0], [1.0]], [0, 1])).ask([[np.nan]], 1)
