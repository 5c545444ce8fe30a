"""What strangers send, on the command line: a result or one sentence, the right code, and nothing that runs."""

import io
import os
import shlex

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import credo
import hostile_files
import hostile_packed
from bounded_process import HELD, run_bounded
from credo.app.interface import app
from credo.decide.learning import OnTable, Spread, Surroundings, TableModel
from credo.errors import CredoError
from credo.models import MeanRegressor
from credo.represent import Limits
from credo.represent.table.read import read_frame
from harmless_pages import words_of
from hostile_files import FORMULAS, MARKUP, learnable
from hostile_models import FORGED
from quick_learning import learn_quickly

READABLE = [*hostile_files.READABLE, *hostile_packed.READABLE]
REFUSED = [*hostile_files.REFUSED, *hostile_packed.REFUSED]
LEARNT = [case for case in READABLE if case.name.startswith(("names_", "levels_", "same_name", "mixed.csv", "years"))]
pytestmark = pytest.mark.timeout(120)


def run(*arguments):
    """What a command wrote, and the sentence it ended with: any error but one of credo is a failure of the test."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, CredoError | SystemExit):
        raise result.exception
    return result.output, str(result.exception or "")


def cells_of(text):
    """Every cell of a CSV file, names included, as a spreadsheet sees it."""
    rows = pl.read_csv(io.BytesIO(text.encode()), has_header=False, infer_schema=False).rows()
    return [cell for row in rows for cell in row if cell is not None]


def is_formula(cell):
    try:
        float(cell)
    except ValueError:
        return cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    return False


def _name(case):
    return case.name


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Of the columns `t` and `lot`, which most of these files have."""
    path = tmp_path_factory.mktemp("model") / "model.credo"
    t = np.random.default_rng(0).normal(size=40)
    frame = pl.DataFrame({"t": t, "lot": ["a", "b"] * 20})
    learned = OnTable(estimator=MeanRegressor()).fit(frame, t)
    around = Surroundings(learned.encoder_.transform(frame), 1.0)
    credo.save(TableModel("y", "number", learned, Spread(8.0, 1.2), None, around, ("learnt",)), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("case", READABLE, ids=_name)
def test_predictions_of_strange_rows(case, model, tmp_path):
    said, error = run("predict", model, case.write(tmp_path), "--out", tmp_path / "said.csv")
    assert ("Wrote" in said) != bool(error)
    if not error:
        written = tmp_path / "said.csv"
        encoding = read_frame(written, Limits()).dialect.encoding  # that of the rows
        assert not any(map(is_formula, cells_of(written.read_bytes().decode(encoding))))
    assert {path.name for path in tmp_path.iterdir()} <= {case.name, "said.csv"}


@pytest.mark.parametrize("case", REFUSED, ids=_name)
def test_what_is_no_table_is_one_sentence(case, model, tmp_path):
    path = case.write(tmp_path)
    for arguments in (("learn", path, "-t", "y", "--out", tmp_path / "run"), ("next", path, "-t", "y", "--maximize")):
        said, error = run(*arguments)
        assert case.refusal in error
        assert said == ""
    assert run("predict", model, path)[1]
    assert run("audit", model, path)[1]
    assert [found.name for found in tmp_path.iterdir()] == [case.name]


@pytest.mark.slow
@pytest.mark.parametrize("case", LEARNT, ids=_name)
def test_strange_tables_are_learnt_explained_compared_and_audited(case, tmp_path, monkeypatch):
    learn_quickly(monkeypatch)
    path, out = case.write(tmp_path), tmp_path / "run"
    said, error = run("learn", path, "-t", "y", "--out", out)
    assert not error
    assert "\x1b" not in said
    words = words_of((out / "report.html").read_text(encoding="utf-8"))
    assert "y, a number" in words
    for evil in MARKUP if case.name == "names_markup.csv" else ():
        assert evil in words
    for command in ("explain", "compare"):
        assert run(command, path, "-t", "y")[0]
    assert run("audit", out / "model.credo", path)[0]
    assert "Wrote" in run("predict", out / "model.credo", path, "--out", tmp_path / "said.csv")[0]
    assert not any(map(is_formula, cells_of((tmp_path / "said.csv").read_text(encoding="utf-8"))))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["markup", "formulas", "signs", "own", "letters"])
def test_the_next_runs_of_strange_names(kind, tmp_path):
    case = next(case for case in READABLE if case.name == f"names_{kind}.csv")
    said, error = run("next", case.write(tmp_path), "-t", "y", "--minimize", "-n", "1", "--out", tmp_path / "next.csv")
    assert not error, said
    assert "\x1b" not in said
    assert not any(map(is_formula, cells_of((tmp_path / "next.csv").read_text(encoding="utf-8"))))


@pytest.mark.slow
def test_names_of_files_are_words_and_no_commands(tmp_path, monkeypatch):
    learn_quickly(monkeypatch)
    path = tmp_path / "a;touch hacked;$(touch hacked)<script>alert(1)< script>.csv"
    path.write_bytes(learnable(["t"]))
    assert not run("learn", path, "-t", "y", "--out", tmp_path / "run")[1]
    words = words_of((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    assert f"credo learn {shlex.quote(str(path))} --target y" in words
    assert not (tmp_path / "hacked").exists()


@pytest.mark.slow
def test_a_name_that_has_no_letters_is_told_by_its_bytes(tmp_path, monkeypatch):
    learn_quickly(monkeypatch)
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    with open(path, "wb") as file:
        file.write(learnable(["t"]))
    assert not run("learn", path, "-t", "y", "--out", tmp_path / "run")[1]
    assert "\\udcff.csv" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["learn", "next", "predict"])
def test_places_where_nothing_can_be_written(command, model, tmp_path):
    (tmp_path / "runs.csv").write_bytes(learnable(["t"]))
    taken = tmp_path / "runs.csv" / "inside"
    given = {
        "learn": ("learn", tmp_path / "runs.csv", "-t", "y", "--out", taken),
        "next": ("next", tmp_path / "runs.csv", "-t", "y", "--maximize", "--out", taken),
        "predict": ("predict", model, tmp_path / "runs.csv", "--out", taken),
    }[command]
    with pytest.MonkeyPatch.context() as patch:
        learn_quickly(patch)
        error = run(*given)[1]
    assert repr(str(taken)) in error
    assert error.endswith(".")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FORGED))
def test_forged_models_are_one_sentence(name, model, tmp_path):
    path, rows = tmp_path / "model.credo", tmp_path / "new.csv"
    FORGED[name](model, path)
    rows.write_bytes(learnable(["t"]))
    said, error = run("predict", path, rows)
    assert said == ""
    assert error.startswith("credo")
    assert str(path) in error
    audited, error = run("audit", path, rows)  # which asks less of a model
    assert bool(audited) != (str(path) in error)
    assert not (tmp_path / "hacked").exists()


_COMMAND = """
from bounded_process import tell_peak
from credo.app.command import main
try:
    main()
finally:
    tell_peak()
"""


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in hostile_packed.BOMBS if case.refusal], ids=_name)
def test_bombs_end_a_command_with_two_and_a_sentence(case, tmp_path):
    ended = run_bounded(_COMMAND, "learn", case.write(tmp_path), "-t", "y", "--out", tmp_path / "run", seconds=100.0)
    assert ended.code == 2, ended.err[-500:]
    assert "Traceback" not in ended.err
    assert case.refusal in ended.err
    assert 0 < ended.peak < HELD


def test_formulas_are_found_by_the_test():
    """So that it could fail."""
    assert all(map(is_formula, FORMULAS[:5]))
    with pytest.raises(AssertionError):
        words_of('<p onclick="x">')
    with pytest.raises(AssertionError):
        words_of("<script>alert(1)</script>")
