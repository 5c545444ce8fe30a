"""The real pages in a real browser: numbers as they are, what was said of columns counts, late answers do not."""

import json

import polars as pl
import pytest

from app_requests import put_learned, put_table
from credo.app.web.rooms import Rooms
from credo.decide import Study, open_study
from credo.represent import Integer, Real, Space
from ui_browser import chromium, signed_in, uploaded

pytest.importorskip("playwright", reason="there is no playwright: pip install 'credo[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RUNS = pl.DataFrame(
    {"t": [20.0, 40.0, 60.0, 80.0, 50.0, 30.0], "reactor": [1, 5, 1, 9, 5, 9], "y": [1.0, 3.0, 4.0, 2.0, 3.5, 2.0]}
)
INPUTS = [
    {"name": "t", "low": 0.1, "high": 0.9, "middle": 0.123456789, "whole": False},
    {"name": "steps", "low": 1, "high": 5_000_000, "middle": 2_049_748, "whole": True},
]
LEARNED = {"target": "y", "kind": "number", "words": ["y is known."], "inputs": INPUTS, "range": [0.0, 4.0]}
SAID = {"y": 2.0, "low": 1.0, "high": 3.0, "share of noise": 0.5, "share to learn": 0.25, "far from the data": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    chromium()
    return tmp_path_factory.mktemp("ui")


@pytest.fixture
def page(address):
    with signed_in(address) as page:
        yield page


@pytest.fixture
def study(folder, request):
    """With results, so that there are pictures and a standing."""
    space = Space({"t": Real(0, 1), "steps": Integer(1, 5_000_000)})
    study = Study(space, storage=str(folder / "studies.db"), name=request.node.name, random_state=0)
    study.add([{"t": 0.1 * i, "steps": 700_001 * i + 1} for i in range(7)], [(i - 3.0) ** 2 for i in range(7)])
    return study


class Held:
    """Requests of a page that are answered when the test says so."""

    def __init__(self, page, path):
        self._page, self._routes = page, []
        page.route(path, lambda route: self._routes.append(route))

    def next(self):
        """The oldest that was not answered yet."""
        for _ in range(600):
            if self._routes:
                return self._routes.pop(0)
            self._page.wait_for_timeout(100)
        raise AssertionError("nothing was asked")


def sliders(page, folder):
    """The page of a model that was put there, and what it asks of it."""
    rooms = Rooms(folder)
    entry = put_table(rooms.workspace, "runs.csv", b"t,steps,y\n1,2,3\n")
    put_learned(rooms, entry, LEARNED)
    asked = Held(page, "**/predict")
    page.goto(f"{page.home}tables/{entry.id}/try")
    return asked


def told(route, content, status=200):
    route.fulfill(status=status, content_type="application/json", body=json.dumps(content))


def test_what_is_to_be_set_reads_back_to_the_last_figure(page, study, folder):
    page.goto(f"{page.home}studies/{study.record.id}")
    page.get_by_role("button", name="Suggest").click()
    card = page.locator("#open .card")
    expect(card).to_have_count(1)
    trial = open_study(study.name, str(folder / "studies.db")).trials[-1]
    t, steps = card.locator("dd").all_inner_texts()
    assert float(t) == trial.params["t"]
    assert steps == str(trial.params["steps"])
    cells = page.locator("#trials tr").first.locator("td").all_inner_texts()
    assert cells[1:3] == [t, steps]
    card.get_by_label("value").fill("-1.2345678912")
    card.get_by_role("button", name="Keep the result").click()
    expect(page.locator("#trials tr").first.locator("td").nth(3)).to_have_text("-1.2345678912")


def test_whole_numbers_of_pictures_are_not_rounded(page):
    for value, text in ((2_049_748, "2049748"), (0.123456789, "0.12346"), (None, ""), ("a", "a")):
        assert page.evaluate("v => import('/static/core.js').then((core) => core.short(v))", value) == text


def test_sliders_say_what_they_ask_for(page, folder):
    asked = sliders(page, folder)
    first = asked.next()
    row = first.request.post_data_json["rows"][0]
    assert row == {"t": 0.123456789, "steps": 2_049_748}
    assert [float(text) for text in page.locator("output").all_inner_texts()] == list(row.values())
    told(first, {"rows": [SAID], "missing": []})
    expect(page.locator("#budget")).to_have_text(
        "50 % of the variance is noise, 25 % is still to be learnt, 25 % comes from computing."
    )


def test_a_late_answer_or_error_does_not_replace_a_newer_one_of_a_slider(page, folder):
    asked = sliders(page, folder)
    first = asked.next()
    page.get_by_label("steps").press("ArrowRight")
    second = asked.next()
    page.get_by_label("steps").press("ArrowRight")
    told(asked.next(), {"rows": [SAID], "missing": []})
    expect(page.locator("#answer")).to_contain_text("y is 2, between 1 and 3")
    told(first, {"error": "It was too late."}, 422)
    told(second, {"rows": [{**SAID, "y": 1.0}], "missing": []})
    page.wait_for_timeout(500)
    expect(page.locator("#answer")).to_contain_text("y is 2, between 1 and 3")


@pytest.mark.parametrize("late", ["error", "picture"])
def test_a_late_picture_does_not_replace_a_newer_one(page, study, late):
    asked = Held(page, "**/chart")
    page.goto(f"{page.home}studies/{study.record.id}")
    first = asked.next()
    page.locator("#kind").select_option("parallel")
    asked.next().continue_()
    expect(page.locator("#picture svg")).to_be_visible()
    words = page.locator("figcaption").inner_text()
    if late == "error":
        told(first, {"error": "It was too late."}, 422)
    else:
        first.continue_()
    page.wait_for_timeout(1500)
    assert page.locator("figcaption").inner_text() == words
    expect(page.locator("#picture svg")).to_be_visible()
    expect(page.locator("#picture-message")).to_have_text("")


@pytest.mark.parametrize("status", [200, 422])
def test_a_late_standing_does_not_replace_a_newer_one(page, study, status):
    asked = Held(page, "**/standing")
    page.goto(f"{page.home}studies/{study.record.id}")
    first = asked.next()
    page.get_by_role("button", name="Suggest").click()
    told(asked.next(), ["best: the newer one"])
    expect(page.locator("#standing")).to_have_text("best: the newer one")
    told(first, ["best: the older one"] if status == 200 else {"error": "It was too late."}, status)
    page.wait_for_timeout(500)
    expect(page.locator("#standing")).to_have_text("best: the newer one")


def test_a_result_that_does_not_count_is_told(page, study):
    page.route("**/trials/*", lambda route: told(route, {"accepted": False}))
    page.goto(f"{page.home}studies/{study.record.id}")
    page.get_by_role("button", name="Suggest").click()
    page.locator("#open .card").get_by_label("value").fill("3")
    page.get_by_role("button", name="Keep the result").click()
    expect(page.locator("#message.wrong")).to_contain_text("went to somebody else meanwhile")


def test_what_was_said_of_columns_by_keyboard_counts_for_suggestions_and_studies(page):
    uploaded(page, RUNS)
    scale = page.get_by_label("Scale of reactor")
    assert scale.input_value() != "nominal"
    scale.focus()
    page.keyboard.press("Home")
    row = page.get_by_role("row", name="reactor")
    expect(row).to_contain_text("as said")
    expect(scale).to_be_focused()
    expect(scale).to_have_value("nominal")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Scale of y")).to_be_focused()
    page.get_by_role("button", name="Suggest").click()
    expect(page.locator("#next-rows tr")).to_have_count(3)
    with page.expect_request("**/next") as request:
        page.get_by_role("button", name="Suggest").click()
    assert request.value.post_data_json["scales"] == {"reactor": "nominal"}
    page.get_by_text("Go on as a study").click()
    page.get_by_role("button", name="Begin the study").click()
    expect(page.locator("#space").get_by_role("row", name="reactor")).to_contain_text("'1', '5', '9'")


def test_a_scale_that_cannot_be_is_told_and_taken_back(page):
    uploaded(page, RUNS.with_columns(pl.Series("name", ["a", "b", "c", "a", "b", "c"])))
    scale = page.get_by_label("Scale of name")
    scale.focus()
    scale.select_option("ratio")
    expect(page.locator("#message.wrong")).to_contain_text("name")
    expect(scale).to_have_value("nominal")
    expect(scale).to_be_focused()


def test_scales_that_a_table_was_learnt_with_are_there_when_it_is_opened_again(page, folder):
    rooms = Rooms(folder)
    entry = put_table(rooms.workspace, "runs.csv", RUNS.write_csv().encode())
    put_learned(rooms, entry, {**LEARNED, "scales": {"reactor": "nominal"}})
    page.goto(f"{page.home}tables/{entry.id}")
    expect(page.get_by_label("Scale of reactor")).to_have_value("nominal")
    with page.expect_request("**/next") as request:
        page.get_by_role("button", name="Suggest").click()
    assert request.value.post_data_json["scales"] == {"reactor": "nominal"}


def test_a_table_is_deleted_at_the_second_question(page):
    uploaded(page, RUNS, "away.csv")
    button = page.get_by_role("button", name="Delete it for good")
    expect(button).to_be_hidden()
    page.get_by_text("Delete this table").click()
    button.click()
    page.wait_for_url(page.home)
    expect(page.locator("#studies")).not_to_contain_text("Looking")
    assert "away.csv" not in page.locator("body").inner_text()
    assert page.complaints == []
