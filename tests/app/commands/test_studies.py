"""Studies from the command line, from the first suggestion to the best."""

import json
import sys

import pytest
from typer.testing import CliRunner

from credo.app.interface import app
from credo.decide import open_study


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def run(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


@pytest.fixture
def where(tmp_path):
    path = tmp_path / "studies.db"
    run(
        "study",
        "new",
        "tank",
        "-p",
        "t=20..80",
        "-p",
        "s=water|ethanol",
        "--maximize",
        "--objective",
        "yield",
        "-s",
        path,
    )
    return path


def test_ask_and_tell(where):
    trial = json.loads(run("study", "ask", "tank", "-s", where, "--json"))["trials"][0]
    assert trial["number"] == 0
    assert set(trial["params"]) == {"t", "s"}
    assert "Kept" in run("study", "tell", "tank", 0, 63.5, "-s", where)
    assert "Kept" in run("study", "tell", "tank", 0, "yield=63.5", "-s", where)  # the same again
    assert invoke("study", "tell", "tank", 0, 1.0, "-s", where).exception is not None
    assert open_study("tank", where).best.value == 63.5


def test_failed_trials_and_wrong_values(where):
    run("study", "ask", "tank", "-n", 2, "-s", where)
    run("study", "tell", "tank", 0, "--failed", "--note", "leaked", "-s", where)
    assert open_study("tank", where).trials[0].note == "leaked"
    for wrong in ([], ["much"], ["yield=1", "other=2"]):
        assert invoke("study", "tell", "tank", 1, *wrong, "-s", where).exception is not None


def test_a_program_measures_and_status_and_show_tell(where, tmp_path):
    code = "print({t} if '{s}' == 'water' else 0)"
    run("study", "run", "tank", "-n", 3, "-s", where, "--", sys.executable, "-c", code)
    said = json.loads(run("study", "status", "-s", where, "--json"))
    assert said["studies"][0]["done"] == 3
    assert "tank" in run("study", "status", "-s", where)
    assert "best" in run("study", "show", "tank", "-s", where, "-o", tmp_path / "study.html")
    assert (tmp_path / "study.html").exists()


def test_a_worker_takes_trials(where):
    said = run("work", "tank", "-n", 2, "-s", where, "--", sys.executable, "-c", "print({t})")
    assert said.count("done") == 2


def test_a_study_from_past_runs_and_names_that_are_taken(tmp_path):
    (tmp_path / "runs.csv").write_text("t,yield\n" + "".join(f"{20 + i},{i * (9 - i)}\n" for i in range(10)))
    path = tmp_path / "studies.db"
    run("study", "new", "past", "--from", tmp_path / "runs.csv", "--objective", "yield", "--maximize", "-s", path)
    assert len(open_study("past", path).trials) == 10
    again = invoke("study", "new", "past", "-p", "t=1..2", "-s", path)
    assert "there is a study" in str(again.exception)
    assert "no parameter" in str(invoke("study", "new", "other", "-s", path).exception)
    assert run("study", "status", "-s", tmp_path / "none.db").strip() == "No studies."
