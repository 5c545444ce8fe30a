"""The regions of a classifier against its own answers on a grid built here."""

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

from chart_specs import specification, table_with
from credo.errors import InputError
from credo.models import SVC, LogisticRegression, SoftmaxRegression
from credo.plots import classifier_chart, palette, plot

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = np.where(X[:, 0] + 0.5 * X[:, 2] + 0.3 * RNG.normal(size=90) > 0.0, "yes", "no")


@pytest.fixture(scope="module")
def model():
    return LogisticRegression(ridge=1.0).fit(X, Y)


def middles(cells):
    return 0.5 * (cells["x_low"] + cells["x_high"]), 0.5 * (cells["y_low"] + cells["y_high"])


def test_cells_are_what_the_classifier_says(model):
    chart = plot(model, X, Y, columns=(0, 2))
    cells = table_with(chart, "shade")
    x, y = middles(cells)
    rows = np.column_stack([x, np.full(len(x), np.median(X[:, 1])), y])
    probabilities = model.predict_proba(rows)
    np.testing.assert_array_equal(cells["class"], model.predict(rows))
    np.testing.assert_allclose(cells["probability"], probabilities.max(axis=1), rtol=1e-9)
    assert len(x) == 2500
    assert cells["x_low"].min() < X[:, 0].min() < X[:, 0].max() < cells["x_high"].max()
    title = specification(chart)["title"]
    assert title["subtitle"][0] == "strength: its probability, from 50 % (faint) to 100 %"
    assert "other columns at their median" in title["subtitle"][1]


def test_the_surer_the_nearer_to_the_color_of_the_class(model):
    cells = table_with(classifier_chart(model, X), "shade")
    away = [abs(int(shade[1:3], 16) - 255) for shade in cells["shade"]]  # both classes differ from white in red
    for label in ("no", "yes"):
        mine = cells["class"] == label
        order = np.argsort(cells["probability"][mine])
        assert np.all(np.diff(np.array(away)[mine][order]) >= 0)
    assert classifier_chart(model, X, theme=None).to_dict()["layer"][1]["encoding"]["color"]["scale"]["domain"] == [
        "no",
        "yes",
    ]


def test_rows_are_where_they_are_in_shape_and_color(model):
    chart = classifier_chart(model, X, Y, theme="dark")
    (points,) = [layer for layer in specification(chart)["layer"] if "shape" in layer["encoding"]]
    rows = table_with(chart, "y")
    np.testing.assert_array_equal(rows["x"], X[:, 0])
    np.testing.assert_array_equal(rows["class"], Y)
    assert points["encoding"]["shape"]["scale"]["range"][:2] == ["circle", "square"]
    assert points["encoding"]["color"]["scale"]["range"][:2] == list(palette("dark").categories[:2])


def test_without_probabilities_regions_are_plain():
    model = SVC().fit(X[:, :2], Y)
    chart = classifier_chart(model, X[:, :2], Y)
    cells = table_with(chart, "shade")
    np.testing.assert_array_equal(cells["class"], model.predict(np.column_stack(middles(cells))))
    assert "probability" not in cells
    assert len(set(cells["shade"])) == 2
    assert "states no probabilities" in specification(chart)["title"]["subtitle"][0]


def test_frames_three_classes_and_a_classifier_of_another_library():
    frame = pl.DataFrame({"heat": X[:, 0], "flow": X[:, 1], "dose": X[:, 2]})
    codes = np.digitize(X[:, 2], [-0.5, 0.5])
    for model in (SoftmaxRegression(ridge=1.0), DecisionTreeClassifier(max_depth=2, random_state=0)):
        cells = table_with(plot(model.fit(frame, codes), frame, codes, columns=("dose", "heat")), "shade")
        x, y = middles(cells)
        grid = pl.DataFrame({"heat": y, "flow": np.full(len(x), np.median(X[:, 1])), "dose": x})
        np.testing.assert_array_equal(cells["class"], model.predict(grid).astype(str))


def test_many_rows_are_thinned(model):
    chart = classifier_chart(model, np.tile(X, (40, 1)), np.tile(Y, 40))
    assert len(table_with(chart, "y")["y"]) == 1200


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"columns": (0, 0)}, "are the same"),
        ({"columns": "ab"}, "over two columns"),
        ({"columns": (0, 9)}, "no column 9"),
        ({"y": Y[:5]}, "5 labels for 90 rows"),
        ({"y": np.where(Y == "no", "never", Y)}, r"'never', which the classifier has not seen.*no, yes"),
    ],
)
def test_bad_input(model, arguments, match):
    with pytest.raises(InputError, match=match):
        classifier_chart(model, X, **arguments)


def test_what_has_no_regions():
    with pytest.raises(InputError, match="of 1"):
        classifier_chart(LogisticRegression(ridge=1.0).fit(X[:, :1], Y), X[:, :1])
    with pytest.raises(InputError, match="is not fitted"):
        classifier_chart(LogisticRegression(), X)
    with pytest.raises(InputError, match=r"8 classes.*tell 7 apart"):
        classifier_chart(DecisionTreeClassifier().fit(X[:80], np.arange(80) % 8), X)
