"""Tables, learning and predictions by JSON."""

from functools import partial

import numpy as np
import polars as pl
import pytest

import credo
from app_requests import put_learned, request
from credo.app.web import api
from credo.app.web.child import Job
from credo.app.web.workspace import Entry
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
    put_learned(rooms, rooms.workspace.entry(table), {"target": "y"}, save=partial(credo.save, learned.model))
    said = request(app, "POST", f"{path}/predict", body=asked).json
    assert said["rows"][0]["low"] < said["rows"][0]["y"] < said["rows"][0]["high"]
    assert said["missing"] == []
    assert request(app, "POST", f"{path}/predict", body={"rows": [{"t": 50.0}]}).json["missing"] == ["lot"]
    misspelt = request(app, "POST", f"{path}/predict", body={"rows": [{"t": 50.0, "Lot": "a"}]})
    assert misspelt.status == 422
    assert misspelt.json["error"].startswith("credo: the model goes by no column 'Lot'. It goes by 't', 'lot'.")
    for wrong in ({"rows": []}, {"rows": [{"t": [1]}]}, {"rows": [{}], "level": 2}, {"rows": "all"}, {}):
        assert request(app, "POST", f"{path}/predict", body=wrong).status == 422
    missing = request(app, "POST", f"{path}/predict", body={"rows": [{"t": "much", "lot": "a"}]})
    assert missing.status == 422
    assert "error" in missing.json


def test_the_next_runs_go_by_what_was_said_of_columns(app):
    runs = pl.DataFrame({"t": [20.0, 40.0, 60.0, 80.0], "reactor": [1, 5, 1, 9], "y": [1.0, 3.0, 4.0, 2.0]})
    id = request(app, "POST", "/api/tables?name=runs.csv", body=runs.write_csv().encode()).json["id"]
    asked = {"target": "y", "direction": "maximize", "n": 2}
    guessed = request(app, "POST", f"/api/tables/{id}/next", body=asked).json
    assert all(isinstance(run["params"]["reactor"], int) for run in guessed["runs"])
    said = request(app, "POST", f"/api/tables/{id}/next", body={**asked, "scales": {"reactor": "nominal"}}).json
    assert {run["params"]["reactor"] for run in said["runs"]} <= {"1", "5", "9"}


def test_what_would_take_too_long_is_not_begun(app, table):
    asked = {"target": "y", "direction": "maximize", "n": 21}
    assert request(app, "POST", f"/api/tables/{table}/next", body=asked).status == 422


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


def test_two_tables_are_learnt_at_once(app, monkeypatch):
    jobs = []
    monkeypatch.setattr(api, "start", lambda *arguments, **settings: jobs.append(Job()) or jobs[-1])
    ids = [request(app, "POST", "/api/tables?name=x.csv", body=b"y\n1\n").json["id"] for _ in range(3)]
    answers = [request(app, "POST", f"/api/tables/{id}/learn", body={"target": "y"}) for id in ids]
    assert [answer.status for answer in answers] == [202, 202, 429]
    assert answers[2].json["error"].startswith("2 tables are being learnt already.")
    jobs[0]._end("done")
    assert request(app, "POST", f"/api/tables/{ids[2]}/learn", body={"target": "y"}).status == 202


def test_a_table_is_deleted_with_its_files_and_its_job(app, rooms, table, monkeypatch):
    job = Job()
    monkeypatch.setattr(job, "stop", lambda: job._end("failed", error="stopped"))
    rooms.jobs[table] = job
    folder = rooms.workspace.folder(rooms.workspace.entry(table))
    other = request(app, "POST", "/api/tables?name=x.csv", body=b"y\n1\n").json["id"]
    assert request(app, "DELETE", f"/api/tables/{table}").json == {"deleted": table}
    assert job.error == "stopped"
    assert not folder.exists()
    assert [entry["id"] for entry in request(app, "GET", "/api/tables").json] == [other]
    for path in (table, "../tables", "x"):
        assert request(app, "DELETE", f"/api/tables/{path}").status == 404


@pytest.mark.parametrize("name", ["x.exe", "../../x.py", "a.svg"])
def test_other_files_are_refused(app, name):
    assert request(app, "POST", f"/api/tables?name={name}", body=b"1").status == 422


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "'table.csv' is empty"), (b"\xff\xfe\x00bad", "has no rows"), (b"a,b\n", "has no rows")],
)
def test_wrong_tables_are_refused_in_words(app, content, words):
    id = request(app, "POST", "/api/tables?name=x.csv", body=content).json["id"]
    answer = request(app, "POST", f"/api/tables/{id}/columns", body={})
    assert answer.status == 422
    assert answer.json["error"].startswith("Table.read: ")
    assert words in answer.json["error"]


def test_a_body_that_does_not_say_how_long_it_is_ends_at_the_limit(app):
    for path in ("/api/tables?name=x.csv", f"/api/tables/{'0' * 16}/predict"):
        answer = request(app, "POST", path, body=b"x" * (2**20 + 1))
        assert answer.status == 413
        assert answer.json == {"error": "At most 1 MiB are taken."}


def test_an_upload_beyond_the_limit_leaves_nothing(app, rooms):
    assert request(app, "POST", "/api/tables?name=x.csv", body=b"x" * (2**20 + 1)).status == 413
    assert request(app, "GET", "/api/tables").json == []
    assert not list((rooms.workspace.folder(Entry("x", "x", "csv", 0.0))).parent.iterdir())
