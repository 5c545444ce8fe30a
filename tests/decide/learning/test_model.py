"""What was learnt, asked about new rows."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import credo
from credo.decide.learning import OnTable, Spread, Surroundings, TableModel
from credo.errors import InputError
from credo.models import BayesianLinearRegression, LogisticRegression
from credo.represent import Table


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"t": rng.normal(size=80), "lot": rng.choice(["a", "b"], 80)})
    return frame, 2.0 * frame["t"].to_numpy() + (frame["lot"] == "a").to_numpy() + 0.3 * rng.normal(size=80)


@pytest.fixture(scope="module")
def numbers(rows):
    frame, y = rows
    model = OnTable(estimator=BayesianLinearRegression()).fit(frame, y)
    around = Surroundings(model.encoder_.transform(frame), 1.0)
    return TableModel("y", "number", model, Spread(8.0, 1.2), None, around, ("learnt",))


@pytest.fixture(scope="module")
def classes(rows):
    frame, y = rows
    model = OnTable(estimator=LogisticRegression(ridge=1.0)).fit(frame, np.where(y > 0.5, "up", "down"))
    around = Surroundings(model.encoder_.transform(frame), 1.0)
    return TableModel("y", "class", model, None, np.linspace(0.1, 0.99, 99), around, ("learnt",))


def test_the_spread_is_in_intervals_and_not_in_means(numbers, rows):
    frame, _ = rows
    plain = numbers.model.predict_dist(frame)
    np.testing.assert_allclose(numbers.predict(frame), plain.mean)
    np.testing.assert_allclose(numbers.predict_dist(frame).std, 1.2 * plain.std)
    low, high = numbers.predict_interval(frame)
    assert np.all(low < high)


def test_the_table_of_numbers(numbers):
    said = numbers.table(pl.DataFrame({"lot": ["a", "b"], "t": [0.0, 50.0]}))
    assert said.columns[:3] == ["y", "low", "high"]
    np.testing.assert_allclose(said["share of noise"] + said["share to learn"], 1.0)
    assert said["far from the data"].to_list() == [False, True]


def test_what_no_row_had_the_like_of_is_far(numbers):
    """A gap where there was none and a lot that is new are made something of, and say so."""
    new = pl.DataFrame({"lot": ["a", "c", "a"], "t": [0.0, 0.0, None]})
    assert numbers.far(new).tolist() == [False, True, True]
    assert numbers.table(new)["far from the data"].to_list() == [False, True, True]


def test_the_table_of_classes(classes):
    said = classes.table(pl.DataFrame({"lot": ["a", "b"], "t": [3.0, -3.0]}))
    assert said["y"].to_list() == ["up", "down"]
    assert said["one of"].to_list() == ["up", "down"]


def test_sets_hold_what_they_say(classes):
    """With own probabilities from 0.01 to 0.99, the least of 90 % is the tenth of ninety-nine."""
    model = replace(classes, own_probabilities=np.arange(1, 100) / 100.0)
    assert model._least(0.9) == pytest.approx(0.10)
    assert model._least(0.999) == 0.0


def test_other_columns_are_named(numbers):
    with pytest.raises(InputError, match="no column 't'"):
        numbers.predict(pl.DataFrame({"lot": ["a"]}))
    with pytest.raises(InputError, match="Sets are of classes"):
        numbers.predict_set(pl.DataFrame({"lot": ["a"], "t": [1.0]}))


def test_tables_and_frames_of_other_libraries_go_in(numbers, rows):
    frame, _ = rows
    expected = numbers.predict(frame)
    np.testing.assert_array_equal(numbers.predict(frame.to_pandas()), expected)
    np.testing.assert_array_equal(numbers.predict(Table.from_frame(frame)), expected)


def test_it_can_be_audited(numbers, rows):
    frame, y = rows
    assert credo.audit(numbers, frame, y, fitted=True).rows == 80


@pytest.mark.parametrize("which", ["numbers", "classes"])
def test_save_and_load(which, rows, tmp_path, request):
    frame, _ = rows
    model = request.getfixturevalue(which)
    credo.save(model, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    assert again.table(frame).equals(model.table(frame))
    assert str(again) == "learnt"


@pytest.mark.parametrize("target", ["low", "high", "standard deviation", "far from the data", "share of noise"])
def test_a_target_may_have_the_name_of_what_is_said_of_it(numbers, rows, target):
    frame, _ = rows
    said, plain = replace(numbers, target=target).table(frame), numbers.table(frame)
    assert said[target].to_list() == plain["y"].to_list()
    assert said[f"{target} of the belief"].to_list() == plain[target].to_list()
    assert said.width == plain.width


def test_outcomes_are_the_rows_whose_result_is_known(numbers, classes):
    frame = pl.DataFrame({"lot": ["a", "b", "a"], "t": [0.0, 1.0, 2.0], "y": ["1.5", None, "-2"]})
    for given in (frame, frame.to_pandas(), Table.from_frame(frame)):
        known, y = numbers.outcomes(given)
        assert known["t"].to_list() == [0.0, 2.0]
        np.testing.assert_array_equal(y, [1.5, -2.0])
    known, labels = classes.outcomes(frame.with_columns(y=pl.Series(["up", "", "down"])))
    assert (known["t"].to_list(), labels) == ([0.0, 2.0], ["up", "down"])
    _, labels = classes.outcomes(frame.with_columns(y=pl.Series([1, 2, None])))
    assert labels == ["1", "2"]


def test_outcomes_need_their_column(numbers):
    with pytest.raises(InputError, match=r"no column 'y'.*An audit needs what came out"):
        numbers.outcomes(pl.DataFrame({"lot": ["a"], "t": [0.0]}))


def test_an_audit_takes_them(numbers, rows):
    frame, y = rows
    found = credo.audit(numbers, *numbers.outcomes(frame.with_columns(y=pl.Series(y))), fitted=True)
    assert found.rows == len(frame)
