"""Measuring with a program."""

import sys

import pytest

from credo.decide import Program, Study
from credo.decide.study.work import CannotMeasureError
from credo.errors import CredoError, InputError, NumericalError
from credo.represent.space import Choice, Real, Space

PYTHON = (sys.executable, "-c")


def test_parameters_come_by_name_and_as_json():
    assert Program((*PYTHON, "print({x} + 1)"))({"x": 0.5}) == 1.5
    code = "import json, sys; p = json.load(sys.stdin); print('working'); print(json.dumps({'y': p['x'] * 2}))"
    assert Program((*PYTHON, code))({"x": 4.0}) == {"y": 8.0}
    code = "import json, os; print(len(json.loads(os.environ['CREDO_TRIAL'])))"
    assert Program((*PYTHON, code))({"x": 4.0, "s": "a"}) == 2.0


def test_a_value_is_never_a_command():
    code = "import sys; print(len(sys.argv[1]))"
    assert Program((*PYTHON, code, "{s}"))({"s": "; rm -rf / #"}) == 12.0


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "print('done')", "pass", "print('nan')", "print('[1]')"])
def test_what_is_no_result_is_an_error(code):
    with pytest.raises(NumericalError):
        Program((*PYTHON, code))({"x": 1.0})


def test_no_program():
    with pytest.raises(InputError, match="no program"):
        Program(())


@pytest.mark.parametrize("kind", ["missing", "not executable", "a folder", "no program at all"])
def test_one_that_cannot_be_started_fails_no_trial(kind, tmp_path):
    path = tmp_path / "measure"
    if kind == "a folder":
        path.mkdir()
    elif kind != "missing":
        path.write_text("1.0\n")
        path.chmod(0o755 if kind == "no program at all" else 0o644)
    study = Study(Space({"x": Real(0, 1)}), acquisition="random", random_state=0)
    with pytest.raises(CannotMeasureError, match=r"measure' cannot be started: .+ Check its path"):
        study.optimize(Program((str(path), "{x}")), 3)
    assert study.storage.counts(study.record).failed == 0
    assert study.ask().number == 0


def test_one_that_takes_too_long_is_ended():
    with pytest.raises(CredoError, match="longer than"):
        Program((*PYTHON, "import time; time.sleep(60)"), timeout=0.5)({"x": 1.0})


def test_a_study_measures_with_it():
    study = Study(Space({"x": Real(0, 1), "s": Choice("a", "b")}), acquisition="random", random_state=0)
    study.optimize(Program((*PYTHON, "assert '{s}' == 'a'; print({x})")), 12)
    assert {trial.state for trial in study.trials} == {"done", "failed"}
    assert all((trial.params["s"] == "a") == (trial.state == "done") for trial in study.trials)
