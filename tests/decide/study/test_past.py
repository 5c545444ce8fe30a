"""Tables of past runs of any library, with the results in or beside them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from credo.decide.study.past import past_runs
from credo.errors import InputError
from credo.represent.space import Real, Space

COLUMNS = {"t": [20.0, 40.0, 60.5], "yield": [1.0, 3.0, 2.0], "waste": [0.1, 0.2, 0.3]}


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table, lambda c: pl.DataFrame(c).to_dicts()])
def test_results_by_name(library):
    both = {"yield": "maximize", "waste": "minimize"}
    found = past_runs(library(COLUMNS), ["yield", "waste"], None, {"direction": both})
    assert list(found.space) == ["t"]
    assert found.runs == [{"t": 20.0}, {"t": 40.0}, {"t": 60.5}]
    assert found.outcomes == {"yield": [1.0, 3.0, 2.0], "waste": [0.1, 0.2, 0.3]}
    assert found.direction == both


def test_what_is_bounded_and_a_cost_are_found_in_the_table():
    table = pl.DataFrame({**COLUMNS, "hours": [1.0, 2.0, 3.0]})
    settings = {"direction": "maximize", "outcome_constraints": ["waste <= 0.25"], "cost": "hours"}
    found = past_runs(table, "yield", None, settings)
    assert list(found.space) == ["t"]
    assert list(found.outcomes) == ["yield", "waste", "hours"]
    assert found.direction == {"yield": "maximize"}
    with pytest.raises(InputError, match="no column 'purity'"):
        past_runs(table, "yield", None, {"outcome_constraints": ["purity >= 1"]})


def test_results_beside_the_table_and_a_space_that_is_given():
    space = Space({"t": Real(0, 100)})
    y = np.array([1.0, 2.0, 3.0])
    found = past_runs(pl.DataFrame(COLUMNS), y, space, {"direction": {"a": "minimize"}})
    assert found.space is space
    assert found.outcomes is y
    assert found.direction == {"a": "minimize"}
    beside = past_runs(pl.DataFrame({"t": COLUMNS["t"]}), {"gain": [1.0, 2.0, 3.0]}, None, {"direction": "maximize"})
    assert beside.direction == {"gain": "maximize"}
    assert beside.outcomes == {"gain": [1.0, 2.0, 3.0]}


def test_a_name_that_is_none_or_for_nothing_is_refused():
    with pytest.raises(InputError, match="no column 'gain'"):
        past_runs(pl.DataFrame(COLUMNS), "gain", None, {})
    with pytest.raises(InputError, match="'waste' is no objective, not bounded and no cost"):
        past_runs(pl.DataFrame(COLUMNS), ["yield", "waste"], None, {"direction": "minimize"})


def test_a_cell_that_is_missing_is_refused_before_there_is_a_study():
    with pytest.raises(InputError, match="row 1: 't' is None"):
        past_runs(pl.DataFrame({"t": [20.0, None, 60.5], "yield": [1.0, 3.0, 2.0]}), "yield", None, {})
