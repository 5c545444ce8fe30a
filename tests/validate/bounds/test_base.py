"""Laws of every bound: it falls in n, rises as less failure is allowed, and rows are the inverse of error."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.validate import bounds
from credo.validate.bounds.base import Bound, checked_number

BOUNDS = [
    bounds.Hoeffding(),
    bounds.Hoeffding(width=3.0),
    bounds.Chernoff(0.0),
    bounds.Chernoff(0.3),
    bounds.Bernstein(0.01),
    bounds.EmpiricalBernstein(0.01),
    bounds.FiniteClass(50, realizable=True),
    bounds.FiniteClass(50),
    bounds.VC(3, realizable=True),
    bounds.VC(3),
    bounds.hyperplanes(2),
    bounds.rectangles(2),
    bounds.TightestRectangle(2),
    bounds.McAllester(2.0),
    bounds.Maurer(2.0, 0.1),
]
every_bound = pytest.mark.parametrize("bound", BOUNDS, ids=repr)


def test_every_bound_is_under_these_laws():
    public = {thing for thing in vars(bounds).values() if isinstance(thing, type) and issubclass(thing, Bound)}
    assert public - {Bound} == {type(bound) for bound in BOUNDS}


@every_bound
def test_more_rows_and_more_failure_allow_less_error(bound):
    n = np.arange(2, 400)
    assert np.all(np.diff(np.minimum(bound.error(n), 1.0)) <= 1e-12)
    assert np.all(np.diff(bound.error(100_000, np.geomspace(1e-6, 0.5, 30))) <= 1e-12)
    assert bound.error(np.array([10, 20])[:, None], np.array([0.01, 0.1, 0.2])).shape == (2, 3)


@every_bound
def test_rows_are_the_fewest_that_are_enough(bound):
    wanted = np.array([0.5, 0.1, 0.02])
    rows = bound.rows(wanted, 0.1)
    assert np.all(rows == np.round(rows))
    assert np.all(bound.error(rows, 0.1) <= wanted)
    more = rows > 1
    assert np.all(bound.error(rows[more] - 1, 0.1) > wanted[more])


@every_bound
def test_nonsense_is_refused(bound):
    for n, delta in ((0, 0.1), (10, 0.0), (10, 1.0), (np.nan, 0.1)):
        with pytest.raises(InputError, match=type(bound).__name__):
            bound.error(n, delta)
    with pytest.raises(InputError, match="It is positive"):
        bound.rows(0.0)


def test_an_error_that_no_number_of_rows_allows_takes_infinitely_many():
    class Stuck(Bound):
        def _error(self, n, delta):
            return 0.5 + 1.0 / n + 0.0 * delta

    assert Stuck().rows([0.6, 0.4]).tolist() == [10.0, np.inf]


def test_parameters_out_of_range_are_refused():
    checked_number("x", "y", [0.0, 1.0], 0.0, 1.0)
    for make in (lambda: bounds.Chernoff(1.2), lambda: bounds.VC(-1), lambda: bounds.Maurer(1.0, -0.1)):
        with pytest.raises(InputError, match="It is between"):
            make()
