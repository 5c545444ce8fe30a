"""Measuring with a program: it gets the parameters of a trial, and says the result."""

import json
import math
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from credo.decide.study.work import CannotMeasureError
from credo.errors import InputError, NumericalError

__all__ = ["Program"]

_MOST = 2**20  # characters of output that are looked at


@final
@dataclass(frozen=True)
class Program:
    """A function of the parameters of a trial that runs a program and reads its result.

    The program gets the parameters as one JSON object on its standard input, and each as ``{name}`` in its arguments,
    without a shell, so that no value can be a command. The last line that it writes is the result: a number, or a JSON
    object of outcomes by name. One that ends with an error, writes no result or takes longer than `timeout` seconds
    counts as a failed trial. One that cannot be started at all fails no trial: it is an error, and the trial goes back.

    >>> import sys
    >>> Program((sys.executable, "-c", "print(float('{x}') ** 2)"))({"x": 3.0})
    9.0
    """

    arguments: Sequence[str]
    timeout: float | None = None

    def __post_init__(self) -> None:
        if not self.arguments:
            raise InputError("Program", "no program was given", "", "Name it behind two dashes: -- ./measure {t}")

    def __call__(self, params: dict[str, Any]) -> Any:
        """Run it once."""
        filled = [_filled(argument, params) for argument in self.arguments]
        try:
            ran = subprocess.run(
                filled,
                input=json.dumps(params),
                capture_output=True,
                text=True,
                timeout=self.timeout,
                check=False,
                env={**os.environ, "CREDO_TRIAL": json.dumps(params)},
            )
        except OSError as error:
            what = f"{filled[0]!r} cannot be started: {error.strerror or error}"
            cause = "The name is misspelt, or the file may not be executed"
            raise CannotMeasureError("Program", what, cause, "Check its path, and try it by hand") from error
        except subprocess.TimeoutExpired as error:
            raise NumericalError("Program", f"{filled[0]!r} took longer than {self.timeout:g} s") from error
        if ran.returncode:
            said = (ran.stderr.strip().splitlines() or ["nothing"])[-1][:200]
            raise NumericalError("Program", f"{filled[0]!r} ended with code {ran.returncode}", f"It said: {said}")
        return _result(filled[0], ran.stdout[-_MOST:])


def _filled(argument: str, params: dict[str, Any]) -> str:
    """With the values of parameters in the place of their names, once, and nothing else of Python's formats."""
    if not params:
        return argument
    names = "|".join(re.escape(name) for name in params)
    return re.sub(f"{{({names})}}", lambda found: _text(params[found[1]]), argument)


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _result(program: str, output: str) -> Any:
    lines = [line for line in output.splitlines() if line.strip()]
    try:
        value = json.loads(lines[-1])
    except (IndexError, ValueError):
        value = None
    numbers = list(value.values()) if isinstance(value, dict) else [value]
    good = all(isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each) for each in numbers)
    if not numbers or not good:
        said = lines[-1][:200] if lines else "nothing"
        cause = "The last line is a number, or a JSON object of numbers by name"
        raise NumericalError("Program", f"{program!r} wrote {said!r}", cause, "Print the result last")
    return value if isinstance(value, dict) else float(value)
