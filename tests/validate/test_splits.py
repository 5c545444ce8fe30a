"""A split is of rows that there are, on one side each; groups are told apart whatever they are named by."""

import numpy as np
import pandas as pd
import pytest

from credo.errors import InputError
from credo.validate.splits import GivenSplits, Split, checked_split, group_codes, require_apart


@pytest.mark.parametrize("names", [["b", "a", "b", "c"], [2.5, -1.0, 2.5, 9.0], [True, False, True, False]])
@pytest.mark.parametrize("form", [list, np.array, pd.Series, lambda names: np.array(names, dtype=object)])
def test_codes_are_equal_where_groups_are(names, form):
    codes = group_codes(form(names), 4)
    for i in range(4):
        for j in range(4):
            assert (codes[i] == codes[j]) == (names[i] == names[j])
    assert set(codes) == set(range(len(set(names))))


@pytest.mark.parametrize(
    ("groups", "what"),
    [
        ([1, 2], "2 groups for 3 rows"),
        ([1.0, np.nan, 2.0], "cannot be told apart"),
        (["a", None, "b"], "cannot be told apart"),
        (pd.Series(["a", pd.NA, "b"]), "cannot be told apart"),
        (np.array([1, "a", 2], dtype=object), "cannot be told apart"),
        (np.zeros((3, 2)), "1d array"),
    ],
)
def test_groups_that_are_none_are_refused(groups, what):
    with pytest.raises(InputError, match=what):
        group_codes(groups, 3)


def test_a_split_has_what_to_judge_on_in_order_and_what_to_learn_from_with_repetition():
    split = checked_split((np.array([4, 0, 4], dtype=np.uint8), [3, 1]), "split", 5)
    assert split.train.tolist() == [4, 0, 4]
    assert split.held.tolist() == [1, 3]


@pytest.mark.parametrize("pair", [([0, 1], [1]), ([0], [2, 2]), ([0], [5]), ([-1], [0]), ([0.0], [1]), ([], [1]), 3])
def test_what_is_no_split_is_refused(pair):
    with pytest.raises(InputError, match=r"^evaluate: split 7 of mine"):
        checked_split(pair, "split 7 of mine", 5)


def test_a_group_is_on_one_side():
    codes = np.array([0, 0, 1, 2])
    require_apart(Split(np.array([0, 1]), np.array([2, 3])), codes, "split")
    with pytest.raises(InputError, match="rows of 1 groups on both sides"):
        require_apart(Split(np.array([0, 2]), np.array([1, 3])), codes, "split")


def test_given_splits_are_the_same_at_every_call():
    given = GivenSplits([([0], [1]), ([1], [0])])
    assert list(given.split(None)) == list(given.split(None)) == given.pairs
    assert given.get_n_splits() == 2
