"""Studies by JSON: from the first suggestion to the best, from a table and back, and what is refused."""

import polars as pl
import pytest

from app_requests import request
from credo.decide import open_study

FIRST = {
    "name": "tank",
    "directions": {"yield": "maximize"},
    "parameters": {"t": {"low": 20, "high": 80}, "solvent": {"options": ["water", "ethanol"]}},
    "bounds": ["impurity <= 0.5"],
}


def begun(app, **settings):
    return request(app, "POST", "/api/studies", body={**FIRST, **settings})


def test_from_the_first_suggestion_to_the_best(app, rooms):
    id = begun(app).json["id"]
    path = f"/api/studies/{id}"
    (trial,) = request(app, "POST", f"{path}/ask", body={}).json
    assert 20 <= trial["params"]["t"] <= 80
    assert trial["why"]
    told = {"values": {"yield": 3.5, "impurity": 0.1}, "note": "by hand"}
    assert request(app, "POST", f"{path}/trials/{trial['number']}", body=told).json == {"accepted": True}
    assert request(app, "POST", f"{path}/trials/{trial['number']}", body=told).json == {"accepted": True}
    other = {"values": {"yield": 4.5, "impurity": 0.1}}
    assert request(app, "POST", f"{path}/trials/{trial['number']}", body=other).status == 422
    state = request(app, "GET", path).json
    assert state["best"] == [trial["number"]]
    assert state["counts"]["done"] == 1
    assert state["outcomes"] == ["yield", "impurity"]
    assert open_study("tank", rooms.storage).best.values == {"yield": 3.5, "impurity": 0.1}


def test_what_failed_is_kept_as_failed(app):
    path = f"/api/studies/{begun(app).json['id']}"
    (trial,) = request(app, "POST", f"{path}/ask", body={}).json
    assert request(app, "POST", f"{path}/trials/{trial['number']}", body={"failed": True}).json == {"accepted": True}
    assert request(app, "GET", path).json["trials"][0]["state"] == "failed"
    assert request(app, "GET", f"{path}/standing").json == ["best measured: nothing that counts"]


def test_from_a_table_with_runs_under_way(app):
    runs = pl.DataFrame({"t": [20.0, 40.0, 60.0, 80.0, 50.0], "yield": [1.0, 3.0, 4.0, 2.0, None]})
    table = request(app, "POST", "/api/tables?name=runs.csv", body=runs.write_csv().encode()).json["id"]
    made = begun(app, parameters={}, bounds=[], table=table).json["id"]
    state = request(app, "GET", f"/api/studies/{made}").json
    assert [trial["state"] for trial in state["trials"]] == ["done"] * 4 + ["running"]
    assert state["trials"][4]["params"] == {"t": 50}
    answer = request(app, "GET", f"/api/studies/{made}/trials.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="trials.csv"'
    assert answer.text.splitlines()[3] == "2,60,4.0,done,"


def test_from_a_table_with_what_was_said_of_its_columns(app):
    runs = pl.DataFrame({"t": [20.0, 40.0, 60.0, 80.0], "reactor": [1, 5, 1, 9], "yield": [1.0, 3.0, 4.0, 2.0]})
    table = request(app, "POST", "/api/tables?name=runs.csv", body=runs.write_csv().encode()).json["id"]
    given = {"parameters": {}, "bounds": [], "table": table, "scales": {"reactor": "nominal"}}
    made = begun(app, **given).json["id"]
    state = request(app, "GET", f"/api/studies/{made}").json
    assert [trial["params"]["reactor"] for trial in state["trials"]] == ["1", "5", "1", "9"]
    assert "already" in begun(app, **given).json["error"]
    two = {"directions": {"yield": "maximize", "t": "minimize"}, "name": "two"}
    assert begun(app, **given | two).status == 422
    assert begun(app, **given | {"name": "three", "scales": {"Reactor": "nominal"}}).status == 422


def test_many_studies_the_newest_first(app):
    assert request(app, "GET", "/api/studies").json == []
    begun(app)
    begun(app, name="<script>alert(1)</script>")
    found = request(app, "GET", "/api/studies").json
    assert [study["name"] for study in found] == ["<script>alert(1)</script>", "tank"]
    assert found[0]["done"] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"parameters": {}},
        {"parameters": {"t": {"low": 80, "high": 20}}},
        {"parameters": {"t": {"low": 1.5, "high": 4, "whole": True}}},
        {"parameters": {"t": {"options": ["one"]}}},
        {"parameters": {"t": {}}},
        {"directions": {}},
        {"directions": {"yield": "up"}},
        {"bounds": ["impurity is small"]},
        {"name": ""},
    ],
)
def test_wrong_studies_are_refused_in_words(app, wrong):
    answer = begun(app, **wrong)
    assert answer.status == 422
    assert answer.json["error"]
    assert request(app, "GET", "/api/studies").json == []


def test_a_name_is_given_once_and_what_is_not_there_is_missing(app):
    begun(app)
    assert "already" in begun(app).json["error"]
    assert begun(app, name="other", table="0" * 16).status == 404
    for method, path, body in (
        ("GET", "", b""),
        ("POST", "/ask", {}),
        ("GET", "/standing", b""),
        ("GET", "/trials.csv", b""),
        ("POST", "/trials/0", {"failed": True}),
        ("POST", "/chart", {"kind": "history"}),
    ):
        answer = request(app, method, f"/api/studies/77{path}", body=body)
        assert answer.status == 404, path
        assert answer.json == {"error": "There is no such study."}
