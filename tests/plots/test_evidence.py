"""The cells are the log evidence of the rows at other parameters, and the fit is marked."""

import numpy as np
import pytest
from scipy import stats

from chart_specs import specification, table_with, tables
from credo.errors import InputError
from credo.kernels import RBF
from credo.models import GPRegressor
from credo.plots import evidence_chart, plot

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(-3.0, 3.0, size=(12, 1)), axis=0)
Y = 10.0 + 5.0 * np.sin(X[:, 0]) + RNG.normal(size=12)


@pytest.fixture(scope="module")
def gp():
    return GPRegressor(kernel=RBF(0.8, 0.6), noise_variance=None, inference=None).fit(X, Y)


def test_cells_are_the_evidence_of_your_targets(gp):
    cells = table_with(plot(gp.evidence_surface(points=4, reach=1.0)), "height")
    z = (X[:, 0] - X.mean()) / X.std()
    for scale, noise, height in zip(cells["x"], cells["y"], cells["height"], strict=True):
        K = 0.8 * np.exp(-0.5 * (z[:, None] - z) ** 2 / scale**2) + noise * np.eye(12)
        expected = stats.multivariate_normal(np.full(12, Y.mean()), Y.var() * K).logpdf(Y)
        assert height == pytest.approx(expected, rel=1e-8)
    assert len(cells["height"]) == 16
    assert np.all((cells["x_low"] < cells["x"]) & (cells["x"] < cells["x_high"]))
    np.testing.assert_allclose(np.unique(cells["x_low"])[1:], np.unique(cells["x_high"])[:-1])


def test_axes_marks_and_colors(gp):
    chart = evidence_chart(gp.evidence_surface(points=4, reach=4.0))
    spec = specification(chart)
    shaded = spec["layer"][1]["encoding"]
    assert (shaded["x"]["title"], shaded["y"]["title"]) == ("kernel.lengthscale", "noise.level")
    assert shaded["x"]["scale"]["type"] == shaded["y"]["scale"]["type"] == "log"
    low, high = shaded["color"]["scale"]["domain"]
    cells = table_with(chart, "height")
    assert high == cells["height"].max()
    assert high - low == pytest.approx(10.0)
    assert cells["shade"].min() >= low
    assert cells["height"].min() < low
    fit = table_with(chart, "at_x")
    assert (fit["at_x"][0], fit["at_y"][0]) == (pytest.approx(0.6), pytest.approx(0.1))
    assert spec["title"]["subtitle"] == ["diamond: the fit", "held: kernel.variance = 0.8"]


def test_other_optima_on_the_picture_are_marked_and_those_beyond_are_not(gp):
    surface = gp.evidence_surface(points=4, reach=1.0)
    chart = evidence_chart(surface._replace(optima=(surface.at, (0.9, 0.15), (1e3, 0.15))))
    marked = [table for table in tables(chart) if "at_x" in table]
    assert sorted(table["at_x"].tolist() for table in marked) == [[pytest.approx(0.6)], [pytest.approx(0.9)]]
    assert "circles: other optima" in specification(chart)["title"]["subtitle"][0]


def test_where_the_evidence_is_nowhere_finite_there_is_no_picture(gp):
    surface = gp.evidence_surface(points=4)
    surface = surface._replace(x=surface.x[:2], y=surface.y[:2])
    cells = table_with(evidence_chart(surface._replace(log_evidence=np.array([[0.0, -np.inf], [-1.0, -2.0]]))), "shade")
    assert cells["shade"].tolist() == [0.0, -10.0, -1.0, -2.0]
    with pytest.raises(InputError, match="nowhere finite"):
        evidence_chart(surface._replace(log_evidence=np.full((2, 2), -np.inf)))
