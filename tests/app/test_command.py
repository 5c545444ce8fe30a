"""The entry point: exit codes, errors as one sentence, and what it says where the extra is missing."""

import json
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from credo.app import command, interface
from credo.errors import DependencyError, InputError

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


def test_errors_are_one_sentence(monkeypatch, capsys):
    def fail():
        raise InputError("Who", "is wrong", "A cause", "Try this")

    monkeypatch.setattr(interface, "app", fail)
    with pytest.raises(SystemExit) as stop:
        command.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err.strip() == "Who: is wrong. A cause. Try this."


def test_without_the_extra_it_says_what_to_install():
    """As after `pip install credo`: every package that only the extra brings cannot be imported."""
    extra = [requirement.partition(">")[0] for requirement in PROJECT["optional-dependencies"]["app"]]
    blocked = f"import sys; sys.modules.update(dict.fromkeys({extra!r}))"
    outcome = run(f"{blocked}; from credo.app.command import main; main()", "demo")
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.strip() == (
        "credo: the package 'typer' is not installed. The command line is an extra of credo, and the rest works "
        "without it. Try pip install 'credo[app]'."
    )


def test_the_missing_extra_is_a_dependency_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "credo.app.interface")
    with pytest.raises(DependencyError) as caught:
        command._interface()
    assert isinstance(caught.value, ImportError)


def test_another_missing_package_is_not_blamed_on_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.delitem(sys.modules, "credo.app.interface")
    monkeypatch.delitem(sys.modules, "credo.app.demo")
    with pytest.raises(ModuleNotFoundError, match="polars") as caught:
        command._interface()
    assert not isinstance(caught.value, DependencyError)


def test_too_little_memory_is_one_sentence(monkeypatch, capsys):
    def fail():
        raise MemoryError

    monkeypatch.setattr(interface, "app", fail)
    with pytest.raises(SystemExit) as stop:
        command.main()
    assert stop.value.code == 3
    assert "not enough memory" in capsys.readouterr().err


def test_letters_that_the_terminal_has_not_are_told_by_their_numbers(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    asked = [sys.executable, "-m", "credo.app", "learn", str(tmp_path / "\udcff→.csv"), "--json"]
    outcome = subprocess.run(asked, capture_output=True, text=True, check=False, env=environment)
    assert outcome.returncode == 2
    assert json.loads(outcome.stdout)["kind"] == "MissingFileError"
    assert "Traceback" not in outcome.stderr
