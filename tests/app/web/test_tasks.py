"""The work of the children, done here: plain values in and out."""

import json

import numpy as np
import polars as pl
import pytest

import credo
from credo.app.web import tasks
from credo.app.web.generations import latest
from credo.errors import InputError
from credo.models import BayesianLinearRegression


def silent(phase):
    pass


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    t, lot = rng.uniform(20, 80, 40), rng.choice(["a", "b"], 40)
    frame = pl.DataFrame({"t": t, "lot": lot, "n": rng.integers(1, 9, 40), "y": 0.5 * t + rng.normal(size=40)})
    frame.write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_a_table_is_described(table):
    said = tasks.describe(silent, table, {"n": "nominal"})
    assert said["rows"] == 40
    assert [column["scale"] for column in said["columns"]] == ["ratio", "nominal", "nominal", "ratio"]
    assert len(said["first"]) == 10
    json.dumps(said)


def test_a_model_predicts(table, tmp_path):
    frame = pl.read_csv(table)
    learned = credo.learn(frame, "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    credo.save(learned.model, tmp_path / "model.credo")
    said = tasks.predict(silent, tmp_path / "model.credo", [{"t": 50.0, "lot": "a", "n": 3}], 0.9)
    assert said["rows"][0]["low"] < said["rows"][0]["y"] < said["rows"][0]["high"]
    assert said["missing"] == []
    json.dumps(said)
    rows = [{"t": 50.0, "lot": "a", "n": 3}, {"t": 50.0, "n": None}]
    assert tasks.predict(silent, tmp_path / "model.credo", rows, 0.9)["missing"] == ["lot"]
    with pytest.raises(InputError, match=r"goes by no column 'T'\. It goes by 't', 'lot', 'n'\. Correct"):
        tasks.predict(silent, tmp_path / "model.credo", [{"T": 50.0}], 0.9)


def test_the_next_runs_come_with_a_table_to_fill_in(table):
    said = tasks.next_runs(silent, table, "y", "maximize", 2, {"n": "nominal"})
    assert len(said["runs"]) == 2
    assert said["csv"].splitlines()[0] == "t,lot,n,y"
    assert all(isinstance(run["params"]["n"], str) for run in said["runs"])


@pytest.mark.slow
def test_learning_leaves_a_model_a_report_and_the_inputs(table, tmp_path):
    phases = []
    said = tasks.learn(phases.append, table, tmp_path, "y", {"n": "nominal"}, [], "maximize")
    assert phases == ["reading", "trying models", "what it goes by", "what to measure next", "writing"]
    folder = latest(tmp_path)
    assert folder is not None
    assert said["scales"] == {"n": "nominal"}
    assert {entry["name"] for entry in said["inputs"]} == {"t", "lot", "n"}
    y = pl.read_csv(table)["y"]
    assert said["range"] == [y.min(), y.max()]
    assert json.loads((folder / "learned.json").read_text()) == json.loads(json.dumps(said))
