"""The demo's sentences hold the numbers of the objects behind them."""

from importlib import resources

import polars as pl

import credo
from credo.app.demo import run_demo


def test_demo_reports_the_model_it_saved(tmp_path):
    text = "\n".join(run_demo(tmp_path))
    model = credo.load(tmp_path / "runs.credo")
    medians = pl.DataFrame({"temperature": [0.0], "feed_rate": [0.0], "catalyst": [0.0]})
    assert list(model.feature_names_in_) == medians.columns
    assert f"temperature {model.coef_[0]:+.3g}" in text
    assert str(model.certificate_) in text


def test_embedded_runs_are_thirty_rows():
    with resources.as_file(resources.files("credo.app") / "data" / "runs.csv") as path:
        table = pl.read_csv(path)
    assert table.shape == (30, 4)
