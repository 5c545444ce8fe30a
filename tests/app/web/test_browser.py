"""The real pages in a real browser: upload to report, runs to the next ones and back, studies, wrong files, keys."""

import numpy as np
import polars as pl
import pytest

from ui_browser import browser, chromium, signed_in, upload, uploaded

pytest.importorskip("playwright", reason="there is no playwright: pip install 'credo[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

LONG = 300_000  # milliseconds, for learning


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    chromium()
    return tmp_path_factory.mktemp("ui")


@pytest.fixture
def page(address):
    """Signed in, on the first page."""
    with signed_in(address, accept_downloads=True) as page:
        yield page


def runs(n=30):
    rng = np.random.default_rng(0)
    t, lot = rng.uniform(20, 80, n), rng.choice(["a", "b"], n)
    y = 60 - 0.02 * (t - 55) ** 2 + np.where(lot == "b", 3.0, 0.0) + 0.5 * rng.normal(size=n)
    return pl.DataFrame({"temperature": t, "lot": lot, "yield": y})


def test_the_token_is_asked_for_once_and_leaves_the_address(page):
    assert "token" not in page.url
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("What do the data say")
    stranger = page.context.browser.new_context().new_page()
    assert stranger.goto(page.home).status == 401


def test_a_link_on_a_page_of_another_site_leads_in(address):
    """As in a notebook or a terminal in the browser; the way back does not lead to the token."""
    with browser() as page:
        link = f'<title>other</title><a href="{address}">in</a>'
        page.route("http://other.example/", lambda route: route.fulfill(body=link, content_type="text/html"))
        page.goto("http://other.example/")
        page.get_by_role("link", name="in").click()
        page.wait_for_url(address.split("?")[0])
        expect(page.get_by_role("heading", level=1)).to_contain_text("What do the data say")
        page.go_back()
        expect(page).to_have_title("other")


def test_from_upload_to_report_and_sliders(page):
    uploaded(page, runs(60))
    page.get_by_label("Scale of temperature").select_option("interval")
    expect(page.get_by_role("row", name="temperature")).to_contain_text("as said")
    page.get_by_label("What to learn").select_option("yield")
    page.get_by_role("button", name="Learn").click()
    expect(page.locator("#progress")).to_contain_text("Learning:")
    expect(page.get_by_role("link", name="Read the report")).to_be_visible(timeout=LONG)
    table = page.url
    page.get_by_role("link", name="Read the report").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What 60 rows say about yield")
    assert page.locator("img").count() >= 3
    page.goto(table)
    expect(page.locator("#words li").first).to_be_visible()
    page.get_by_role("link", name="Try other values").click()
    expect(page.locator("#answer")).to_contain_text("with 90 %")
    before = page.locator("#answer").inner_text()
    slider = page.get_by_label("temperature")
    slider.focus()
    for _ in range(3):
        slider.press("PageDown")
    expect(page.locator("#answer")).not_to_have_text(before)
    assert page.complaints == []


def test_thirty_runs_to_the_next_three_and_back_with_results(page):
    past = runs()
    uploaded(page, past)
    page.get_by_label("The result").select_option("yield")
    page.get_by_role("button", name="Suggest").click()
    expect(page.locator("#next-rows tr")).to_have_count(3)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as a table").click()
    asked = pl.read_csv(download.value.path())
    assert asked.columns == past.columns
    shown = [float(row.split("\t")[0]) for row in page.locator("#next-rows tr").all_inner_texts()]
    assert shown == asked["temperature"].to_list()
    filled = asked.with_columns((60 - 0.02 * (pl.col("temperature") - 55) ** 2).alias("yield"))
    uploaded(page, pl.concat([past, filled], how="vertical_relaxed"), "more.csv")
    page.get_by_role("button", name="Suggest").click()
    expect(page.locator("#next-rows tr")).to_have_count(3)
    again = [float(row.split("\t")[0]) for row in page.locator("#next-rows tr").all_inner_texts()]
    assert not set(asked["temperature"].to_list()) & set(again)
    assert page.complaints == []


def test_a_study_of_a_table_takes_results(page):
    uploaded(page, runs(), "tank.csv")
    page.get_by_text("Go on as a study").click()
    page.get_by_role("button", name="Begin the study").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("tank.csv")
    expect(page.locator("#counts")).to_have_text("30 done, 0 failed, 0 open.")
    page.get_by_label("How many at once").fill("3")
    page.get_by_role("button", name="Suggest").click()
    cards = page.locator("#open .card")
    expect(cards).to_have_count(3)
    for i in (2, 1):
        cards.nth(i).get_by_label("yield").fill(str(50 + i))
        cards.nth(i).get_by_role("button", name="Keep the result").click()
        expect(cards).to_have_count(i)
    cards.nth(0).get_by_role("button", name="It failed").click()
    expect(page.locator("#counts")).to_have_text("32 done, 1 failed, 0 open.")
    expect(page.locator("#picture svg")).to_be_visible()
    for kind in ("slice", "parallel"):
        before = page.locator("figcaption").inner_text()
        page.locator("#kind").select_option(kind)
        expect(page.locator("figcaption")).not_to_have_text(before)
        expect(page.locator("#picture svg")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all trials").click()
    assert len(pl.read_csv(download.value.path())) == 33
    assert page.complaints == []


def test_a_study_from_its_first_suggestion_to_its_best_with_scripts_as_names(page):
    name = "<img src=x onerror=alert(1)>"
    page.get_by_role("link", name="Begin a study").click()
    page.get_by_label("Of the study").fill(name)
    row = page.locator("#parameters .fields").first
    row.get_by_label("name").fill("a.b[0]:Q")
    row.get_by_label("from").fill("0")
    row.get_by_label("to", exact=True).fill("4")
    row.get_by_label("in steps of").fill("0.05")
    page.locator("#objectives").get_by_label("what is measured").fill("<b>height</b>")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator("#picture-message")).to_have_text("Pictures come with the first results.")
    for i in range(6):
        page.get_by_role("button", name="Suggest").click()
        card = page.locator("#open .card")
        expect(card).to_have_count(1)
        x = float(card.locator("dd").inner_text())
        assert 20.0 * x == pytest.approx(round(20.0 * x))
        card.get_by_label("<b>height</b>").fill(str(3 - (x - 1.5) ** 2))
        card.get_by_role("button", name="Keep the result").click()
        expect(page.locator("#counts")).to_have_text(f"{i + 1} done, 0 failed, 0 open.")
    best = page.locator("tr.best")
    expect(best).to_contain_text("done, best measured")
    values = [float(row.locator("td").nth(2).inner_text()) for row in page.locator("#trials tr").all()]
    assert float(best.locator("td").nth(2).inner_text()) == max(values)
    expect(page.locator("#standing")).to_contain_text("Left to gain", ignore_case=True)
    expect(page.locator("#picture svg")).to_be_visible()
    page.goto(page.home)
    expect(page.locator("#studies")).to_contain_text(name)
    assert page.complaints == []


def test_wrong_uploads_are_answered_in_words(page):
    upload(page, "setup.exe", b"MZ")
    expect(page.locator("#message")).to_contain_text("files that end in .exe are not read")
    for name, content in {
        "empty.csv": b"",
        "bad.parquet": b"PAR1 and no more",
        "<script>alert(1)</script>.csv": b"\xff",
    }.items():
        upload(page, name, content)
        expect(page.locator("#message.wrong")).to_contain_text("Table")
    assert not [line for line in page.complaints if "status of 4" not in line]
    answer = page.goto(f"{page.home}tables/nothing")
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")


def test_by_keyboard_alone(page):
    """A study is begun, asked and told without a pointer, and where the focus is can be seen."""

    def to(text):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.locator(":focus").count() and text in (page.locator(":focus").get_attribute("id") or "") + (
                page.locator(":focus").inner_text() or ""
            ):
                return
        raise AssertionError(f"no way to {text!r} by keyboard")

    page.goto(f"{page.home}studies/new")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("To the content")
    page.keyboard.press("Enter")
    to("name")
    page.keyboard.type("by hand")
    page.keyboard.press("Tab")
    page.keyboard.type("x")
    page.keyboard.press("Tab")  # what it is
    page.keyboard.press("Tab")
    page.keyboard.type("0")
    page.keyboard.press("Tab")
    page.keyboard.type("10")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("by hand")
    to("Suggest")
    assert page.locator(":focus").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#open .card input").first).to_be_focused()
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    expect(page.locator("#counts")).to_have_text("1 done, 0 failed, 0 open.")
    assert page.complaints == []
