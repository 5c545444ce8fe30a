"""What classifiers share whose engine tells two sides apart."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from credo.errors import ConvergenceWarning, message
from credo.infer.many_classes import Machine, TwoSides, joined_scores, two_sided
from credo.models.base import Deciding
from credo.numerics.certificate import Certificate, worst_of

__all__ = ["BinaryDeciding"]

_SAID = 3  # machines that a warning tells of
_REMEDY = "Try more iterations or standardized columns"


class BinaryDeciding(Deciding):
    """A classifier by machines that tell two sides apart: one for two classes, else one a class or one a pair.

    A subclass stores the parameter `many`, "ovr" (each class against the rest, k machines on all rows) or "ovo" (each
    pair on its own rows, k(k − 1)/2 machines that vote), and writes `_learn_two`, which does not warn: the fit warns
    once, of all machines that stopped early. Where its tags say that it takes sparse rows they are a `csr_array`.
    ``machines_`` has them in the order of [](#credo.infer.two_sided).
    """

    many: str
    machines_: tuple[Machine, ...]

    @abstractmethod
    def _learn_two(self, X: Any, sign: np.ndarray, w: np.ndarray) -> tuple[Machine, Certificate]:
        """The machine of rows of weights `w` on two sides, `sign` ±1, and how it was obtained."""

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray) -> None:
        sides = self._sides(y)
        learned = self._learn_sides(sides, X, w)
        self.machines_ = tuple(machine for machine, _ in learned)
        names = [each.named(self.classes_) for each in sides]
        certificates = [certificate for _, certificate in learned]
        self.certificate_ = worst_of(certificates, names if len(sides) > 1 else ())
        early = [f"{name}: {one}" for name, one in zip(names, certificates, strict=True) if not one.converged]
        if early:
            more = f"; and {len(early) - _SAID} more machines" if len(early) > _SAID else ""
            text = message(type(self).__name__, "; ".join(early[:_SAID]) + more, "", _REMEDY)
            warnings.warn(ConvergenceWarning(text), stacklevel=3)

    def _sides(self, y: np.ndarray) -> tuple[TwoSides, ...]:
        return two_sided(y, len(self.classes_), pairs=self.many == "ovo")

    def _learn_sides(self, sides: tuple[TwoSides, ...], X: Any, w: np.ndarray) -> list[tuple[Machine, Certificate]]:
        return [self._learn_two(X[each.rows], each.signs, w[each.rows]) for each in sides]

    def _scores(self, X: Any) -> np.ndarray:
        return self._joined(self.machines_, X)

    def _joined(self, machines: Sequence[Machine], X: Any) -> np.ndarray:
        """The score of each class, from those of the machines."""
        decisions = np.stack([machine.decision(X) for machine in machines], axis=1)
        return joined_scores(decisions, len(self.classes_), pairs=self.many == "ovo")

    def _of_machines(self, name: str) -> Any:
        """A field of the one machine, or of all."""
        values = [getattr(machine, name) for machine in self.machines_]
        return values[0] if len(values) == 1 else np.array(values)

    @property
    def coef_(self) -> np.ndarray:
        """The slopes of the plane between two sides, or of that of each machine, where it is a plane."""
        return self._of_machines("coef")

    @property
    def intercept_(self) -> Any:
        """The score at zero (of a kernel that is not linear, the constant of the score), or that of each machine."""
        return self._of_machines("intercept")
