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
    found = past_runs(library(COLUMNS), ["yield", "waste"], None, "maximize")
    assert list(found.space) == ["t"]
    assert found.outcomes == {"yield": [1.0, 3.0, 2.0], "waste": [0.1, 0.2, 0.3]}
    assert found.direction == {"yield": "maximize"}


def test_results_beside_the_table_and_a_space_that_is_given():
    space = Space({"t": Real(0, 100)})
    y = np.array([1.0, 2.0, 3.0])
    found = past_runs(pl.DataFrame(COLUMNS), y, space, {"a": "minimize"})
    assert found.space is space
    assert found.outcomes is y
    assert found.direction == {"a": "minimize"}


def test_a_name_that_is_none_is_refused():
    with pytest.raises(InputError, match="no column 'gain'"):
        past_runs(pl.DataFrame(COLUMNS), "gain", None, "minimize")
