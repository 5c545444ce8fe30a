"""What commands print, and how they end."""

import json

import numpy as np
import pytest

from credo.app.console import Code, code_of, complain, jsonable, tell
from credo.errors import DependencyError, InputError, NotPositiveDefiniteError, NumericalError
from credo.validate import Importance


def test_lines_or_json(capsys):
    tell(["a", "b"], {"x": 1}, as_json=False)
    assert capsys.readouterr().out == "a\nb\n"
    tell(["a"], {"x": np.arange(2), "ü": np.nan}, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"x": [0, 1], "ü": None}


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
