"""Tables, learning and predictions by JSON."""

import json

import numpy as np
import polars as pl
import pytest

import credo
from app_requests import request
from credo.app.web import api
from credo.app.web.child import Job
from credo.models import BayesianLinearRegression


def rows(n=40):
    rng = np.random.default_rng(0)
    t, lot = rng.uniform(20, 80, n), rng.choice(["a", "b"], n)
    return pl.DataFrame({"t": t, "lot": lot, "y": 0.5 * t + rng.normal(size=n)})


@pytest.fixture
def table(app):
    return request(app, "POST", "/api/tables?name=runs.csv", body=rows().write_csv().encode()).json["id"]


def test_upload_and_columns(app, table):
    assert [entry["name"] for entry in request(app, "GET", "/api/tables").json] == ["runs.csv"]
    said = request(app, "POST", f"/api/tables/{table}/columns", body={"scales": {"t": "interval"}}).json
    assert [column["scale"] for column in said["columns"]] == ["interval", "nominal", "ratio"]


def test_a_learnt_table_predicts_and_what_is_wrong_is_said(app, rooms, table):
    path = f"/api/tables/{table}"
    asked = {"rows": [{"t": 50.0, "lot": "a"}]}
    assert request(app, "POST", f"{path}/predict", body=asked).status == 404
    learned = credo.learn(rows(), "y", candidates={"linear": BayesianLinearRegression()}, plan="5-fold")
    folder = rooms.workspace.folder(rooms.workspace.entry(table))
    credo.save(learned.model, folder / "model.credo")
    (folder / "learned.json").write_text(json.dumps({"target": "y"}))
    said = request(app, "POST", f"{path}/predict", body=asked).json
    assert said[0]["low"] < said[0]["y"] < said[0]["high"]
    for wrong in ({"rows": []}, {"rows": [{"t": [1]}]}, {"rows": [{}], "level": 2}, {"rows": "all"}, {}):
        assert request(app, "POST", f"{path}/predict", body=wrong).status == 422
    missing = request(app, "POST", f"{path}/predict", body={"rows": [{"t": "much", "lot": "a"}]})
    assert missing.status == 422
    assert "error" in missing.json


def test_the_next_runs(app, table):
    said = request(app, "POST", f"/api/tables/{table}/next", body={"target": "y", "direction": "maximize", "n": 1}).json
    assert len(said["runs"]) == 1
    assert (
        request(app, "POST", f"/api/tables/{table}/next", body={"target": "z", "direction": "maximize"}).status == 422
    )


def test_jobs_are_told(app, rooms, table, monkeypatch):
    path = f"/api/tables/{table}"
    assert request(app, "GET", f"{path}/job").status == 404
    job = Job(phase="trying models")
    monkeypatch.setattr(api, "start", lambda *arguments, **settings: job)
    assert request(app, "POST", f"{path}/learn", body={"target": "y"}).status == 202
    assert request(app, "GET", f"{path}/job").json["phase"] == "trying models"
    assert request(app, "POST", f"{path}/learn", body={"target": "y"}).status == 409
    job._end("failed", error="Table: it is empty.")
    assert request(app, "GET", f"{path}/job").json["error"] == "Table: it is empty."
    assert request(app, "POST", f"{path}/learn", body={"target": "y"}).status == 202


@pytest.mark.parametrize("name", ["x.exe", "../../x.py", "a.svg"])
def test_other_files_are_refused(app, name):
    assert request(app, "POST", f"/api/tables?name={name}", body=b"1").status == 422


def test_wrong_tables_are_refused_in_words(app):
    for content in (b"", b"\xff\xfe\x00bad", b"a,b\n"):
        id = request(app, "POST", "/api/tables?name=x.csv", body=content).json["id"]
        answer = request(app, "POST", f"/api/tables/{id}/columns", body={})
        assert answer.status in (200, 422)
        assert "Traceback" not in answer.text


def test_a_body_that_does_not_say_how_long_it_is_ends_at_the_limit(app):
    for path in ("/api/tables?name=x.csv", f"/api/tables/{'0' * 16}/predict"):
        answer = request(app, "POST", path, body=b"x" * (2**20 + 1))
        assert answer.status == 413
        assert answer.json == {"error": "At most 1 MiB are taken."}
