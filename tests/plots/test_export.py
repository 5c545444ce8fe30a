"""Files of every format, written without a network."""

import json
import re
import struct
import zlib

import altair as alt
import numpy as np
import polars as pl
import pytest

import credo
from credo.beliefs import Normal
from credo.errors import InputError
from credo.plots import save_chart
from credo.plots.export import svg_of
from credo.plots.theme import themed


@pytest.fixture(scope="module")
def chart():
    belief = Normal(np.array([1.0, 2.0, 4.0]), 1.0)
    return credo.plot(belief, x=np.arange(3.0), title="A heading", x_title="the dose", y_title="the effect")


def pixels(path):
    """Rows of a PNG of 8 bit colors, undone filter by filter (PNG specification, section 9)."""
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", content[16:26])
    assert (depth, kind) in ((8, 2), (8, 6))
    data, place = b"", 8
    while place < len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        if content[place + 4 : place + 8] == b"IDAT":
            data += content[place + 8 : place + 8 + length]
        place += length + 12
    raw = np.frombuffer(zlib.decompress(data), dtype=np.uint8).reshape(height, -1)
    return width, height, raw[:, 0], raw[:, 1:]


def test_png_has_the_size_of_the_chart_and_is_not_blank(tmp_path, chart):
    save_chart(chart, tmp_path / "chart.png")
    width, height, _, body = pixels(tmp_path / "chart.png")
    assert 1000 < width < 1500
    assert 640 < height < 1100
    assert len(np.unique(body)) > 50
    save_chart(chart, tmp_path / "small.PNG", scale=1.0)
    assert abs(pixels(tmp_path / "small.PNG")[0] - width / 2) <= 1


def test_svg_says_the_title_and_the_axes(tmp_path, chart):
    save_chart(chart, str(tmp_path / "chart.svg"))
    text = (tmp_path / "chart.svg").read_text()
    for words in ("<svg", "A heading", "the dose", "the effect", "90 % interval"):
        assert words in text
    assert "#ffffff" in text


def test_dark_ground(tmp_path):
    save_chart(credo.plot(Normal(0.0, 1.0), theme="dark"), tmp_path / "dark.svg")
    assert "#14181d" in (tmp_path / "dark.svg").read_text()


def test_html_needs_no_network(tmp_path, chart):
    save_chart(chart, tmp_path / "chart.html")
    text = (tmp_path / "chart.html").read_text()
    assert "A heading" in text
    assert len(text) > 300_000  # the JavaScript is inside
    assert not re.search(
        r"<script[^>]*\ssrc\s*=|<link[^>]*\shref\s*=|@import|importScripts\(|from\s+[\"']https?:", text
    )


def test_json_is_the_specification(tmp_path, chart):
    save_chart(chart, tmp_path / "chart.json")
    spec = json.loads((tmp_path / "chart.json").read_text())
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert alt.Chart.from_dict(spec).to_dict()["title"]["text"] == "A heading"


def test_unknown_suffix(tmp_path, chart):
    for name in ("chart.bmp", "chart", "chart.png.exe"):
        with pytest.raises(InputError, match=r"save_chart: .*Try one of \.png, \.svg, \.html, \.json"):
            save_chart(chart, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_something_else_than_a_chart(tmp_path):
    with pytest.raises(InputError, match="Normal is not a chart"):
        save_chart(Normal(0.0, 1.0), tmp_path / "chart.png")


def test_names_of_strangers_are_drawn_and_run_nothing(tmp_path):
    evil = "</script><img src=x onerror=alert(1)>\x1b[2J"
    chart = credo.plot(Normal(np.array([1.0, 2.0]), 1.0), x=np.arange(2.0), title=evil, x_title=evil)
    for suffix in ("svg", "png", "html"):
        save_chart(chart, tmp_path / f"chart.{suffix}")
    page, picture = ((tmp_path / f"chart.{suffix}").read_text() for suffix in ("html", "svg"))
    assert "<img src=x" not in page
    assert "<img src=x" not in picture
    assert "\\u003c/script>" in page
    assert "&lt;/script&gt;" in picture
    assert "\x1b" not in picture


def test_labels_on_the_left_have_room_for_wider_letters_than_arials():
    name = "a rather long name of one model"
    frame = pl.DataFrame({"model": [name], "score": [1.0]})
    text = svg_of(themed(alt.Chart(frame).mark_point().encode(x="score", y="model"), "dark"))
    ends = re.search(rf'<text text-anchor="end" transform="translate\((-[\d.]+),[\d.]+\)"[^>]*>{name}</text>', text)
    left, _, width, _ = map(float, re.search(r'viewBox="([-\d. ]+)"', text)[1].split())
    inner = float(re.search(r'<g [^>]*transform="translate\(([\d.]+),', text)[1])
    wide = 0.6 * 12.0 * len(name)  # of letters that are 0.6 as wide as high; Arial's are about half
    assert inner + float(ends[1]) - wide > left
    ground = re.search(r'<rect x="([-\d.]+)" width="([\d.]+)" height="[\d.]+" fill="#14181d"/>', text)
    assert (float(ground[1]), float(ground[2])) == (left, width)
