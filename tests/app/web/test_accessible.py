"""axe-core on every page, as it is first seen and with everything on it."""

import json

import numpy as np
import polars as pl
import pytest

import credo
from credo.app.report import write_report
from credo.app.web.generations import fresh, latest
from credo.decide import Study
from credo.models import BayesianLinearRegression
from credo.represent import Choice, Real, Space
from ui_browser import chromium, signed_in, violations

pytest.importorskip("axe_playwright_python", reason="there is no axe-core: pip install 'credo[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table that was learnt, and a study with results and an open trial."""
    chromium()
    folder = tmp_path_factory.mktemp("ui")
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"t": rng.uniform(20, 80, 40), "lot": rng.choice(["a", "b"], 40)})
    frame = frame.with_columns((0.5 * pl.col("t") + pl.Series(rng.normal(size=40))).alias("y"))
    there = folder / "tables" / ("0" * 16)
    there.mkdir(parents=True)
    frame.write_csv(there / "table.csv")
    entry = {"id": "0" * 16, "name": "runs.csv", "format": "csv", "created": 0.0}
    (there / "entry.json").write_text(json.dumps(entry))
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    slider = {"name": "t", "low": 20.0, "high": 80.0, "middle": 50.0, "whole": False}
    inputs = [slider, {"name": "lot", "choices": ["a", "b"]}]
    said = {"target": "y", "kind": "number", "words": list(learned.model.summary)}
    said |= {"inputs": inputs, "range": [10.0, 40.0]}
    with fresh(there) as complete:
        write_report(learned, complete, lambda phase: None)
        (complete / "learned.json").write_text(json.dumps(said))
    space = Space({"t": Real(20, 80), "u": Real(0, 1), "solvent": Choice("water", "ethanol")})
    study = Study(space, storage=str(folder / "studies.db"), name="tank", random_state=0)
    for i in range(8):
        trial = study.ask()
        study.tell(trial, (trial.params["t"] - 50.0) ** 2 + i)
    study.ask()
    return folder


@pytest.fixture
def page(address):
    """axe is put into a page by the test, which its policy would forbid."""
    with signed_in(address, bypass_csp=True) as page:
        yield page


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("", "#studies a"),
        ("studies/new", "#parameters input"),
        (f"tables/{'0' * 16}", "#columns tr"),
        (f"tables/{'0' * 16}/try", "#interval"),
        ("studies/1", "#standing li"),
        ("nothing", "h1"),
    ],
)
def test_no_violation(page, path, there):
    page.goto(f"{page.home}{path}")
    expect(page.locator(there).first).to_be_attached()
    if path == "studies/1":
        expect(page.locator("#picture svg")).to_be_visible()
    for details in page.locator("summary").all():
        details.click()
    assert violations(page) == []


def test_every_picture_of_a_study(page):
    page.goto(f"{page.home}studies/1")
    expect(page.locator("#picture svg")).to_be_visible()
    for kind in ("slice", "contour", "parallel", "timeline"):
        before = page.locator("figcaption").inner_text()
        page.locator("#kind").select_option(kind)
        expect(page.locator("figcaption")).not_to_have_text(before)
        expect(page.locator("#picture svg")).to_be_visible()
        page.locator("#picture summary").click()
        assert violations(page) == [], kind
        assert page.locator("#picture table tr").count() > 2


def test_on_a_phone_nothing_is_wider_than_the_screen(page):
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("", "studies/new", f"tables/{'0' * 16}", f"tables/{'0' * 16}/try", "studies/1"):
        page.goto(f"{page.home}{path}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_report(page, folder):
    text = (latest(folder / "tables" / ("0" * 16)) / "report.html").read_text(encoding="utf-8")
    page.set_content(text)
    for details in page.locator("summary").all():
        details.click()
    assert violations(page) == []
