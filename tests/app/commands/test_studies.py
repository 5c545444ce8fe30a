"""Studies from the command line, from the first suggestion to the best."""

import json
import shlex
import sys

import pytest
from typer.testing import CliRunner

from credo.app.commands import studies
from credo.app.console import code_of
from credo.app.interface import app
from credo.decide import open_study
from credo.errors import ConflictError, InputError, MissingFileError


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


@pytest.mark.parametrize("value", ["-5.2", "-1e-5", "-.5", "yield=-5.2"])
def test_results_may_be_negative(where, value):
    run("study", "ask", "tank", "-s", where)
    run("study", "tell", "tank", 0, value, "--note", "-", "-s", where)
    assert open_study("tank", where).best.value == float(value.rpartition("=")[2])


def test_an_option_that_is_none_is_no_result(where):
    run("study", "ask", "tank", "-s", where)
    assert "'--faild' is no number" in str(invoke("study", "tell", "tank", 0, "--faild", "-s", where).exception)
    assert open_study("tank", where).trials[0].state == "running"


@pytest.mark.parametrize("command", [("study", "run"), ("work",)])
def test_a_program_that_is_not_there_fails_no_trial(where, command):
    result = invoke(*command, "tank", "-n", 3, "-s", where, "--", "./measur", "{t}")
    assert isinstance(result.exception, InputError)
    assert "'./measur' cannot be started" in str(result.exception)
    assert code_of(result.exception) == 2
    assert json.loads(run("study", "status", "-s", where, "--json"))["studies"][0]["failed"] == 0


FAILING = ("--", sys.executable, "-c", "raise SystemExit('no vacuum')")


@pytest.mark.parametrize(
    ("command", "trials"),
    [(("study", "run", "tank", "-n", 3), 3), (("study", "run", "tank"), 5), (("work", "tank"), 5)],
)
def test_where_all_fail_it_ends_with_one_and_says_why(where, command, trials):
    result = invoke(*command, "-s", where, *FAILING)
    assert result.exit_code == 1
    assert f"{trials} trials in a row have failed" in result.stderr
    assert f"trial {trials - 1}, with: " in result.stderr
    assert "no vacuum" in result.stderr
    assert len(open_study("tank", where).trials) == trials


def test_how_many_may_fail_in_a_row_is_an_option(where):
    result = invoke("work", "tank", "-s", where, "--failures", 2, *FAILING)
    assert result.exit_code == 1
    assert len(open_study("tank", where).trials) == 2


def test_one_that_fails_now_and_then_goes_on(where, tmp_path):
    """Every second one fails: never two in a row, and the command has done what was asked."""
    code = f"import pathlib; p = pathlib.Path({str(tmp_path / 'n')!r}); p.touch(); n = p.stat().st_size; "
    code += "p.write_text('.' * (n + 1)); print(1.0 if n % 2 else 'x')"
    said = json.loads(
        run("study", "run", "tank", "-n", 6, "--failures", 2, "-s", where, "--json", "--", sys.executable, "-c", code)
    )
    assert (said["counts"]["done"], said["counts"]["failed"]) == (3, 3)


def test_a_slow_worker_speaks_of_its_own_trial(where, monkeypatch):
    """Another asks and answers while this one measures: the latest trial of the study is not its own."""

    def slow(params):
        other = open_study("tank", where)
        other.tell(other.ask(), 1.0)
        return -7.0

    monkeypatch.setattr("credo.decide.Program", lambda arguments, timeout: slow)
    said = run("work", "tank", "-n", 2, "-s", where, "--", "slow")
    assert said.splitlines() == ['tank: trial 0 done {"yield": -7.0}', 'tank: trial 2 done {"yield": -7.0}']


def test_what_is_to_be_typed_next_can_be(tmp_path, monkeypatch):
    """In another storage than the default, of a study with a blank in its name and two outcomes."""
    monkeypatch.chdir(tmp_path)
    made = ("study", "new", "tank 1", "-p", "t=20..80", "--objective", "yield", "--bound", "im purity <= 0.5")
    said = run(*made, "-s", "my studies.db")
    asked = run(*shlex.split(said.partition("Next: credo ")[2]))
    words = shlex.split(asked.partition("Answer with: credo ")[2])
    assert "Kept" in run(*[word.replace("VALUE", "0.25") for word in words])
    assert open_study("tank 1", "my studies.db").trials[0].values == {"yield": 0.25, "im purity": 0.25}
    assert "Next: credo study ask tank\n" in run("study", "new", "tank", "-p", "t=1..2")


def test_a_password_is_not_printed():
    assert studies._typed("postgresql://me:se:cr@et@host/name", "study", "status").endswith(
        "'postgresql://me:***@host/name'"
    )
    assert studies._shown("sqlite:////tmp/a:b@c.db") == "sqlite:////tmp/a:b@c.db"


def test_to_look_makes_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (["status"], ["ask", "x"], ["tell", "x", 0, 1], ["show", "x"], ["run", "x", "--", "true"]):
        assert isinstance(invoke("study", *words, "-s", "typo.db").exception, MissingFileError)
        assert isinstance(invoke("study", *words).exception, MissingFileError)
    assert not list(tmp_path.iterdir())


def test_what_is_not_there_is_told_in_words_of_the_command_line(where):
    error = str(invoke("study", "ask", "tnak", "-s", where).exception)
    assert "'tank'" in error
    assert f"credo study status -s {where}" in error
    assert "has no trial 3. Nothing was asked" in str(invoke("study", "tell", "tank", 3, 1.0, "-s", where).exception)
    run("study", "ask", "tank", "-s", where)
    assert "Its trials are 0 to 0" in str(invoke("study", "tell", "tank", 3, 1.0, "-s", where).exception)
    assert "-p 't=20..80', or --from" in str(invoke("study", "new", "other", "-s", where).exception)


def test_what_to_measure_is_said_in_words_with_short_numbers(where):
    lines = run("study", "ask", "tank", "-s", where).splitlines()
    params = open_study("tank", where).trials[0].params
    point = f"t = {params['t']:.5f}".rstrip("0") + f", s = {params['s']}"
    assert lines[0] == f"trial 0: {point}"
    assert f"#0 {point}: running" in run("study", "show", "tank", "-s", where)


def test_a_point_of_ones_own_comes_next(where):
    said = run("study", "enqueue", "tank", "t=40,5", "s=water", "-s", where)
    assert said.startswith("trial 0: t = 40.5, s = water waits. Next: credo study ask tank -s ")
    assert run("study", "ask", "tank", "-s", where).startswith("trial 0: t = 40.5, s = water\n")
    wrong = invoke("study", "enqueue", "tank", "t=400", "s=water", "-s", where)
    assert "credo study enqueue: 't' is 400.0, above 80.0. It takes 20 to 80." in str(wrong.exception)
    kept = json.loads(run("study", "enqueue", "tank", "t=40", "s=water", "-s", where, "--json"))
    assert kept == {"number": 1, "params": {"t": 40.0, "s": "water"}}


def test_another_answer_is_refused_with_the_line_that_measures_again(where):
    run("study", "ask", "tank", "-s", where)
    run("study", "tell", "tank", 0, 635, "-s", where)
    error = invoke("study", "tell", "tank", 0, 63.5, "-s", where).exception
    assert isinstance(error, ConflictError)
    assert "was told yield = 635, which is another answer. An answer is final." in str(error)
    words = shlex.split(str(error).partition("Try credo ")[2].partition(" to measure the point again.")[0])
    run(*words)
    first, again = open_study("tank", where).trials
    assert (again.params, again.state) == (first.params, "waiting")
    run("study", "ask", "tank", "-s", where)
    run("study", "tell", "tank", 1, "--failed", "-s", where)
    error = invoke("study", "tell", "tank", 1, 63.5, "-s", where).exception
    assert "was told to have failed" in str(error)


def test_an_answer_that_is_late_and_another_is_refused_as_the_library_does(where):
    """Trial 0 goes to a second holder; the first answers twice, otherwise."""
    ours = open_study("tank", where)
    ours.give_back(ours.ask())
    ours.ask()
    assert "kept as evidence" in run("study", "tell", "tank", 0, 1.0, "--token", 1, "-s", where)
    assert "late" in str(invoke("study", "tell", "tank", 0, 2.0, "--token", 1, "-s", where).exception)


def test_a_decimal_comma_is_read_and_the_one_value_that_is_no_number_is_named(tmp_path):
    path = tmp_path / "studies.db"
    run("study", "new", "tank", "-p", "t=20..80", "--objective", "yield", "--bound", "heat <= 0.5", "-s", path)
    run("study", "ask", "tank", "-s", path)
    error = str(invoke("study", "tell", "tank", 0, "yield=61,5", "heat=O.7", "-s", path).exception)
    assert "'O.7' is no number. It was told of 'heat'." in error
    assert "61" not in error
    error = str(invoke("study", "tell", "tank", 0, 61.5, 0.7, "-s", path).exception)
    assert "'61.5' has no name" in error
    run("study", "tell", "tank", 0, "yield=61,5", "heat=0,7", "-s", path)
    assert open_study("tank", path).trials[0].values == {"yield": 61.5, "heat": 0.7}
    said = run("study", "show", "tank", "-s", path)
    assert said.startswith("tank: minimize yield, heat <= 0.5\n")
    assert "yield 61.5, heat 0.7 (breaks heat <= 0.5)" in said
    assert json.loads(run("study", "show", "tank", "-s", path, "--json"))["bounds"] == ["heat <= 0.5"]


def test_where_one_study_stands(where):
    run("study", "new", "other", "-p", "t=1..2", "-s", where)
    run("study", "ask", "tank", "-s", where)
    said = run("study", "status", "tank", "-s", where)
    assert "other" not in said
    assert f"credo study show tank -s {where}" in said
    rows = json.loads(run("study", "status", "tank", "-s", where, "--json"))["studies"]
    assert [(row["name"], row["running"]) for row in rows] == [("tank", 1)]
    assert len(json.loads(run("study", "status", "-s", where, "--json"))["studies"]) == 2
    assert "there is no study 'tnak'" in str(invoke("study", "status", "tnak", "-s", where).exception)
