"""`learn`: the right model of each kind, honest intervals, and words that say so."""

import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestRegressor

import credo
from credo import learn
from credo.decide import CountSpread, LogSpread
from credo.decide.learning.candidates import BASELINE
from credo.decide.learning.learn import _plan
from credo.errors import InputError
from credo.models import (
    BayesianLinearRegression,
    GPRegressor,
    GradientBoostingRegressor,
    LogisticRegression,
    LogRegressor,
    MeanRegressor,
    PoissonRegression,
)
from quick_learning import learn_quickly

QUICK = {"linear": BayesianLinearRegression(), "boosted trees": GradientBoostingRegressor()}


def lines(n, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    t, lot = rng.uniform(20, 80, n), rng.choice(["a", "b"], n)
    y = 0.5 * t + np.where(lot == "a", 0.0, 5.0) + noise * rng.normal(size=n)
    return pl.DataFrame({"t": t, "lot": lot, "y": y})


def steps(n, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-2, 2, n), rng.uniform(-2, 2, n)
    return pl.DataFrame({"a": a, "b": b, "y": np.sign(a) * np.sign(b) + 0.2 * rng.normal(size=n)})


@pytest.fixture(scope="module")
def learned():
    return credo.learn(lines(60), "y", candidates=QUICK, plan="5-fold")


def test_the_simple_one_where_it_is_as_good(learned):
    assert learned.chosen == "linear"
    assert learned.skill > 0.8
    assert "linear" in str(learned)


def test_the_other_one_where_it_is_better():
    learned = credo.learn(steps(200), "y", candidates=QUICK, plan="5-fold")
    assert learned.chosen == learned.comparison.winner == "boosted trees"
    assert "by more than chance" in str(learned)


def test_what_is_said_is_what_the_evaluation_found(learned):
    own = learned.evaluation.claim("crps", "linear").value
    assert f"{own:.3g}" in str(learned)
    assert learned.skill == pytest.approx(1.0 - own / learned.evaluation.claim("crps", BASELINE).value)


def test_intervals_hold_at_new_rows():
    held = []
    for seed in range(6):
        learned = credo.learn(lines(100, seed), "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
        new = lines(300, 100 + seed)
        low, high = learned.model.predict_interval(new)
        held.append((low <= new["y"].to_numpy()) & (new["y"].to_numpy() <= high))
    assert np.mean(held) == pytest.approx(0.9, abs=0.03)


def test_noise_is_called_noise():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60)})
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()})
    assert "little or nothing" in str(learned)


def test_classes_and_their_sets():
    frame = lines(3100, noise=6.0).with_columns(
        y=pl.when(pl.col("y") > 28).then(pl.lit("high")).otherwise(pl.lit("low"))
    )
    learned = credo.learn(frame[:100], "y", candidates={"linear": LogisticRegression(ridge=1.0)})
    assert learned.question.kind == "class"
    inside = learned.model.predict_set(frame[100:])
    truth = np.searchsorted(learned.model.classes_, frame["y"][100:].to_numpy())
    assert np.mean(inside[np.arange(3000), truth]) == pytest.approx(0.9, abs=0.07)  # from 100 rows: 0.03 is their error


def test_plans_by_the_number_of_rows():
    assert [_plan(rows) for rows in (30, 100, 300, 900, 3000, 20_000)] == [
        *("4x5-fold", "3x5-fold", "2x5-fold", "5-fold", "10-fold", "5-fold")
    ]


def test_it_repeats(learned):
    again = credo.learn(lines(60), "y", candidates=QUICK, plan="5-fold")
    assert str(again) == str(learned)
    np.testing.assert_array_equal(again.model.predict(again.frame), learned.model.predict(learned.frame))


def test_missing_values_are_learnt_around():
    frame = lines(60).with_columns(pl.when(pl.int_range(60) % 7 == 0).then(None).otherwise(pl.col("t")).alias("t"))
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    assert np.all(np.isfinite(learned.model.predict(frame)))


def test_a_file_goes_in_and_a_model_comes_out(tmp_path):
    lines(60).write_csv(tmp_path / "runs.csv")
    learned = credo.learn(tmp_path / "runs.csv", "y", candidates={"linear": BayesianLinearRegression()})
    credo.save(learned.model, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    assert again.table(lines(5, 9)).equals(learned.model.table(lines(5, 9)))


def test_progress_names_the_phases(capsys):
    credo.learn(lines(40), "y", candidates={"linear": BayesianLinearRegression()}, progress=True)
    said = capsys.readouterr().err
    assert all(f"learn: {phase}" in said for phase in ("no columns", "linear", "fitting", "auditing"))


def test_an_unknown_target_is_refused():
    with pytest.raises(InputError, match="no column 'z'"):
        credo.learn(lines(20), "z")


def counts(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pl.DataFrame({"x": x, "lot": rng.choice(["a", "b"], n), "y": rng.poisson(np.exp(0.5 * x))})


@pytest.mark.slow
def test_counts_have_beliefs_about_counts():
    learned = credo.learn(counts(120), "y")
    assert learned.question.kind == "count"
    assert learned.chosen == "counts"
    new = counts(3000, seed=1)
    low, high = learned.model.predict_interval(new)
    assert np.all(low % 1.0 == 0.0)
    held = np.mean((low <= new["y"].to_numpy()) & (new["y"].to_numpy() <= high))
    assert 0.88 < held < 0.99  # an interval of whole numbers holds more than its level


def test_a_model_of_counts_goes_into_a_file(tmp_path):
    learned = learn(counts(60), "y", candidates={"counts": PoissonRegression(ridge=1.0)}, plan="5-fold")
    assert isinstance(learned.model.spread, CountSpread)
    credo.save(learned.model, tmp_path / "m.credo")
    again = credo.load(tmp_path / "m.credo")
    np.testing.assert_array_equal(again.predict_interval(learned.frame), learned.model.predict_interval(learned.frame))


def amounts(n, seed=0):
    """Over three decades, with errors of 40 % each."""
    rng = np.random.default_rng(seed)
    x, lot = rng.uniform(-2.0, 2.0, n), rng.choice(["a", "b"], n)
    return pl.DataFrame({"x": x, "lot": lot, "y": np.exp(1.3 * x + (lot == "a") + 0.4 * rng.normal(size=n))})


LOGARITHMS = {"linear": BayesianLinearRegression(), "of logarithms": LogRegressor()}


def test_amounts_whose_errors_are_factors_have_intervals_of_factors(tmp_path):
    held = []
    for seed in range(5):
        learned = learn(amounts(80, seed), "y", candidates=LOGARITHMS, plan="5-fold", random_state=seed)
        assert learned.chosen == "of logarithms"
        assert isinstance(learned.model.spread, LogSpread)
        new = amounts(2000, 100 + seed)
        low, high = learned.model.predict_interval(new)
        assert np.all(low > 0.0)
        y, small = new["y"].to_numpy(), new["x"].to_numpy() < -1.0  # a tenth of the size, and of the width
        inside = (low <= y) & (y <= high)
        held.append([np.mean(inside), np.mean(inside[small])])
    np.testing.assert_allclose(np.mean(held, axis=0), 0.9, atol=0.05)
    credo.save(learned.model, tmp_path / "m.credo")
    again = credo.load(tmp_path / "m.credo")
    assert again.table(new[:5]).equals(learned.model.table(new[:5]))
    held_low = learned.held_intervals()[1]
    assert np.all(held_low > 0.0)


def test_a_row_far_away_stops_no_model_of_logarithms():
    frame = amounts(40).with_columns(pl.when(pl.int_range(40) == 7).then(9999.0).otherwise(pl.col("x")).alias("x"))
    learned = learn(frame, "y", candidates=LOGARITHMS, plan="5-fold")
    assert np.all(np.isfinite(learned.model.predict_interval(frame)))


def test_of_a_model_and_the_same_of_logarithms_the_better_one_is_compared():
    models = {"linear": BayesianLinearRegression(), "linear of logarithms": LogRegressor(), "GP": MeanRegressor()}
    learned = learn(amounts(60), "y", candidates=models, plan="5-fold")
    assert {name for pair in learned.comparison.pairs for name in (pair.first, pair.second)} == {
        "linear of logarithms",
        "GP",
    }
    assert "better than GP at rows" in str(learned)


@pytest.mark.slow
def test_amounts_as_they_come():
    learned = credo.learn(amounts(150), "y")
    assert "linear of logarithms" in learned.evaluation.results
    assert learned.chosen.endswith("of logarithms")
    assert learned.audit.verdict == "honest"
    assert "intervals, of logarithms" in str(learned)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "target", "names"),
    [(lines(120), "y", ["linear", "Gaussian process", "boosted trees"]), (steps(200), "y", None)],
)
def test_as_it_comes(frame, target, names):
    learned = credo.learn(frame, target)
    assert names is None or list(learned.evaluation.results)[1:] == names
    assert learned.audit.verdict == "honest"


def test_names_that_mean_every_column_mean_one(monkeypatch):
    learn_quickly(monkeypatch)
    names = ["*", "^.*$", "a.b"]
    frame = pl.DataFrame({name: np.random.default_rng(i).normal(size=20) for i, name in enumerate([*names, "y"])})
    learned = credo.learn(frame, "y")
    assert learned.frame.columns == names
    assert learned.model.columns == tuple(names)


@pytest.mark.slow
@pytest.mark.parametrize("times", [2, 3])
def test_copies_of_rows_do_not_narrow_intervals(times):
    """Whoever has learnt from a copy knows the row: held out together they tell what new rows would."""
    rng, held = np.random.default_rng(4), []
    for seed in range(4):
        x = rng.uniform(-3.0, 3.0, 40)
        frame = pl.DataFrame({"x": np.tile(x, times), "y": np.tile(x + 2.0 * rng.normal(size=40), times)})
        learned = learn(frame, "y", candidates={"GP": GPRegressor(n_restarts=0)}, plan="5-fold", random_state=seed)
        assert f"{40 * (times - 1)} rows are copies of others, and left out." in str(learned)
        assert learned.audit.rows == 40
        new = rng.uniform(-3.0, 3.0, 3000)
        low, high = learned.model.predict_interval(pl.DataFrame({"x": new}))
        y = new + 2.0 * rng.normal(size=3000)
        held.append(np.mean((low <= y) & (y <= high)))
    assert np.mean(held) == pytest.approx(0.9, abs=0.06)


@pytest.mark.slow
def test_counts_that_vary_more_than_a_poisson_are_held():
    rng, held = np.random.default_rng(5), []

    def table(n):
        x = rng.normal(size=n)
        return pl.DataFrame({"x": x, "y": rng.poisson(np.exp(1.0 + 0.5 * x) * rng.gamma(2.0, 0.5, n))})

    for seed in range(6):
        learned = learn(table(80), "y", candidates={"counts": PoissonRegression(ridge=1.0)}, random_state=seed)
        new = table(3000)
        low, high = learned.model.predict_interval(new)
        held.append(np.mean((low <= new["y"].to_numpy()) & (new["y"].to_numpy() <= high)))
    assert 0.88 < np.mean(held) < 0.97  # an interval of whole numbers holds more than its level


def test_a_candidate_without_a_belief_is_refused():
    frame = pl.DataFrame({"x": np.arange(20.0) % 9.0, "y": np.arange(20.0) % 7.0 + 0.5})
    with pytest.raises(InputError, match="candidate 'forest', a RandomForestRegressor, has no predict_dist"):
        learn(frame, "y", candidates={"forest": RandomForestRegressor()})


def test_new_rows_are_read_as_the_table_was_written():
    """With a decimal comma in the table, one row with three digits behind it has no thousands."""
    x = np.round(np.random.default_rng(6).uniform(1.0, 9.0, 40), 2)
    frame = pl.DataFrame({"x": [f"{value:.2f}".replace(".", ",") for value in x], "y": 2.0 * x + 0.1 * np.sin(9.0 * x)})
    learned = learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    assert learned.model.predict(pl.DataFrame({"x": ["4,250"]}))[0] == pytest.approx(8.5, abs=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-140, 1e-100, 1e100, 1e140])
@pytest.mark.parametrize("column", ["t", "y"])
def test_units_change_nothing_but_the_unit(column, unit):
    rng = np.random.default_rng(0)
    t = rng.uniform(20.0, 80.0, 60)
    frame = pl.DataFrame({"t": t, "lot": rng.choice(["a", "b"], 60), "y": 0.5 * t + rng.normal(size=60)})
    settings = {"candidates": {"linear": BayesianLinearRegression()}, "plan": "5-fold"}
    plain = learn(frame, "y", **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        moved = learn(frame.with_columns(pl.col(column) * unit), "y", **settings)
    assert moved.question.kind == "number"
    assert moved.skill == pytest.approx(plain.skill, rel=1e-6)
    np.testing.assert_allclose(moved.audit.coverage, plain.audit.coverage)
