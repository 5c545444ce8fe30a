"""The pictures of the web page and of the report in these docs: `.venv/bin/python docs/screenshots.py`.

Needs the `dev` extra and Chromium. The table is the one that `credo learn` learns without a file.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
RUNS = ROOT / "src" / "credo" / "app" / "data" / "runs.csv"
LONG = 300_000  # milliseconds, for learning

sys.path.insert(0, str(ROOT / "tests"))

from ui_browser import served, signed_in  # noqa: E402


def shot(page: Any, name: str, height: int | None = None) -> None:
    """The whole page, or as much of it as is said."""
    whole = page.evaluate("document.documentElement.scrollHeight")
    size = {"x": 0, "y": 0, "width": 1200, "height": min(whole, height or whole)}
    page.screenshot(path=IMAGES / f"{name}.png", full_page=True, clip=size)


def taken(page: Any) -> None:
    """From the first page to a study that goes on."""
    page.locator("#file").set_input_files(RUNS)
    page.get_by_role("button", name="Upload").click()
    page.wait_for_selector("#columns tr")
    page.locator("#direction").select_option("maximize")
    page.get_by_role("button", name="Learn").click()
    page.wait_for_selector("#learned:not([hidden])", timeout=LONG)
    page.evaluate("document.activeElement.blur()")
    shot(page, "table")
    table = page.url
    page.goto(f"{table}/report")
    shot(page, "report", 1500)
    page.goto(f"{table}/try")
    page.locator("#answer", has_text="with 90 %").wait_for()
    shot(page, "try")
    page.goto(table)
    page.wait_for_selector("#columns tr")
    page.get_by_text("Go on as a study").click()
    page.get_by_role("button", name="Begin the study").click()
    page.wait_for_selector("#picture svg")
    page.locator("#count").fill("3")
    page.get_by_role("button", name="Suggest").click()
    page.wait_for_selector("#open .card")
    page.locator("#kind").select_option("contour")
    page.locator("figcaption", has_text="Belief about").wait_for()
    page.locator("#standing li", has_text="left to gain").wait_for()
    page.evaluate("document.activeElement.blur()")
    shot(page, "study", 1900)
    page.goto(page.home)
    page.wait_for_selector("#studies a")
    shot(page, "home")


def main() -> None:
    """All of them."""
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as address,
        signed_in(address, bypass_csp=True) as page,
    ):
        taken(page)


if __name__ == "__main__":
    main()
