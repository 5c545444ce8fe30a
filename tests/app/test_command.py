"""The command line as a person meets it."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import credo
from credo.app import command
from credo.errors import InputError


def test_version_and_help():
    runner = CliRunner()
    assert runner.invoke(command.app, ["--version"]).output.strip() == f"credo {credo.__version__}"
    assert "demo" in runner.invoke(command.app, ["--help"]).output


def test_demo_tells_what_it_did(tmp_path):
    result = CliRunner().invoke(command.app, ["demo", "--output", str(tmp_path)])
    assert result.exit_code == 0, result.output
    for part in ("Read 30 past runs", "between", "uncertainty budget", "honest", "Wrote the picture"):
        assert part in result.output
    assert (tmp_path / "runs.png").read_bytes().startswith(b"\x89PNG")


def test_unknown_command_exits_with_2():
    outcome = subprocess.run(
        [sys.executable, "-m", "credo.app", "nonsense"], capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 2
    assert "nonsense" in outcome.stderr


def test_errors_are_one_sentence(monkeypatch, capsys):
    def fail():
        raise InputError("Who", "is wrong", "A cause", "Try this")

    monkeypatch.setattr(command, "app", fail)
    with pytest.raises(SystemExit) as stop:
        command.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err.strip() == "Who: is wrong. A cause. Try this."
