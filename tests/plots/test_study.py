"""The charts of a study by their names."""

import pytest

import credo
from chart_specs import specification, table_with
from chart_studies import line_study, mixed_study, two_objectives
from credo.errors import InputError
from credo.plots import palette


def test_the_default_is_how_it_went_or_the_front():
    assert "best" in table_with(credo.plot(mixed_study()), "best")
    assert "which" in table_with(credo.plot(two_objectives()), "which")


@pytest.mark.parametrize("kind", ["history", "slice", "next", "parallel", "timeline"])
@pytest.mark.parametrize("theme", ["light", "dark", None])
def test_each_kind_in_each_theme(kind, theme):
    chart = specification(credo.plot(line_study(), kind, theme=theme))
    assert chart.get("config", {}).get("background") == (palette(theme).ground if theme else None)
    if theme is not None:  # no color of the other theme is left in the marks
        other = palette("dark" if theme == "light" else "light")
        assert other.line not in str(chart)
        assert other.outer not in str(chart)


def test_an_unknown_kind_names_the_known():
    with pytest.raises(InputError, match=r"no chart 'calendar'.*history, slice, .*, parallel, pareto, timeline"):
        credo.plot(line_study(), "calendar")


@pytest.mark.parametrize("kind", ["history", "slice", "contour", "next"])
def test_charts_of_one_objective_say_so(kind):
    with pytest.raises(InputError, match=f"2 objectives, yield, cost. The chart '{kind}' is of one"):
        credo.plot(two_objectives(), kind)
