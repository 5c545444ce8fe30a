"""What was learnt, as an object."""

import numpy as np
import polars as pl

import credo
from credo.models import BayesianLinearRegression


def test_rows_and_targets_are_those_it_was_learnt_from():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"id": range(40), "x": rng.normal(size=40), "y": [None, *rng.normal(size=39)]})
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    assert learned.frame.columns == ["x"]
    assert len(learned.frame) == len(learned.y) == 39
    np.testing.assert_array_equal(learned.y, frame["y"][1:].to_numpy())
    assert learned.score == "crps"
    assert set(learned.seconds) == {"no columns", "linear", "fitting", "auditing"}
