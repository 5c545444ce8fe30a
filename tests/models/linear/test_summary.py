"""The same numbers as text, HTML and frame."""

import numpy as np

from credo.infer.testing import Estimates
from credo.models import Summary

TABLE = Estimates(("intercept", "<x>"), np.array([1.0, -2.0]), np.diag([0.25, 1.0]), 10.0)


def test_frame_has_the_estimates():
    frame = Summary("Model", {"y0": TABLE}, 0.9, {"rows": 12.0}).frame()
    assert frame.columns == ["name", "estimate", "std error", "t", "p-value", "5 %", "95 %"]
    low, high = TABLE.interval(0.9)
    np.testing.assert_array_equal(frame["5 %"], low)
    np.testing.assert_array_equal(frame["95 %"], high)
    np.testing.assert_array_equal(frame["p-value"], TABLE.p_values)


def test_several_outputs_are_named():
    summary = Summary("Model", {"y0": TABLE, "y1": TABLE}, 0.95, {"rows": 12.0}, ("a note",))
    assert summary.frame()["output"].to_list() == ["y0", "y0", "y1", "y1"]
    assert "output y1" in str(summary)
    assert str(summary).endswith("a note")


def test_asymptotic_statistics_are_z():
    normal = Estimates(TABLE.names, TABLE.values, TABLE.covariance)
    assert "z" in Summary("Model", {"y0": normal}, 0.95, {}).frame().columns


def test_html_escapes_names():
    html = Summary("Model", {"y0": TABLE}, 0.95, {"rows": 12.0}, ("p < 1",))._repr_html_()
    assert "&lt;x&gt;" in html
    assert "<x>" not in html
    assert "p &lt; 1" in html


def test_text_is_aligned():
    lines = str(Summary("Model", {"y0": TABLE}, 0.95, {"rows": 12.0})).splitlines()
    assert len({len(line) for line in lines[2:5]}) == 1
    assert lines[3].split()[:2] == ["intercept", "1"]
