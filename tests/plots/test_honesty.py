"""The lines are the regions of the audit, the boxes where they lie."""

from dataclasses import replace

import numpy as np
import pytest

from chart_specs import specification, table_with, tables
from credo.errors import InputError
from credo.plots import honesty_chart, plot
from credo.validate import Region, audit_places

RNG = np.random.default_rng(0)
X = RNG.random((2000, 2))
PIT = RNG.random(2000)


@pytest.fixture(scope="module")
def box():
    """Too sure in one corner."""
    corner = (X[:, 0] > 0.6) & (X[:, 1] < 0.5)
    return audit_places(X, np.where(corner, PIT**8, PIT))


def test_a_line_a_place_with_its_band(box):
    (table,) = [table for table in tables(honesty_chart(box)) if "low" in table]
    assert table["where"].tolist() == [region.where for region in box.regions]
    np.testing.assert_array_equal(table["coverage"], [region.coverage for region in box.regions])
    np.testing.assert_array_equal(table["high"], [region.high for region in box.regions])
    failed = int(np.sum(table["verdict"] != "honest"))
    assert failed >= 1
    assert specification(plot(box, "map"))["title"]["text"].startswith(f"{failed} of {len(box.regions)} places")


def test_boxes_cover_the_rows_once(box):
    """Every row lies in one box, and the share of promises kept there, on all rows, is about what the box says."""
    boxes = table_with(honesty_chart(box), "x_low")
    assert (boxes["x_low"].min(), boxes["x_high"].max()) == (X[:, 0].min(), X[:, 0].max())
    strictly = np.array(
        [
            (X[:, 0] > a) & (X[:, 0] <= b) & (X[:, 1] > c) & (X[:, 1] <= d)
            for a, b, c, d in zip(boxes["x_low"], boxes["x_high"], boxes["y_low"], boxes["y_high"], strict=True)
        ]
    )
    assert np.mean(strictly.sum(axis=0) == 1) > 0.99  # but for those on the outermost edge
    corner = (X[:, 0] > 0.6) & (X[:, 1] < 0.5)
    held = np.abs(2.0 * np.where(corner, PIT**8, PIT) - 1.0) <= 0.9
    for inside, said in zip(strictly, boxes["said"], strict=True):
        assert float(said.split("%")[0]) / 100 == pytest.approx(held[inside].mean(), abs=0.05)


def test_one_column_is_a_strip_and_three_are_words_only():
    one = audit_places(X, np.where(X[:, 1] > 0.5, PIT**8, PIT))
    strip = replace(
        one,
        spans={"x1": (0.0, 1.0)},
        regions=tuple(replace(r, bounds={k: v for k, v in r.bounds.items() if k == "x1"}) for r in one.regions),
    )
    boxes = table_with(honesty_chart(strip), "x_low")
    assert set(boxes["y_low"]) == {0.0}
    three = replace(one, spans={"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)})
    assert len(specification(honesty_chart(three))["vconcat"]) == 1


def test_a_narrow_place_has_no_room_for_its_verdict(box):
    narrow = Region("x0 > 0.95", "timid", 0.9, 1.0, 0.9, 1.0, 0.01, 100, {"x0": (0.95, np.inf)})
    wide = Region("x0 ≤ 0.95", "honest", 0.9, 0.88, 0.8, 0.95, 1.0, 900, {"x0": (-np.inf, 0.95)})
    chart = honesty_chart(replace(box, regions=(narrow, wide), spans={"x0": (0.0, 1.0)}))
    assert table_with(chart, "x_low")["said"].tolist() == ["100%", "88%\nhonest"]
    shapes = [
        layer["encoding"]["shape"]
        for layer in specification(chart)["vconcat"][0]["layer"]
        if "shape" in layer["encoding"]
    ]
    assert shapes[0]["scale"]["range"] == ["circle", "triangle-down", "triangle-up"]


def test_nothing_was_judged():
    with pytest.raises(InputError, match=r"judged no places. It needs 80 rows"):
        honesty_chart(audit_places(X[:50], PIT[:50]))
