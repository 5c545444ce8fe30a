"""Estimators on tables of any columns."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor

import credo
from credo.decide.learning import OnTable
from credo.models import BayesianLinearRegression, LogisticRegression
from credo.represent import TableEncoder


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "t": [
                None if gone else value for gone, value in zip(rng.random(60) < 0.1, rng.normal(size=60), strict=True)
            ],
            "lot": rng.choice(["a", "b", "c"], 60),
            "when": [f"2024-{1 + i % 12:02d}-01" for i in range(60)],
        }
    )
    return frame, rng.normal(size=60) + (frame["lot"] == "a").to_numpy()


def test_it_is_the_estimator_on_encoded_rows(rows):
    frame, y = rows
    model = OnTable(estimator=BayesianLinearRegression()).fit(frame, y)
    encoder = TableEncoder().fit(frame)
    alone = BayesianLinearRegression().fit(encoder.transform(frame), y)
    np.testing.assert_array_equal(model.predict(frame), alone.predict(encoder.transform(frame)))


def test_it_is_of_the_kind_of_its_estimator(rows):
    frame, y = rows
    assert is_regressor(OnTable(estimator=BayesianLinearRegression()))
    model = OnTable(estimator=LogisticRegression(ridge=1.0))
    assert is_classifier(model)
    assert clone(model).fit(frame, np.where(y > 0, "up", "down")).classes_.tolist() == ["down", "up"]


def test_evaluate_and_audit_take_it(rows):
    frame, y = rows
    evaluation = credo.evaluate(OnTable(estimator=BayesianLinearRegression()), frame, y, random_state=0)
    assert np.isfinite(evaluation.claim("crps").value)


def test_save_and_load(rows, tmp_path):
    frame, y = rows
    model = OnTable(estimator=BayesianLinearRegression(), scales={"lot": "nominal"}).fit(frame, y)
    credo.save(model, tmp_path / "model.credo")
    np.testing.assert_array_equal(credo.load(tmp_path / "model.credo").predict(frame), model.predict(frame))
