"""What is tried."""

import pytest

from credo.decide.learning.candidates import BASELINE, candidates_for


@pytest.mark.parametrize("kind", ["number", "count", "class"])
def test_the_baseline_comes_first_and_trees_last(kind):
    names = list(candidates_for(kind, 100, 5, 2).estimators)
    assert names[0] == BASELINE
    assert names[-1] == "boosted trees"
    assert ("counts" in names) == (kind == "count")


@pytest.mark.parametrize(("rows", "columns"), [(5000, 5), (100, 200)])
def test_a_process_that_takes_too_long_is_left_out_with_the_reason(rows, columns):
    made = candidates_for("number", rows, columns)
    assert "Gaussian process" not in made.estimators
    assert str(max(rows if rows > 1000 else 0, columns)) in made.left_out["Gaussian process"]


def test_amounts_over_a_wide_range_are_also_tried_by_their_logarithm():
    names = list(candidates_for("number", 5000, 5, by_factors=True).estimators)
    assert names == [BASELINE, "linear", "linear of logarithms", "boosted trees", "boosted trees of logarithms"]
