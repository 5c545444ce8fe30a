"""The cells of the contour against the posterior at their middles."""

import numpy as np
import pytest

from chart_specs import specification, table_with, tables
from chart_studies import line_study, mixed_study
from credo.errors import InputError
from credo.plots import contour_chart, study_contour


@pytest.fixture(scope="module")
def mixed():
    return mixed_study()


@pytest.fixture(autouse=True)
def _few_cells(monkeypatch):
    monkeypatch.setattr(study_contour, "_CELLS", 9)


def test_cells_have_mean_and_standard_deviation(mixed):
    chart = contour_chart(mixed, "rate", "steps")
    table = table_with(chart, "std")
    middle = np.sqrt(table["x_low"] * table["x_high"])
    steps = 0.5 * (table["y_low"] + table["y_high"])
    some = np.arange(0, len(middle), 3)
    points = [{**mixed.best.params, "rate": float(middle[i]), "steps": int(steps[i])} for i in some]
    belief = mixed.posterior(points)
    np.testing.assert_allclose(table["mean"][some], belief.mean, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(table["std"][some], belief.std, rtol=1e-5)
    assert sorted(set(steps)) == [1.0, 2.0, 3.0, 4.0]
    np.testing.assert_allclose([table["x_low"].min(), table["x_high"].max()], [1e-3, 1.0])
    panels = specification(chart)["hconcat"]
    assert [panel["layer"][1]["encoding"]["color"]["field"] for panel in panels] == ["mean", "std"]
    assert "through it: heat = 71, solvent = ethanol" in specification(chart)["title"]["subtitle"]


def test_trials_are_where_they_are(mixed):
    found = [table for table in tables(contour_chart(mixed)) if "trial" in table]
    by_number = {int(n): (x, y) for t in found for n, x, y in zip(t["trial"], t["x"], t["y"], strict=True)}
    assert by_number == {t.number: (t.params["heat"], t.params["rate"]) for t in mixed.trials}


def test_unnamed_axes_are_the_first_others(mixed):
    def axes(*names, **named):
        encoding = specification(contour_chart(mixed, *names, **named))["hconcat"][0]["layer"][0]["encoding"]
        return encoding["x"]["title"], encoding["y"]["title"]

    assert axes() == ("heat", "rate")
    assert axes(y="heat") == ("rate", "heat")
    assert axes("rate") == ("rate", "heat")


def test_bad_questions(mixed):
    with pytest.raises(InputError, match="'solvent' is no number"):
        contour_chart(mixed, "solvent")
    with pytest.raises(InputError, match="x and y are both 'heat'"):
        contour_chart(mixed, "heat", "heat")
    with pytest.raises(InputError, match="two parameters are needed, and there is x"):
        contour_chart(line_study())
