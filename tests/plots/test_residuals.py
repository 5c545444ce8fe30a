"""Points are the residuals, the lines hold the share they should."""

import numpy as np
from scipy import stats

from chart_specs import specification, table_with
from credo.plots import plot, residuals_chart
from credo.validate import Residuals

RNG = np.random.default_rng(0)


def made(count):
    said = RNG.normal(size=count)
    far = 1.5 * RNG.normal(size=count)
    return Residuals("Model", np.arange(count), said, said + far, far)


def test_points_lines_and_share():
    found = made(200)
    chart = plot(found, level=0.8)
    table, lines = table_with(chart, "standardized"), table_with(chart, "line")["line"]
    np.testing.assert_array_equal(table["standardized"], found.standardized)
    np.testing.assert_array_equal(table["said"], found.said)
    np.testing.assert_allclose(lines, stats.norm.ppf([0.1, 0.9]), rtol=1e-9)
    beyond = (found.standardized < lines[0]) | (found.standardized > lines[1])
    np.testing.assert_array_equal(table["where"] == "beyond", beyond)
    said = specification(chart)["title"]
    assert said["text"] == "Residuals of Model"
    assert said["subtitle"].startswith(f"{100 * np.mean(~beyond):.1f} % of 200 rows lie between the lines, where 80 %")


def test_color_is_not_alone():
    (layer,) = [layer for layer in specification(residuals_chart(made(10)))["layer"] if "shape" in layer["encoding"]]
    assert layer["encoding"]["shape"]["scale"]["range"] == ["circle", "cross"]


def test_many_rows_are_thinned_and_all_are_counted():
    found = made(9000)
    chart = residuals_chart(found)
    np.testing.assert_array_equal(table_with(chart, "row")["row"], np.arange(0, 9000, 3))
    assert "of 9000 rows" in specification(chart)["title"]["subtitle"]
