"""The report: complete, whole in itself, and safe with names of strangers."""

import re

import numpy as np
import polars as pl
import pytest

import credo
from credo.app.report import report_html
from credo.app.report.page import sections_of
from credo.decide import explain
from credo.models import BayesianLinearRegression

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def page():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({EVIL: rng.uniform(20, 80, 60), "lot": rng.choice(["a", "b"], 60), "id": range(60)})
    frame = frame.with_columns(pl.Series("yield", 0.5 * frame[EVIL].to_numpy() + rng.normal(size=60)))
    learned = credo.learn(frame, "yield", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    runs = credo.next_runs(frame.drop("id"), "yield", direction="maximize", n=2)
    return report_html(learned, explain(learned), runs, command="credo learn x.csv"), learned


def test_every_part_is_there(page):
    text, _ = page
    for title in (
        "Verdict",
        "How good it is",
        "Can it be trusted",
        "What else was tried",
        "What it goes by",
        "What is uncertain, and why",
        "What to measure next",
        "The data",
        "How to make this again",
    ):
        assert f">{title}</h2>" in text
    assert text.count("<figure") >= 4
    assert "id was left out" in text


def test_nothing_is_fetched_and_nothing_runs(page):
    text, _ = page
    assert "<script" not in text
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    assert "url(" not in text
    assert "default-src 'none'" in text
    assert "&lt;script&gt;alert(1)" in text


def test_pictures_have_words_and_headings_are_linked(page):
    text, _ = page
    assert text.count("<figure") == text.count("<summary>As a table</summary>")
    assert text.count("<img") == len(re.findall(r"<img src=\"data:[^\"]+\" alt=\"[^\"]{10,}\"", text))
    for anchor in re.findall(r"href=\"#([^\"]+)\"", text):
        assert f'id="{anchor}"' in text


def test_the_others_are_held_against_the_chosen_one(page):
    _, learned = page
    (section,) = [part for part in sections_of(learned, None, None, "") if part.title == "What else was tried"]
    ((other, worse, interval, p_value, _),) = section.table.rows
    own, none = (learned.evaluation.claim("crps", name).value for name in ("linear", "no columns"))
    assert other == "no columns"
    assert float(worse.split(" ± ")[0]) == pytest.approx(none - own, rel=0.02)  # from refits, each as much as another
    low, high = map(float, interval.split(" to "))
    assert 0.0 < low < none - own < high
    assert float(p_value) < 0.05


def test_without_explanation_and_runs_it_is_shorter(page):
    _, learned = page
    titles = [section.title for section in sections_of(learned, None, None, "")]
    assert "What it goes by" not in titles
    assert "What to measure next" not in titles


def test_classes_have_a_report_too():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    frame = pl.DataFrame({"x": x, "y": np.where(x + 0.5 * rng.normal(size=80) > 0, "up", "down")})
    learned = credo.learn(frame, "y", candidates={"linear": credo.models.LogisticRegression(ridge=1.0)}, plan="5-fold")
    text = report_html(learned)
    assert "Can it be trusted" in text
    assert f"<b>{learned.audit.verdict}</b><span>is the verdict on its probabilities</span>" in text


def test_noise_and_copies_are_said_as_they_are():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"x": rng.normal(size=60), "lot": ["1", "2", "3"] * 20, "y": rng.normal(size=60)})
    table = credo.Table.from_frame(pl.concat([frame, frame[:5]]), scales={"lot": "nominal"})
    learned = credo.learn(table, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    text = report_html(learned)
    assert learned.skill < 0.0
    assert re.search(r">0%<.*less error \(CRPS\) than without any column", text, re.S)
    assert "5 rows that are copies of others were not used." in text
    asked = sections_of(learned, None, None, "")[-1].code
    assert asked == """credo.learn("table.csv", 'y', scales={'lot': 'nominal'})"""
