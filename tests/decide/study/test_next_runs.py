"""The next runs, as a table that can be filled in and asked again."""

import numpy as np
import polars as pl
import pytest

from credo.decide import next_runs, open_study, study_from_table
from credo.errors import InputError
from credo.represent import Space
from credo.represent.space import Real

PAST = pl.DataFrame(
    {
        "t": [20.0, 35.0, 50.0, 65.0, 80.0, 27.0],
        "solvent": ["water", "ethanol"] * 3,
        "yield": [1.0, 4.0, 6.0, 5.0, 2.0, 2.5],
    }
)


def test_a_table_of_runs_with_an_empty_result():
    runs = next_runs(PAST, "yield", direction="maximize", n=2)
    assert runs.frame.columns == PAST.columns
    assert runs.frame["yield"].is_null().all()
    assert set(runs.frame["solvent"]) <= {"water", "ethanol"}
    assert len(runs.trials) == 2
    assert "t" in str(runs)


def test_what_is_under_way_is_not_suggested_again_and_changes_what_is():
    first = next_runs(PAST, "yield", direction="maximize", n=1)
    asked = pl.concat([PAST, first.frame], how="diagonal_relaxed")
    second = next_runs(asked, "yield", direction="maximize", n=1)
    assert second.trials[0].params != first.trials[0].params
    both = next_runs(PAST, "yield", direction="maximize", n=2)
    assert both.trials[0].params == first.trials[0].params


@pytest.mark.parametrize(("noise", "least"), [(0.0, 0.0099), (2.0, 0.03), (6.0, 0.02)])
def test_three_runs_at_once_are_three_settings(noise, least):
    """Of thirty runs with a standard deviation of 9 beside the noise; shares of the range of what is chosen."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        t, feed = 20.0 + 60.0 * rng.random(30), 5.0 * rng.random(30)
        made = 60.0 - 120.0 * (t / 60.0 - 0.8) ** 2 - 1.2 * (feed - 2.0) ** 2 + noise * rng.normal(size=30)
        runs = next_runs(pl.DataFrame({"t": t, "feed": feed, "yield": made}), "yield", direction="maximize")
        rows = runs.study.space.encode([trial.params for trial in runs.trials])
        distances = np.max(np.abs(rows[:, None] - rows), axis=2)[np.triu_indices(3, 1)]
        assert np.min(distances) > least
        assert [runs.study.replay(trial.number) for trial in runs.trials] == [trial.params for trial in runs.trials]


def test_it_repeats():
    one, same = (next_runs(PAST, "yield", n=2) for _ in range(2))
    assert [trial.params for trial in one.trials] == [trial.params for trial in same.trials]


def test_files_go_in(tmp_path):
    PAST.write_csv(tmp_path / "runs.csv")
    assert next_runs(tmp_path / "runs.csv", "yield", n=1).frame.columns == PAST.columns


def test_the_space_may_be_given():
    space = Space.from_frame(PAST, ["yield"])
    assert next_runs(PAST, "yield", n=1, space=space).study.space is space


def test_rows_with_a_gap_in_what_is_chosen_are_left_out_and_said():
    holes = PAST.with_columns(t=pl.Series([20.0, None, 50.0, 65.0, 80.0, float("nan")]), note=pl.lit(None))
    runs = next_runs(holes, "yield", direction="maximize", n=1)
    assert runs.notes == ("2 rows have no value of 't', and were left out",)
    whole = PAST[[0, 2, 3, 4]].with_columns(note=pl.lit(None))
    assert runs.trials[0].params == next_runs(whole, "yield", direction="maximize", n=1).trials[0].params
    waiting = pl.concat([PAST, PAST[:1].with_columns(solvent=None, **{"yield": None})], how="vertical_relaxed")
    assert next_runs(waiting, "yield", n=1).notes == ("1 row has no value of 'solvent', and was left out",)
    assert next_runs(PAST, "yield", n=1).notes == ()
    either = {"t": pl.Series([1.5, 2.5, *[None] * 4]), "yield": pl.Series([None, None, *[1.0] * 4])}
    with pytest.raises(InputError, match="and of all that is chosen"):
        next_runs(PAST.with_columns(**either), "yield")


def test_what_is_guessed_of_columns_can_be_said_better():
    runs = next_runs(PAST, "yield", n=1, parameters={"t": Real(0, 10)}, drop=["solvent"])
    assert runs.study.space.parameters == {"t": Real(0, 10)}
    assert runs.frame.columns == PAST.columns
    with pytest.raises(InputError, match="no column 'z'"):
        next_runs(PAST, "yield", drop=["z"])


def test_nothing_to_learn_from_is_said():
    with pytest.raises(InputError, match="no column 'z'"):
        next_runs(PAST, "z")
    with pytest.raises(InputError, match="no row has a value"):
        next_runs(PAST.with_columns(pl.lit(None).alias("yield")), "yield")


def test_a_study_is_kept_with_what_is_under_way_also_beyond_what_was_measured(tmp_path):
    """The column of what is bounded is an outcome, not something to choose."""
    runs = PAST.with_columns(pl.Series("impurity", [0.1, 0.2, 0.3, 0.4, 0.9, 0.2]))
    more = pl.DataFrame({"t": [95.0], "solvent": ["water"], "yield": [None], "impurity": [None]})
    where = tmp_path / "study.db"
    settings = {"outcome_constraints": ["impurity <= 0.5"], "storage": where, "name": "tank"}
    table = pl.concat([runs, more], how="vertical_relaxed")
    study_from_table(table, "yield", direction="maximize", **settings)
    opened = open_study("tank", where)
    assert list(opened.space) == ["t", "solvent"]
    assert [trial.state for trial in opened.trials] == ["done"] * 6 + ["running"]
    assert opened.trials[-1].params == {"t": 95.0, "solvent": "water"}
    assert opened.best.values == {"yield": 6.0, "impurity": 0.3}


def test_names_that_mean_every_column_mean_one():
    for star in ("*", "^.*$"):
        table = pl.concat([PAST, PAST.head(1).with_columns(pl.lit(None).alias("yield"))], how="vertical_relaxed")
        runs = next_runs(table.rename({"yield": star}), star, n=1)
        assert runs.frame.columns == ["t", "solvent", star]
        assert list(runs.trials[0].params) == ["t", "solvent"]
