"""Groups are coded and refused in words; what is held out has its share of each, every row as likely."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from credo.errors import InputError
from credo.validate.conformal.groups import coded_groups, codes_among, held_out_share


def test_codes_are_positions_among_sorted_names():
    for given in (["b", "a", "c", "a"], pd.Series(list("baca")), pd.Categorical(list("baca")), [[3], [1], [7], [1]]):
        labels, codes = coded_groups("who", given, 4)
        assert codes.tolist() == [1, 0, 2, 0]
        assert codes_among("who", labels, given, 4).tolist() == [1, 0, 2, 0]
    assert coded_groups("who", None, 2)[0] is None
    assert codes_among("who", None, None, 2).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (["a", None], "1 entries of groups are missing"),
        ([1.0, np.nan], "missing"),
        (pd.Series(["a", pd.NA]), "missing"),
        (np.array(["a", 1], dtype=object), "mixes"),
        (["a"], "1 entries for 2 rows"),
        (np.ones((2, 2)), "who: "),
    ],
)
def test_bad_groups_are_named(groups, words):
    with pytest.raises(InputError, match=words):
        coded_groups("who", groups, 2)


def test_unknown_and_missing_groups_are_refused():
    labels, _ = coded_groups("who", ["a", "b"], 2)
    with pytest.raises(InputError, match=r"groups has 'c', of which there was no row in fit.*among \['a', 'b'\]"):
        codes_among("who", labels, ["a", "c"], 2)
    with pytest.raises(InputError, match="given to fit and not to prediction"):
        codes_among("who", labels, None, 2)
    with pytest.raises(InputError, match="given to prediction and not to fit"):
        codes_among("who", None, ["a", "b"], 2)


def test_a_share_of_each_group_is_held_out_and_every_row_as_often():
    codes, rng = np.repeat([0, 1, 2], [12, 5, 1]), np.random.default_rng(0)
    times = np.zeros(18)
    for _ in range(2000):
        held = held_out_share(codes, 0.25, rng)
        assert np.bincount(codes[held]).tolist() == [3, 2, 1]
        assert np.all(np.diff(held) > 0)
        times[held] += 1
    assert stats.chisquare(times[:12]).pvalue > 1e-3
    assert stats.chisquare(times[12:17]).pvalue > 1e-3
    assert held_out_share(codes, 1.0, rng).tolist() == list(range(18))
