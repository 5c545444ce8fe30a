"""The learning curve of least squares has a closed form."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as PlainRegression

from credo.errors import InputError
from credo.models import LinearRegression
from credo.validate.curve import learning_curve


def data(rng, n=120, d=4):
    X = rng.normal(size=(n, d))
    return X, X.sum(axis=1) + rng.normal(size=n)


def test_is_the_expected_risk_of_least_squares():
    """1 + (d + 1)/(m − d − 2), nearly: exact for the slopes with normal columns. 30 tables."""
    rng = np.random.default_rng(0)
    found = [learning_curve(LinearRegression(), *data(rng), sizes=[15, 30, 90], score="squared") for _ in range(30)]
    risk = np.stack([each.risk for each in found])
    m = np.array([15, 30, 90])
    wanted = (1.0 + 1.0 / m) * (1.0 + 4.0 / (m - 4 - 2))  # Stein: mean squared error with normal columns
    np.testing.assert_allclose(np.mean(risk, axis=0), wanted, rtol=0.12)
    error = np.mean([each.standard_error for each in found], axis=0)
    assert np.all(error > 0.5 * np.std(risk, axis=0))
    assert np.all(error < 3.0 * np.std(risk, axis=0))


def test_weights_and_rows_are_the_same():
    X, y = data(np.random.default_rng(0))
    ours = learning_curve(LinearRegression(), X, y, score="squared", repeats=3)
    theirs = learning_curve(PlainRegression(), X, y, score="squared", repeats=3)
    np.testing.assert_allclose(ours.risk, theirs.risk, rtol=1e-8)
    assert ours.rows[-1] == 90
    assert len(str(ours).splitlines()) == len(ours.rows) + 1


@pytest.mark.parametrize(
    ("options", "what"), [({"sizes": [91]}, "leaves 90"), ({"repeats": 1}, "repeats=1"), ({"sizes": []}, "sizes")]
)
def test_bad_questions_are_refused(options, what):
    with pytest.raises(InputError, match=what):
        learning_curve(LinearRegression(), *data(np.random.default_rng(0)), **options)
