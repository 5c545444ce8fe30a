"""Functions that the prediction might be: of a belief where there is one, else refits."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.linear_model import LogisticRegression as PlainLogistic

from credo.errors import InputError
from credo.models import BayesianLinearRegression
from credo.validate.draws import function_draws, point_prediction


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, X @ [1.0, -1.0] + rng.normal(size=60)


def test_draws_of_a_belief_spread_as_it_says(table):
    X, y = table
    model = BayesianLinearRegression().fit(X, y)
    drawn = function_draws(model, X, draws=4000)
    assert drawn.source == "the belief"
    lines = drawn.call(X[:5])
    assert lines.shape == (4000, 5)
    belief = model.posterior(X[:5])
    np.testing.assert_allclose(np.mean(lines, axis=0), belief.mean, atol=0.02)
    np.testing.assert_allclose(np.std(lines, axis=0), belief.std, rtol=0.06)


def test_refits_spread_as_least_squares_does(table):
    X, y = table
    drawn = function_draws(PlainRegression().fit(X, y), X, y, draws=400)
    assert drawn.source == "400 refits to samples of the rows"
    design = np.column_stack([np.ones(60), X])
    residuals = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    covariance = np.linalg.inv(design.T @ design) * (residuals @ residuals) / 57
    wanted = np.sqrt(np.einsum("ni,ij,nj->n", design[:5], covariance, design[:5]))
    np.testing.assert_allclose(np.std(drawn.call(X[:5]), axis=0), wanted, rtol=0.35)


def test_without_targets_and_paths_there_are_none(table):
    X, y = table
    assert function_draws(PlainRegression().fit(X, y), X) is None


def test_a_probability_is_a_number_where_there_are_two_classes(table):
    X, y = table
    two = PlainLogistic().fit(X, y > 0)
    np.testing.assert_array_equal(point_prediction(two, X), two.predict_proba(X)[:, 1])
    with pytest.raises(InputError, match="3 classes"):
        point_prediction(PlainLogistic().fit(X, np.digitize(y, [-1, 1])), X)
