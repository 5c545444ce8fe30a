"""The work on studies, done here: plain values in and out, pictures with words and numbers."""

import json

import pytest

from credo.app.web import study_tasks
from credo.decide import Study
from credo.represent import Real, Space


def silent(phase):
    pass


@pytest.fixture
def storage(tmp_path):
    where = str(tmp_path / "studies.db")
    study = Study(Space({"a": Real(0, 1), "state": Real(0, 1)}), storage=where, name="first", random_state=0)
    study.add([{"a": 0.1 * i, "state": 0.1 * (i * 3 % 10)} for i in range(10)], [(i - 4.0) ** 2 for i in range(10)])
    return where


def test_a_study_is_shown(storage):
    said = study_tasks.of_study(silent, storage, 1, study_tasks.shown)
    assert said["best"] == [4]
    assert said["counts"] == {"waiting": 0, "running": 0, "done": 10, "failed": 0}
    assert said["charts"]["contour"] == [["a", "state"], ["a", "state"]]
    assert "pareto" not in said["charts"]
    assert json.loads(json.dumps(said)) == said


def test_a_column_may_be_called_as_ours(storage):
    lines = study_tasks.of_study(silent, storage, 1, study_tasks.exported).splitlines()
    assert lines[0] == "trial,a,state,value,state_,note"
    assert len(lines) == 11


@pytest.mark.parametrize(("kind", "columns"), [("history", []), ("slice", ["state"]), ("parallel", [])])
def test_pictures_come_with_words_and_numbers(storage, kind, columns):
    said = study_tasks.of_study(silent, storage, 1, study_tasks.chart, kind, columns)
    assert said["spec"]["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert said["words"].endswith(".")
    assert said["tables"][0]["rows"]
    json.dumps(said, allow_nan=False)


@pytest.mark.slow
def test_where_it_stands(storage):
    lines = study_tasks.of_study(silent, storage, 1, study_tasks.standing)
    assert lines[0].startswith("best measured: #4 a = 0.4")
    assert lines[1].startswith("recommended: ")
    assert lines[2].startswith("left to gain: at most")


def test_a_study_is_found_once_it_is_there(tmp_path):
    where = str(tmp_path / "studies.db")
    assert study_tasks.of_study(silent, where, 1, study_tasks.shown) is None
    Study(Space({"a": Real(0, 1)}), storage=where, name="first", random_state=0)
    assert study_tasks.of_study(silent, where, 1, study_tasks.shown)["name"] == "first"
