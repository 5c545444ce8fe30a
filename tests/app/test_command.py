"""The entry point: exit codes, errors as one sentence, and what it says where the extra is missing."""

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from credo.app import command, interface
from credo.app.beginning import begin_study
from credo.errors import InputError
from credo.represent import Real, Space
from quick_learning import learn_quickly

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    """A command that runs in this process leaves JAX as it is."""
    monkeypatch.setattr(command, "keep_compiled", lambda: None)


def run(code, *arguments):
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_entry_point_is_main():
    module, _, name = PROJECT["scripts"]["credo"].partition(":")
    assert getattr(import_module(module), name) is command.main


def test_unknown_command_exits_with_2():
    outcome = run("import runpy; runpy.run_module('credo.app', run_name='__main__')", "nonsense")
    assert outcome.returncode == 2
    assert "nonsense" in outcome.stderr


def ended(capsys, monkeypatch, *words):
    """The code a command ends with, and what it wrote to the two streams."""
    monkeypatch.setattr(sys, "argv", ["credo", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        command.main()
    said = capsys.readouterr()
    return stop.value.code, said.out, said.err


def failing(error):
    def fail(**settings):
        raise error

    return fail


def test_errors_are_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(interface, "app", failing(InputError("Who", "is wrong", "A cause", "Try this")))
    assert ended(capsys, monkeypatch, "demo") == (2, "", "Who: is wrong. A cause. Try this.\n")


EXTRA = [re.match(r"[\w-]+", line)[0] for line in PROJECT["optional-dependencies"]["app"]]
#: Without Rich lines are plain, and without fastexcel the reader of tables has its own sentence.
NOT_NEEDED = {"rich", "fastexcel"}


def test_without_the_extra_it_says_what_to_install():
    """As after `pip install credo`: every package that only the extra brings cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({EXTRA!r}))"
    outcome = run(f"{blocked}; from credo.app.command import main; main()", "demo")
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert sentence(outcome) == (
        "credo: the package 'typer' is not installed. The command line and the web page are an extra of credo, and the "
        "rest works without it. Try pip install 'credo[app]'."
    )


def test_every_package_of_the_extra_is_known():
    assert {*EXTRA, "starlette"} - NOT_NEEDED == set(command._EXTRA)


@pytest.mark.parametrize("package", command._EXTRA)
def test_a_package_that_is_missing_is_named(package, tmp_path):
    """Most are imported when the web page is asked for, not when the command starts."""
    blocked = f"import sys; sys.modules[{package!r}] = None"
    asked = ("ui", "--no-browser", "--folder", str(tmp_path / "ui"))
    outcome = run(f"{blocked}; from credo.app.command import main; main()", *asked)
    assert outcome.returncode == 2
    assert sentence(outcome).startswith(f"credo: the package {package!r} is not installed.")
    assert "Traceback" not in outcome.stderr


def sentence(outcome):
    return outcome.stderr.strip().splitlines()[-1]


def test_another_missing_package_is_not_blamed_on_the_extra(monkeypatch, capsys):
    monkeypatch.setattr(interface, "app", failing(ModuleNotFoundError("No module named 'polars'", name="polars")))
    code, _, said = ended(capsys, monkeypatch, "demo")
    assert code == 3
    assert "polars" in said
    assert "credo[app]" not in said


def test_too_little_memory_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(interface, "app", failing(MemoryError()))
    code, _, said = ended(capsys, monkeypatch, "demo")
    assert code == 3
    assert "not enough memory" in said


def test_an_error_that_nobody_foresaw_is_no_broken_promise(monkeypatch, capsys):
    monkeypatch.setattr(interface, "app", failing(KeyError("lost")))
    code, out, said = ended(capsys, monkeypatch, "demo", "--json")
    assert code == 3
    assert "Traceback" in said
    assert "KeyError was not foreseen: 'lost'" in json.loads(out)["error"]


@pytest.mark.parametrize("kind", ["demo", "ui", "show", "learn"])
def test_what_the_system_refuses_is_one_sentence(kind, tmp_path, monkeypatch, capsys):
    taken, where = tmp_path / "taken", tmp_path / "studies.db"
    taken.write_text("")
    study = begin_study(where, "tank", {"yield": "maximize"}, space=Space({"t": Real(20, 80)}))
    study.tell(study.ask(), 1.0)
    (tmp_path / "run" / "report.html").mkdir(parents=True)
    learn_quickly(monkeypatch)
    words, file = {
        "demo": (["demo", "--output", taken], taken),
        "ui": (["ui", "--folder", taken, "--no-browser", "--port", free_port()], taken),
        "show": (["study", "show", "tank", "-s", where, "-o", tmp_path / "no" / "x.html"], tmp_path / "no" / "x.html"),
        "learn": (["learn", "-o", tmp_path / "run", "--json"], tmp_path / "run" / "report.html"),
    }[kind]
    code, out, said = ended(capsys, monkeypatch, *words)
    assert code == 2
    assert "Traceback" not in said
    assert re.search(rf"^credo: .*{re.escape(str(file))}.*\.$", said, re.MULTILINE)
    assert "--json" not in words or json.loads(out)["kind"] == "FileError"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_a_disk_that_is_full_has_no_name(monkeypatch, capsys):
    monkeypatch.setattr(interface, "app", failing(OSError(28, "No space left on device")))
    code, _, said = ended(capsys, monkeypatch, "demo")
    assert code == 2
    assert said.startswith("credo: No space left on device. ")


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["learn", "--colour", "red"], "--colour"),
        (["study", "ask"], "name"),
        (["next", "-n", "many"], "'-n'"),
        (["lern"], "lern"),
    ],
    ids=str,
)
def test_words_that_cannot_be_read_are_json_too(words, wrong, monkeypatch, capsys):
    code, out, said = ended(capsys, monkeypatch, *words, "--json")
    assert code == 2
    told = json.loads(out)
    assert told["kind"] == "InputError"
    assert wrong in told["error"].lower()
    assert said.splitlines()[-1] == told["error"]
    code, out, said = ended(capsys, monkeypatch, *words)
    assert (code, out) == (2, "")
    assert "Usage" in said


def test_the_options_of_a_program_that_measures_are_its_own(monkeypatch, capsys, tmp_path):
    code, out, _ = ended(capsys, monkeypatch, "work", "x", "-s", tmp_path / "no.db", "--", "./measure", "--json")
    assert (code, out) == (2, "")


@pytest.mark.parametrize(
    "words", [["--version"], ["study", "status", "--help"], ["doctor", "--json", "--help"]], ids=str
)
def test_a_command_that_went_well_ends_with_nothing(words, monkeypatch, capsys):
    code, out, _ = ended(capsys, monkeypatch, *words)
    assert code == 0
    assert out


def test_code_one_is_of_machines_too(monkeypatch, capsys, tmp_path):
    where = tmp_path / "studies.db"
    begin_study(where, "tank", {"yield": "maximize"}, space=Space({"t": Real(20, 80)}))
    code, out, said = ended(capsys, monkeypatch, "study", "run", "tank", "-n", 1, "-s", where, "--json", "--", "false")
    assert code == 1
    assert json.loads(out)["counts"]["failed"] == 1
    assert "the trial has failed" in said


def test_letters_that_the_terminal_has_not_are_told_by_their_numbers(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    asked = [sys.executable, "-m", "credo.app", "learn", str(tmp_path / "é\udcff→.csv"), "--json"]
    outcome = subprocess.run(asked, capture_output=True, text=True, check=False, env=environment)
    assert outcome.returncode == 2
    told = json.loads(outcome.stdout)
    assert told["kind"] == "MissingFileError"
    assert "é" in told["error"]
    assert "Traceback" not in outcome.stderr
