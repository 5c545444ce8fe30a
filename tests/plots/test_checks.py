"""What a chart refuses, and how it carries its rows."""

import altair as alt
import numpy as np
import pytest

from credo.beliefs import MultivariateNormal, Normal
from credo.errors import InputError
from credo.plots.checks import inline, numbers, require_scalar, titled


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([1.0, np.nan], "1 values that are not finite"),
        ([], "empty"),
        ([[1.0]], r"shape \(1, 1\)"),
        (["a"], "not numeric"),
        (3.0, "shape"),
    ],
)
def test_numbers_refuses(values, match):
    with pytest.raises(InputError, match=f"plot: y .*{match}"):
        numbers(values, "y")


def test_numbers_takes_any_column():
    np.testing.assert_array_equal(numbers((1, 2), "y"), [1.0, 2.0])


def test_rows_lie_inside_and_are_many_more_than_altair_allows_a_frame():
    data = inline({"x": np.arange(6000), "b": np.ones(6000, dtype=bool)})
    spec = alt.Chart(data).mark_point().to_dict()
    (rows,) = spec["datasets"].values()
    assert rows[5999] == {"x": 5999, "b": True}
    assert alt.data_transformers.active == "default"


def test_too_many_rows_are_refused_with_the_step_to_take():
    with pytest.raises(InputError, match=r"45000 rows.*belief\[::3\]"):
        inline({"x": np.zeros(45_000)})


def test_vectors_have_no_band():
    require_scalar(Normal(0.0, 1.0))
    with pytest.raises(InputError, match="MultivariateNormal is about vectors"):
        require_scalar(MultivariateNormal(np.zeros(2), np.eye(2)))


def test_titles():
    assert titled("a").to_dict() == {"text": "a"}
    assert titled("a", "b").to_dict() == {"text": "a", "subtitle": "b"}
