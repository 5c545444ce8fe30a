"""What commands print, and how they end."""

import json

import numpy as np
import pytest

from credo.app.console import Code, code_of, complain, jsonable, printable, put, tell
from credo.errors import DependencyError, InputError, NotPositiveDefiniteError, NumericalError
from credo.validate import Importance


def test_lines_or_json(capsys):
    tell(["a", "b"], {"x": 1}, as_json=False)
    assert capsys.readouterr().out == "a\nb\n"
    tell(["a"], {"x": np.arange(2), "ü": np.nan}, as_json=True)
    said = capsys.readouterr().out
    assert json.loads(said) == {"x": [0, 1], "ü": None}
    assert said.isascii()  # which a terminal without these letters prints as it is


def test_records_become_objects():
    found = jsonable(Importance(("a",), np.ones(1), np.zeros(1), "crps"))
    assert found == {"names": ["a"], "increase": [1.0], "standard_error": [0.0], "score": "crps"}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("Who", "wrong"), Code.WRONG_INPUT),
        (DependencyError("Who", "missing"), Code.WRONG_INPUT),
        (NumericalError("Who", "broke"), Code.FAILED),
        (NotPositiveDefiniteError("Who", "matrix"), Code.WRONG_INPUT),
    ],
)
def test_codes(error, code):
    assert code_of(error) == code


def test_errors_are_json_too_where_it_is_asked_for(capsys):
    complain(InputError("Who", "is wrong"), as_json=True)
    said = capsys.readouterr()
    assert json.loads(said.out) == {"error": "Who: is wrong.", "kind": "InputError"}
    assert said.err == "Who: is wrong.\n"


def test_errors_in_json_are_ascii(capsys):
    complain(InputError("Who", "é → \udcff"), as_json=True)
    said = capsys.readouterr().out
    assert said.isascii()
    assert json.loads(said)["error"] == "Who: é → \udcff."


def test_a_terminal_is_told_and_not_commanded(capsys, monkeypatch):
    evil = "\x1b]0;owned\x07 \u202e \x9b2J"
    tell([evil], {}, as_json=False)
    complain(InputError("Who", evil), as_json=False)
    said = capsys.readouterr()
    assert said.out == "\\x1b]0;owned\\x07 \\u202e \\x9b2J\n"
    assert said.err.startswith("Who: \\x1b]0;")
    assert printable("°C\tü\n😀\u200d") == "°C\tü\n😀\u200d"
    put(evil)
    assert capsys.readouterr().out == evil  # into a file
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    put(evil)
    assert "\x1b" not in capsys.readouterr().out
