"""From a table to a model, a prediction and an audit, as a person types it."""

import json
import shlex

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

import credo
from credo.app.interface import app
from credo.decide import TableModel
from credo.errors import FileError, InputError
from credo.models import BayesianLinearRegression
from quick_learning import learn_quickly


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    t, lot = rng.uniform(20, 80, n), rng.choice(["a", "b"], n)
    return pl.DataFrame({"t": t, "lot": lot, "=y": 0.5 * t + 5.0 * (lot == "b") + rng.normal(size=n)})


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("learned") / "model.credo"
    credo.save(
        credo.learn(rows(60), "=y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold").model, path
    )
    return path


@pytest.mark.slow
def test_learn_writes_a_model_and_a_report_and_says_what_it_found(tmp_path):
    rows(60).write_csv(tmp_path / "runs.csv")
    said = json.loads(run("learn", tmp_path / "runs.csv", "--target", "=y", "--maximize", "--out", tmp_path, "--json"))
    assert isinstance(credo.load(tmp_path / "model.credo"), TableModel)
    assert "What to measure next" in (tmp_path / "report.html").read_text()
    assert said["model"] == "linear"
    assert said["kind"] == "number"
    assert said["skill"] > 0.5
    assert {row["model"] for row in said["scores"]} >= {"no columns", "linear", "boosted trees"}


def test_predict_writes_a_table_that_runs_no_formula(model, tmp_path):
    rows(5, 1).drop("=y").write_csv(tmp_path / "new.csv")
    said = run("predict", model, tmp_path / "new.csv", "--out", tmp_path / "said.csv")
    assert "5 rows" in said
    written = pl.read_csv(tmp_path / "said.csv")
    assert "'=y" in written.columns
    assert (written["low"] < written["'=y"]).all()
    printed = run("predict", model, tmp_path / "new.csv")
    assert printed.splitlines()[0] == (tmp_path / "said.csv").read_text().splitlines()[0]


def test_predictions_are_written_as_the_rows_are(model, tmp_path):
    (tmp_path / "new.csv").write_text("t;lot\n50,5;a\n60,25;b\n")
    run("predict", model, tmp_path / "new.csv", "--out", tmp_path / "said.csv")
    first = (tmp_path / "said.csv").read_text().splitlines()[1].split(";")
    assert first[:2] == ["50,5", "a"]
    assert float(first[2].replace(",", ".")) == pytest.approx(0.5 * 50.5, abs=2.0)


def test_predict_says_which_rows_are_far(model, tmp_path):
    pl.DataFrame({"t": [50.0, 900.0], "lot": ["a", "a"]}).write_csv(tmp_path / "new.csv")
    said = json.loads(run("predict", model, tmp_path / "new.csv", "--json", "--level", "0.5"))
    assert [row["far from the data"] for row in said["rows"]] == [False, True]
    assert said["level"] == 0.5
    assert "1 of them are far" in run("predict", model, tmp_path / "new.csv", "--out", tmp_path / "said.csv")


def test_audit_ends_with_one_where_the_promise_is_broken(model, tmp_path):
    rows(300, 2).write_csv(tmp_path / "good.csv")
    assert json.loads(run("audit", model, tmp_path / "good.csv", "--json"))["verdict"] == "honest"
    loud = rows(300, 3).with_columns(pl.col("=y") + 10.0 * pl.Series(np.random.default_rng(0).normal(size=300)))
    loud.write_csv(tmp_path / "bad.csv")
    assert "overconfident" in run("audit", model, tmp_path / "bad.csv", code=1)


def test_an_audit_at_rows_that_were_learnt_from_says_so(model, tmp_path):
    pl.concat([rows(60)[:12], rows(5, 4)]).write_csv(tmp_path / "known.csv")
    assert "12 of these rows look like rows that it was learnt from" in run("audit", model, tmp_path / "known.csv")
    assert json.loads(run("audit", model, tmp_path / "known.csv", "--json"))["seen"] == 12


def test_names_that_look_like_numbers_stay_names(tmp_path):
    rng = np.random.default_rng(0)
    code = rng.choice(["08001", "09002"], 60)
    frame = pl.DataFrame({"zip": code, "y": (code == "08001") * 10.0 + rng.normal(size=60)})
    model = credo.learn(frame, "y", scales={"zip": "nominal"}, candidates={"linear": BayesianLinearRegression()}).model
    credo.save(model, tmp_path / "model.credo")
    (tmp_path / "new.csv").write_text("zip\n08001\n09002\n")
    said = json.loads(run("predict", tmp_path / "model.credo", tmp_path / "new.csv", "--json"))
    assert [round(row["y"]) for row in said["rows"]] == [10, 0]


def test_wrong_files_are_told_apart(model, tmp_path):
    rows(5).drop("=y").write_csv(tmp_path / "new.csv")
    for arguments, match in [
        (("audit", model, tmp_path / "new.csv"), "An audit needs what came out"),
        (("learn", tmp_path / "new.csv"), "no target was named"),
        (("predict", tmp_path / "new.csv", tmp_path / "new.csv"), "new.csv"),
    ]:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert isinstance(result.exception, InputError | ValueError)
        assert match in str(result.exception)
    credo.save({"a": 1}, tmp_path / "other.credo")
    result = CliRunner().invoke(app, ["predict", str(tmp_path / "other.credo"), str(tmp_path / "new.csv")])
    assert "holds a dict" in str(result.exception)


@pytest.mark.slow
def test_compare_and_explain(tmp_path):
    rows(60).write_csv(tmp_path / "runs.csv")
    said = run("compare", tmp_path / "runs.csv", "-t", "=y")
    assert "Gaussian process" in said
    found = json.loads(run("explain", tmp_path / "runs.csv", "-t", "=y", "--json"))
    assert found["importance"]["names"] == ["t", "lot"]


@pytest.mark.slow
def test_without_a_file_it_learns_the_example(tmp_path):
    said = run("learn", "--out", tmp_path)
    assert "yield" in said
    assert (tmp_path / "model.credo").exists()


def test_columns_may_have_the_names_of_what_is_said(model, tmp_path):
    frame = rows(3, 1).drop("=y").with_columns(pl.lit("mine").alias("low"), pl.lit("mine").alias("predicted low"))
    frame.write_csv(tmp_path / "new.csv")
    run("predict", model, tmp_path / "new.csv", "--out", tmp_path / "said.csv")
    written = pl.read_csv(tmp_path / "said.csv")
    assert written["low"].to_list() == written["predicted low"].to_list() == ["mine"] * 3
    assert (written["predicted predicted low"] < written["high"]).all()


def test_the_line_that_makes_it_again_has_every_option(tmp_path, monkeypatch):
    """Each option with another value than its own, and what is read of the line is what was asked."""
    written = []

    def write_report(learned, folder, say, *, command, **others):
        written.append(command)
        raise InputError("report", "enough")

    monkeypatch.setattr("credo.learn", lambda *arguments, **settings: None)
    monkeypatch.setattr("credo.app.report.write_report", write_report)
    file = tmp_path / "my runs.csv"
    rows(20).write_csv(file)
    said = ["-t", "=y", "--scale", "lot=nominal", "--scale", "t=ratio", "--drop", "t", "--keep", "lot", "--minimize"]
    said += ["-o", tmp_path / "that run", "--seed", "3"]
    CliRunner().invoke(app, ["learn", str(file), *map(str, said), "--json"])
    parser = typer.main.get_command(app).commands["learn"]
    read = parser.make_context("learn", shlex.split(written[0])[2:]).params
    asked = {"file": file, "target": "=y", "scale": ["lot=nominal", "t=ratio"], "drop": ["t"], "keep": ["lot"]}
    asked |= {"maximize": False, "out": tmp_path / "that run", "seed": 3, "as_json": False}
    assert {name: str(value) for name, value in read.items()} == {name: str(value) for name, value in asked.items()}


def test_a_place_is_looked_for_before_learning(tmp_path, monkeypatch):
    def learn(*arguments, **settings):
        pytest.fail("it has learnt what it cannot write")

    monkeypatch.setattr("credo.learn", learn)
    rows(20).write_csv(tmp_path / "runs.csv")
    result = CliRunner().invoke(
        app, ["learn", str(tmp_path / "runs.csv"), "-t", "=y", "-o", str(tmp_path / "runs.csv")]
    )
    assert isinstance(result.exception, FileError)
    assert "cannot be written to" in str(result.exception)


@pytest.mark.slow
def test_what_an_earlier_command_wrote_is_replaced_and_this_is_said(tmp_path, monkeypatch):
    learn_quickly(monkeypatch)
    rows(60).write_csv(tmp_path / "runs.csv")
    asked = ("learn", tmp_path / "runs.csv", "-t", "=y", "-o", tmp_path / "run")
    assert json.loads(run(*asked, "--json"))["replaced"] == []
    (tmp_path / "run" / "report.html").unlink()
    assert json.loads(run(*asked, "--json"))["replaced"] == [str(tmp_path / "run" / "model.credo")]
    last = run(*asked).splitlines()[-1]
    assert last.startswith("Replaced")
    assert str(tmp_path / "run" / "model.credo") in last
    assert str(tmp_path / "run" / "report.html") in last


def test_predictions_replace_neither_rows_nor_model(model, tmp_path):
    rows(5, 1).drop("=y").write_csv(tmp_path / "new.csv")
    (tmp_path / "link.csv").symlink_to(tmp_path / "new.csv")
    before = {path: path.read_bytes() for path in (model, tmp_path / "new.csv")}
    for out in (tmp_path / "new.csv", tmp_path / "link.csv", model):
        result = CliRunner().invoke(app, ["predict", str(model), str(tmp_path / "new.csv"), "-o", str(out)])
        assert isinstance(result.exception, InputError)
        assert "would be replaced" in str(result.exception)
    assert {path: path.read_bytes() for path in before} == before
