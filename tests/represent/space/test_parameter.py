"""What all parameters share, held against all of them: laws of the column, and how conditions are read."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real
from credo.represent.space.parameter import Discrete, conditions_of

ALL = [
    Real(-2.0, 5.0),
    Real(1e-5, 3.0, log=True),
    Integer(-3, 9),
    Integer(1, 700, log=True),
    Choice("a", None, 3.5),
    Choice("low", "mid", "high", "top", ordered=True),
]


@pytest.mark.parametrize("parameter", ALL, ids=repr)
def test_laws_of_a_column(parameter):
    unit = np.random.default_rng(0).random(400)
    column = parameter.place(unit)
    kind = parameter.column("x", fixed=0.0)
    assert kind.name == "x"
    assert kind.fixed == 0.0
    np.testing.assert_array_equal(parameter.snap(column), column)  # what is placed is there
    np.testing.assert_allclose(parameter.encode(parameter.decode(column)), column, atol=1e-12)
    assert parameter.decode(parameter.encode(parameter.decode(column))) == pytest.approx(parameter.decode(column))
    assert parameter.first_refused(parameter.decode(column)) is None
    top = parameter.levels - 1 if kind.kind == "code" else 1.0
    assert np.min(column) >= 0.0
    assert np.max(column) <= top
    np.testing.assert_array_equal(parameter.snap(np.array([parameter.middle])), [parameter.middle])
    assert abs(parameter.middle - top / 2) <= 0.501 * (kind.step or 0.1)
    assert parameter == eval(repr(parameter), {"Real": Real, "Integer": Integer, "Choice": Choice})


@pytest.mark.parametrize("parameter", [p for p in ALL if isinstance(p, Discrete)], ids=repr)
def test_snapping_goes_to_the_nearest_level(parameter):
    column = np.random.default_rng(1).uniform(-0.2, 1.2, 300) * (1 if parameter.column("").kind != "code" else 2)
    levels = parameter.column_of(np.arange(parameter.levels))
    nearest = levels[np.argmin(np.abs(column[:, None] - levels), axis=1)]
    np.testing.assert_allclose(np.abs(parameter.snap(column) - column), np.abs(nearest - column), atol=1e-12)
    assert set(parameter.snap(column)) <= set(levels)
    np.testing.assert_array_equal(parameter.index_of(levels), np.arange(parameter.levels))


def test_conditions():
    assert conditions_of("me", None) == {}
    assert conditions_of("me", {"a": [1, 2], "b": "xy"}) == {"a": (1, 2), "b": ("xy",)}
    for bad, says in [("a", "mapping"), ({1: 2}, "mapping"), ({"a": ()}, "no value")]:
        with pytest.raises(InputError, match=says):
            Real(0, 1, when=bad)
