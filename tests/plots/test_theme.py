"""The look: distinct for color-blind readers, readable on its ground, and no setting of Altair touched."""

import subprocess
import sys
from itertools import combinations

import altair as alt
import numpy as np
import pytest

from credo.errors import InputError
from credo.plots import palette, register_themes, themed
from credo.plots.theme import config

# Simulation of the three dichromacies on linear RGB (Machado, Oliveira & Fernandes 2009, severity 1).
DICHROMACIES = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(color):
    rgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* under D65, of linear sRGB."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = (to_xyz @ np.clip(rgb, 0, 1)) / [0.9505, 1.0, 1.089]
    f = [np.cbrt(t) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a, b):
    """The contrast ratio of WCAG 2."""
    first, second = sorted(float(np.dot([0.2126, 0.7152, 0.0722], linear(color))) for color in (a, b))
    return (second + 0.05) / (first + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eyes", DICHROMACIES)
def test_colors_are_told_apart(theme, eyes):
    colors = palette(theme)
    seen = lambda color: lab(np.asarray(DICHROMACIES[eyes]) @ linear(color))  # noqa: E731
    for group, least in ((colors.categories[:5], 9.0), ((colors.ground, colors.outer, colors.inner, colors.line), 9.0)):
        for a, b in combinations(group, 2):
            assert np.linalg.norm(seen(a) - seen(b)) > least, (a, b)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_readable(theme):
    colors = palette(theme)
    assert contrast(colors.ink, colors.ground) > 10
    assert contrast(colors.line, colors.ground) > 4.5
    assert contrast(colors.point, colors.outer) > 4.5


def test_a_chart_is_dressed_without_touching_altair_or_the_chart():
    chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    before, active = chart.to_dict(), alt.theme.active
    light, dark = themed(chart).to_dict(), themed(chart, "dark").to_dict()
    assert light["config"]["background"] == "#ffffff"
    assert dark["config"]["background"] == palette("dark").ground != light["config"]["background"]
    assert chart.to_dict() == before
    assert alt.theme.active == active
    assert themed(chart, None) is chart
    assert len((themed(chart, None) | themed(chart, None)).to_dict()["hconcat"]) == 2


def test_themes_are_offered_to_altair_only_when_asked():
    names = alt.theme.names()
    active = alt.theme.active
    register_themes()
    assert set(alt.theme.names()) - set(names) <= {"credo-light", "credo-dark"}
    assert alt.theme.active == active
    with alt.theme.enable("credo-dark"):
        spec = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q").to_dict()
    assert spec["config"] == config("dark")


def test_unknown_theme():
    with pytest.raises(InputError, match=r"theme='neon' is unknown.*light, dark"):
        palette("neon")


def test_importing_the_room_does_not_import_altair():
    code = "import sys, credo, credo.plots; assert not {'altair', 'vl_convert'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
