"""The registry of families: every law in `test_laws.py` runs on every case here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis.strategies import SearchStrategy

from credo.beliefs import Belief


@dataclass(frozen=True)
class Case:
    """One family: how to draw members of moderate parameters, its scipy.stats twin, whether it is a regular family."""

    family: type[Belief]
    members: SearchStrategy[Belief]
    scipy: Callable[[Any], Any] | None = None
    regular: bool = True

    def __str__(self) -> str:
        return self.family.__name__
