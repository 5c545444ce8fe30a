"""The beginning of a study that is kept."""

import polars as pl
import pytest

from credo.app.beginning import begin_study
from credo.errors import InputError
from credo.represent import Real, Space

SPACE = Space({"t": Real(20, 80)})


def test_of_a_space_and_of_a_table(tmp_path):
    where = tmp_path / "studies.db"
    made = begin_study(where, "first", {"yield": "maximize", "cost": "minimize"}, space=SPACE)
    assert made.goal.directions == {"yield": "maximize", "cost": "minimize"}
    runs = tmp_path / "runs.csv"
    pl.DataFrame({"t": [20.0, 80.0, 50.0], "yield": [1.0, 2.0, None], "impurity": [0.1, 0.2, None]}).write_csv(runs)
    given = begin_study(where, "second", {"yield": "maximize"}, bounds=["impurity <= 0.5"], runs=runs)
    assert list(given.space) == ["t"]
    assert [trial.state for trial in given.trials] == ["done", "done", "running"]
    assert given.trials[1].values == {"yield": 2.0, "impurity": 0.2}


def test_what_cannot_begin(tmp_path):
    where = tmp_path / "studies.db"
    with pytest.raises(InputError, match="no parameter") as caught:
        begin_study(where, "first", {"yield": "maximize"})
    assert "credo" not in str(caught.value)  # the web page says it too, where nobody types
    assert "--from" not in str(caught.value)
    begin_study(where, "first", {"yield": "maximize"}, space=SPACE)
    with pytest.raises(InputError, match="already"):
        begin_study(where, "first", {"yield": "maximize"}, space=SPACE)
    with pytest.raises(InputError, match="2 objectives"):
        begin_study(where, "other", {"a": "maximize", "b": "minimize"}, runs=tmp_path / "runs.csv")
