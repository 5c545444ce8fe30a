"""A suggestion is a function of what is known and of a seed, and a good one."""

import numpy as np
import pytest

from credo.decide.study.suggest import ACQUISITIONS, Known, suggest
from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
NONE = np.empty((0, 2))


def bowl(rows):
    return np.sum((rows - [0.3, 0.7]) ** 2, axis=1)


def known(n=12, failed=NONE, pending=NONE):
    rows = BOX.sample_rows(n, 0)
    return Known(rows, bowl(rows), failed, pending)


@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_the_same_in_the_same_out(acquisition):
    a, b = (suggest(BOX, known(), acquisition=acquisition, initial=4, seed=3) for _ in range(2))
    np.testing.assert_array_equal(a.row, b.row)
    assert a.why == b.why
    assert np.all((a.row >= 0.0) & (a.row <= 1.0))
    assert a.why.reason == ("start" if acquisition == "random" else a.why.reason)


@pytest.mark.parametrize("acquisition", ["log_ei", "log_nei", "pi", "lcb", "kg", "mes"])
def test_goes_to_the_bottom_of_a_bowl(acquisition):
    rows, values = BOX.sample_rows(8, 0), bowl(BOX.sample_rows(8, 0))
    for step in range(10):
        found = suggest(BOX, Known(rows, values, NONE, NONE), acquisition=acquisition, initial=4, seed=step)
        rows, values = np.concatenate([rows, found.row[None]]), np.append(values, bowl(found.row[None]))
    assert np.min(values) < 2e-3


def test_what_is_under_way_is_not_asked_again():
    first = suggest(BOX, known(), initial=4, seed=0).row
    second = suggest(BOX, known(pending=first[None]), initial=4, seed=0).row
    assert np.linalg.norm(first - second) > 0.01


def test_where_trials_failed_it_does_not_go():
    """The best half fails: suggestions stay on the other side."""
    rows = BOX.sample_rows(40, 0)
    fails = rows[:, 0] < 0.5
    what = Known(rows[~fails], bowl(rows[~fails]), rows[fails], NONE)
    for seed in range(4):
        found = suggest(BOX, what, initial=4, seed=seed)
        assert found.row[0] > 0.4
        assert found.why.feasible is not None


def test_an_even_design_comes_first_and_does_not_repeat():
    space = Space({"n": Integer(1, 3), "kind": Choice("x", "y")})
    taken = np.empty((0, 2))
    for _ in range(6):
        row = suggest(space, Known(taken[:0], np.empty(0), taken, np.empty((0, 2))), initial=20, seed=1).row
        taken = np.concatenate([taken, row[None]])
    assert len(np.unique(taken, axis=0)) == 6
    with pytest.raises(InputError, match="finite"):
        suggest(space, Known(taken[:0], np.empty(0), taken, np.empty((0, 2))), initial=20, seed=1)
