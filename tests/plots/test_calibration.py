"""Curves and bands are those of the calibration."""

import numpy as np
import pytest
from scipy import stats

from chart_specs import specification, table_with, tables
from credo.errors import InputError
from credo.models import LinearRegression
from credo.plots import audit_chart, calibration_chart, plot, reliability_chart
from credo.validate import audit, audit_places, calibration, evaluate, reliability

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
Y = X[:, 0] + RNG.normal(size=120)


def test_three_panels_of_numbers():
    found = calibration(evaluate(LinearRegression(), X, Y, scores="squared", random_state=0))
    chart = plot(found)
    panels = specification(chart)["hconcat"]
    assert [panel["title"]["text"] for panel in panels] == ["Coverage", "Where the truth lay", "Its distribution"]
    coverage, ecdf = (table for table in tables(calibration_chart(found)) if "low" in table)
    np.testing.assert_allclose(coverage["y"], found.coverage)
    np.testing.assert_allclose(ecdf["high"], found.ecdf_high)
    assert np.sum(table_with(chart, "rows")["rows"]) == 120
    assert panels[1]["layer"][0]["encoding"]["y2"] == {"datum": 0}


def test_the_diagram_of_classes():
    stated = RNG.random(200)
    found = reliability(stated, RNG.random(200) < stated)
    table = table_with(reliability_chart(found), "low")
    np.testing.assert_allclose(table["y"], found.happened)
    assert np.sum(table_with(plot(found), "rows")["rows"]) == 200
    assert specification(plot(found))["vconcat"][1]["encoding"]["y2"] == {"datum": 0}


def test_an_audit_says_its_verdict():
    found = audit(LinearRegression(), X, Y)
    assert specification(plot(found))["title"]["text"] == f"The verdict: {found.verdict}"
    np.testing.assert_allclose(table_with(audit_chart(found, theme="dark"), "held")["held"], found.coverage)
    assert "places" in specification(plot(found, "map"))["title"]["text"]
    with pytest.raises(InputError, match=r"no chart 'nap'.*levels, map"):
        plot(found, "nap")


def test_light_tails_are_told_in_words():
    pit = stats.norm.cdf(np.random.default_rng(0).standard_t(3, size=400) / np.sqrt(3.0))
    title = specification(plot(audit_places(np.arange(400.0)[:, None], pit)))["title"]
    assert title["text"] == "The verdict: light-tailed"
    assert title["subtitle"][0] == "too wide in the middle, too narrow in the tails"
