"""An evaluation prints as a table, is a frame, and has what comparisons need."""

import numpy as np
import polars as pl
import pytest

from credo.errors import InputError
from credo.models import LinearRegression, Ridge
from credo.validate.evaluate import evaluate


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=50)
    return evaluate([LinearRegression(), Ridge(alpha=1.0)], X, y, plan="2x5-fold", random_state=0)


def test_prints_as_a_table(evaluation):
    lines = str(evaluation).splitlines()
    assert lines[0] == "Evaluation by 2x5-fold of 50 rows"
    assert lines[2].split() == ["estimator", "score", "estimate", "value", "std", "error", "2.5", "%", "97.5", "%"]
    assert len({len(line) for line in lines[2:11]}) == 1
    assert "mostly too small" in lines[-1]


def test_is_a_frame(evaluation):
    frame = evaluation.to_polars(level=0.5)
    assert isinstance(frame, pl.DataFrame)
    assert frame.shape == (8, 7)
    row = frame.row(0, named=True)
    claim = evaluation.claim("squared", "LinearRegression")
    assert row["value"] == claim.value
    assert (row["low"], row["high"]) == claim.interval(0.5)


def test_losses_and_refits_average_to_the_claim(evaluation):
    result = evaluation["Ridge"]
    claim = evaluation.claim("squared", "Ridge")
    assert np.mean(result.losses("squared")) == pytest.approx(claim.value)
    assert np.mean(result.by_refit("squared")) == pytest.approx(claim.value)
    assert result.by_refit("squared").shape == (10,)
    assert result.held.there.all()


def test_rows_that_were_not_held_out_have_no_loss():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 1)), rng.normal(size=40)
    result = evaluate(Ridge(alpha=1.0), X, y, plan="hold-out", random_state=0)["Ridge"]
    assert np.sum(np.isfinite(result.losses("squared"))) == 10


@pytest.mark.parametrize(("score", "name"), [("squared", None), ("log10", "Ridge"), ("squared", "Rigde")])
def test_what_is_not_there_is_named(evaluation, score, name):
    with pytest.raises(InputError, match=r"Ridge|name=|squared"):
        evaluation.claim(score, name)
