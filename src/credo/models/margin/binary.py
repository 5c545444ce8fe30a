"""What classifiers share whose engine tells two sides apart."""

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np

from credo.errors import ConvergenceWarning, message
from credo.infer.many_classes import Machine, joined_scores, two_sided
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
        sides = two_sided(y, len(self.classes_), pairs=self.many == "ovo")
        learned = [self._learn_two(X[each.rows], each.signs, w[each.rows]) for each in sides]
        self.machines_ = tuple(machine for machine, _ in learned)
        names = [each.named(self.classes_) for each in sides]
        certificates = [certificate for _, certificate in learned]
        self.certificate_ = worst_of(certificates, names if len(sides) > 1 else ())
        early = [f"{name}: {one}" for name, one in zip(names, certificates, strict=True) if not one.converged]
        if early:
            more = f"; and {len(early) - _SAID} more machines" if len(early) > _SAID else ""
            text = message(type(self).__name__, "; ".join(early[:_SAID]) + more, "", _REMEDY)
            warnings.warn(ConvergenceWarning(text), stacklevel=3)

    def _scores(self, X: Any) -> np.ndarray:
        decisions = np.stack([machine.decision(X) for machine in self.machines_], axis=1)
        return joined_scores(decisions, len(self.classes_), pairs=self.many == "ovo")

    def _of_machines(self, name: str) -> Any:
        """A field of the one machine, or of all."""
        values = [getattr(machine, name) for machine in self.machines_]
        return values[0] if len(values) == 1 else np.array(values)
