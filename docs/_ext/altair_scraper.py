"""sphinx-gallery's eyes for Altair: a chart becomes a PNG through vl-convert, with no browser and no network."""

from pathlib import Path
from typing import Any

import altair as alt
import vl_convert
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger
from sphinx_gallery.scrapers import figure_rst

logger = getLogger(__name__)


def altair_scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The chart that a block ends with, as a figure."""
    names = block_vars["example_globals"]
    chart = names.get("___")  # where sphinx-gallery keeps the value of the last line
    if not isinstance(chart, alt.TopLevelMixin):
        return ""
    names["___"] = None  # so that a later block without a last value does not show it again
    path = next(block_vars["image_path_iterator"])
    Path(path).write_bytes(vl_convert.vegalite_to_png(chart.to_json(), scale=2))
    return figure_rst([path], gallery_conf["src_dir"])


def check_figures(app: Sphinx) -> None:
    """Warn, which is an error here, about an example without a figure."""
    for example in (Path(app.srcdir) / "gallery").glob("plot_*.py"):
        images = Path(app.srcdir) / "auto_gallery" / "images"
        if not (images / f"sphx_glr_{example.stem}_001.png").exists():
            logger.warning("%s ends in no figure: its last line is to be an Altair chart", example.name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Look for the figures once sphinx-gallery has run."""
    app.connect("builder-inited", check_figures, priority=900)
    return {"parallel_read_safe": True}
