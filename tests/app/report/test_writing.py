"""The model and the report as files."""

import numpy as np
import polars as pl
import pytest

import credo
from credo.app.report import write_report
from credo.models import BayesianLinearRegression


@pytest.mark.parametrize("direction", [None, "maximize"])
def test_both_files_are_written_and_the_phases_told(direction, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    frame = pl.DataFrame({"x": x, "y": x + 0.3 * rng.normal(size=40)})
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    phases = []
    written = write_report(learned, tmp_path, phases.append, direction=direction, command="credo learn x.csv")
    more = ["what to measure next"] if direction else []
    assert phases == ["what it goes by", *more, "writing"]
    np.testing.assert_array_equal(credo.load(written.model).predict(frame), learned.model.predict(frame))
    text = written.report.read_text()
    assert "credo learn x.csv" in text
    assert ("What to measure next" in text) == (direction is not None)


def test_where_nothing_can_be_suggested_the_rest_is_written(tmp_path):
    """Every row with a result has a gap: a model learns from it, a study of what to choose does not."""
    rng = np.random.default_rng(1)
    x, other = rng.normal(size=40), np.where(np.arange(40) % 2, 1.5, 2.5)
    gaps = [None if i % 2 else value for i, value in enumerate(other)]
    frame = pl.DataFrame({"x": [value if i % 2 else None for i, value in enumerate(x)], "z": gaps, "y": x})
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    written = write_report(learned, tmp_path, lambda phase: None, direction="maximize")
    assert "Nothing can be suggested" in written.report.read_text()
    assert credo.load(written.model).target == "y"
