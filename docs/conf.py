"""Sphinx with MyST and sphinx-gallery. `make docs` builds it and takes every warning for an error."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import credo

project = "credo"
copyright = "the credo contributors"
version = release = credo.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "api_pages",
    "altair_scraper",
]
exclude_patterns = ["_build", "gallery", "auto_gallery/**/*.py"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
add_module_names = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("altair_scraper.altair_scraper",),
    "reset_modules": (),
    "capture_repr": ("_repr_html_",),
    "ignore_repr_types": "altair",
    "download_all_examples": False,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "nested_sections": False,
}

html_theme = "furo"
html_title = "credo"
html_static_path: list[str] = []
