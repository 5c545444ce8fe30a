"""The picture of what was said before it was seen."""

import numpy as np
import polars as pl
import pytest

import credo
from credo.models import BayesianLinearRegression, LogisticRegression


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    return pl.DataFrame({"x": x, "y": x + rng.normal(size=100)})


def test_numbers_on_the_line_with_their_intervals(frame):
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    spec = credo.plot(learned).to_dict()
    rows = next(iter(spec["datasets"].values())) if "datasets" in spec else spec["layer"][0]["data"]["values"]
    inside = [row["interval"] == "inside" for row in rows]
    assert np.mean(inside) == pytest.approx(0.9, abs=0.05)
    assert all((row["low"] <= row["observed"] <= row["high"]) == hit for row, hit in zip(rows, inside, strict=True))
    assert "100 rows" in spec["title"]["subtitle"]


def test_classes_by_their_reliability(frame):
    named = frame.with_columns(y=pl.when(pl.col("y") > 0).then(pl.lit("up")).otherwise(pl.lit("down")))
    learned = credo.learn(named, "y", candidates={"linear": LogisticRegression(ridge=1.0)}, plan="5-fold")
    assert credo.plot(learned).to_dict()["title"]["text"] == "Reliability"
