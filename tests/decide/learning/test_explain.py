"""What a model goes by: the columns that matter, and what they do."""

import numpy as np
import polars as pl
import pytest

import credo
from credo.decide import explain
from credo.decide.learning import OnTable
from credo.decide.learning.explain import _effect, _in_words, _without_folds
from credo.models import BayesianLinearRegression, LogisticRegression
from credo.validate import Effect


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    a, b, lot = rng.uniform(0, 10, n), rng.uniform(0, 10, n), rng.choice(["x", "y"], n)
    return pl.DataFrame({"a": a, "b": b, "lot": lot, "y": 2.0 * a + 5.0 * (lot == "x") + rng.normal(size=n)})


@pytest.fixture(scope="module")
def learned():
    return credo.learn(rows(120), "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")


def test_what_matters_comes_out(learned):
    found = explain(learned)
    by_name = dict(zip(found.importance.names, found.importance.increase, strict=True))
    assert by_name["a"] > by_name["lot"] > by_name["b"]
    assert [effect.column for effect in found.effects] == ["a"]
    assert "a: from" in str(found)


def test_the_effect_is_the_slope_and_its_band_holds_it(learned):
    effect = explain(learned).effects[0]
    slopes = np.diff(effect.effect) / np.diff(effect.points)
    np.testing.assert_allclose(slopes, 2.0, atol=0.1)
    assert np.all((effect.low < effect.effect) & (effect.effect < effect.high))


@pytest.mark.slow
def test_bands_hold_the_mean_response_as_often_as_they_say():
    """The mean of y with a set to a value is 2a + 5 times the share of lot x: bands of 90 % hold it."""
    held = []
    for seed in range(300):
        frame = rows(80, seed)
        X, y = frame.drop("y"), frame["y"].to_numpy()
        model = OnTable(estimator=BayesianLinearRegression()).fit(X, y)
        effect = _effect(model, _without_folds(model, X, y, seed), X, "a")
        truth = 2.0 * effect.points + 5.0 * np.mean(frame["lot"].to_numpy() == "x")
        held.append(np.mean((effect.low <= truth) & (truth <= effect.high)))
    assert np.mean(held) == pytest.approx(0.9, abs=3.0 * np.std(held) / np.sqrt(300))


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        ([0.0, 1.0, 3.0], "and rises"),
        ([3.0, 1.0, 0.0], "and falls"),
        ([11.0, 0.0, 14.0], "is lowest at 1 with 0, highest at 2 with 14"),
    ],
)
def test_shapes_are_said_as_they_are(effect, words):
    points = np.arange(3.0)
    said = Effect("a", "partial dependence", points, np.array(effect), None, None, 0.9, "")
    assert _in_words(said).endswith(words)


def test_classes_of_two_have_effects_of_a_probability():
    frame = rows(150).with_columns(y=pl.when(pl.col("y") > 12).then(pl.lit("high")).otherwise(pl.lit("low")))
    learned = credo.learn(frame, "y", candidates={"linear": LogisticRegression(ridge=1.0)}, plan="5-fold")
    effect = explain(learned).effects[0]
    assert effect.effect[0] > 0.9  # of low, where a is small
    assert effect.effect[-1] < 0.1
