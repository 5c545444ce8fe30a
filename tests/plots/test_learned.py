"""The picture of what was said before it was seen."""

import numpy as np
import polars as pl
import pytest

import credo
from credo.models import BayesianLinearRegression, LogisticRegression, PoissonRegression


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
    means, low, high = learned.held_intervals()
    np.testing.assert_allclose(
        [[row["said"], row["low"], row["high"]] for row in rows], np.stack([means, low, high], 1)
    )
    assert all((row["low"] <= row["observed"] <= row["high"]) == hit for row, hit in zip(rows, inside, strict=True))
    at = int(np.argmin(np.abs(learned.audit.levels - 0.9)))
    assert spec["title"]["subtitle"] == f"90% intervals held {learned.audit.coverage[at]:.1%} of 100 rows"


def test_counts_have_the_intervals_of_counts():
    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    frame = pl.DataFrame({"x": x, "y": rng.poisson(np.exp(0.5 * x))})
    learned = credo.learn(frame, "y", candidates={"counts": PoissonRegression()}, plan="5-fold")
    _, low, high = learned.held_intervals()
    assert np.all((low >= 0.0) & (low % 1.0 == 0.0) & (high % 1.0 == 0.0))
    assert credo.plot(learned).to_dict()


def test_classes_by_their_reliability(frame):
    named = frame.with_columns(y=pl.when(pl.col("y") > 0).then(pl.lit("up")).otherwise(pl.lit("down")))
    learned = credo.learn(named, "y", candidates={"linear": LogisticRegression(ridge=1.0)}, plan="5-fold")
    assert credo.plot(learned).to_dict()["title"]["text"] == "Reliability"
