"""Pictures of a report: whole in themselves, with words and numbers."""

import base64

import numpy as np
from scipy import stats

from credo.app.report.figures import audit_figure, effect_figure, grid, importance_figure, places_figure
from credo.validate import Effect, Importance, audit_places

POINTS = np.linspace(0.0, 1.0, 25)


def svg(figure):
    kind, _, data = figure.source.partition(",")
    assert kind == "data:image/svg+xml;base64"
    return base64.b64decode(data).decode()


def test_an_effect():
    figure = effect_figure(Effect("t", "partial dependence", POINTS, POINTS**2, POINTS - 1, POINTS + 1, 0.9, "a test"))
    assert "<svg" in svg(figure)
    assert figure.numbers.columns == ("t", "mean prediction", "low", "high")
    assert "from 0 to 1" in figure.words
    bare = effect_figure(Effect("t", "partial dependence", POINTS, POINTS**2, None, None, 0.9, "none"))
    assert len(bare.numbers.columns) == 2


def test_an_importance_and_an_audit():
    found = importance_figure(Importance(("a", "<b>"), np.array([1.0, 2.0]), np.ones(2), "crps"))
    assert found.numbers.rows[0][0] == "<b>"
    assert "<b>" not in svg(found)  # escaped in the picture, too
    rng = np.random.default_rng(0)
    checked = audit_figure(audit_places(rng.normal(size=(200, 1)), rng.random(200)))
    assert not checked.broad
    assert [row[0] for row in checked.numbers.rows] == ["50%", "80%", "90%", "95%"]


def test_an_audit_of_light_tails_says_what_to_do():
    rng = np.random.default_rng(0)
    pit = stats.norm.cdf(rng.standard_t(3, size=400) / np.sqrt(3.0))
    words = audit_figure(audit_places(rng.normal(size=(400, 1)), pit)).words
    assert "held out: light-tailed. Intervals are too wide in the middle and too narrow in the tails" in words
    assert words.endswith("learn the logarithm of the target.")


def test_places():
    rng = np.random.default_rng(0)
    X, pit = rng.random((400, 2)), rng.random(400)
    found = places_figure(audit_places(X, np.where(X[:, 0] > 0.5, pit**8, pit)))
    assert "<svg" in svg(found)
    assert "1 of them fail" in found.words
    (failed,) = [row for row in found.numbers.rows if row[-1] == "overconfident"]
    assert failed[0].startswith("x0 > 0.")
    assert found.broad


def test_cells_are_text():
    assert grid(("a",), [[1.5], [None]]).rows == (("1.5",), ("None",))
