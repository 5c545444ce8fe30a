"""Cells and lines along parameters, and points along a row, against the space itself."""

import numpy as np
import pytest

from chart_studies import SPACE, mixed_study
from credo.errors import InputError
from credo.plots.study_parts import along, cells_of, free_parameter, line_of, number_range, settings
from credo.represent import Integer, Real
from credo.represent.space.ranges import Range


@pytest.mark.parametrize(
    "parameter",
    [Real(-2, 6), Real(1e-3, 10, log=True), Real(0.5, 3, step=0.5), Integer(1, 4), Integer(0, 500)],
    ids=repr,
)
def test_cells_tile_the_range_and_lines_reach_its_ends(parameter):
    cells = cells_of(parameter, 20)
    np.testing.assert_allclose(cells.low[1:], cells.high[:-1])
    middle = parameter.natural(cells.rows)
    assert np.all((cells.low < middle) & (middle < cells.high))
    rows, x = line_of(parameter, 20)
    assert (x[0], x[-1]) == (parameter.low, parameter.high)
    np.testing.assert_allclose(parameter.encoded(x), rows, atol=1e-12)


def test_a_parameter_that_becomes_active_starts_in_the_middle():
    row = settings(SPACE, {"heat": 70.0, "rate": 0.1, "solvent": "ethanol", "steps": 2})
    wet, dry = along(SPACE, row, {"solvent": np.array([0.0, 2.0])})
    assert (wet["solvent"], wet["stir"], wet["heat"]) == ("water", 0.5, 70.0)
    assert "stir" not in dry


def test_which_parameter_is_shown():
    study = mixed_study()
    assert free_parameter(study, None) == "heat"
    assert free_parameter(study, "solvent") == "solvent"
    assert isinstance(number_range(study, "steps"), Range)
    with pytest.raises(InputError, match="'solvent' is no number"):
        number_range(study, "solvent")
