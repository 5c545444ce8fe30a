"""Charts for those who do not see them."""

import altair as alt
import numpy as np

from credo.beliefs import Normal
from credo.plots import chart_tables, chart_words, plot


def test_titles_of_all_parts_once():
    one = alt.Chart(alt.Data(values=[{"x": 1}, {"x": 2}])).mark_point().encode(x="x:Q")
    first = one.properties(title=alt.Title("Above", subtitle=["two", "lines."]))
    second = one.properties(title="Below")
    assert chart_words(alt.vconcat(first, second)) == "Above: two lines. Below."


def test_numbers_are_those_of_the_chart():
    x = np.linspace(0.0, 1.0, 100)
    (table, *_) = chart_tables(plot(Normal(x, np.ones(100)), x=x), most=10)
    assert len(table.rows) == 10
    at = table.columns.index("center")
    np.testing.assert_allclose([row[at] for row in table.rows], x[::10], atol=1e-12)
