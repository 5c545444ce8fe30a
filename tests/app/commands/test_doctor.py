"""The doctor finds this machine well, and says so where it is not."""

import json

import pytest
from typer.testing import CliRunner

from credo.app.commands import doctor
from credo.app.interface import app


@pytest.mark.slow
def test_all_is_well_here():
    result = CliRunner().invoke(app, ["doctor", "--json"])
    said = json.loads(result.output)
    assert said["good"], said
    assert result.exit_code == 0
    assert {check["name"] for check in said["checks"]} >= {"Python", "JAX", "SQLite", "crash safety"}


def test_a_check_that_fails_or_raises_is_told(monkeypatch):
    def broken():
        raise OSError("no disk")

    monkeypatch.setattr(doctor, "_CHECKS", {"fine": lambda: (True, "yes"), "disk": broken})
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "NOT OK  OSError: no disk" in result.output
    assert "1 of 2 checks failed." in result.output
