"""Which trials count for the best: those that met their bounds at the fidelity that counts."""

from collections.abc import Sequence

import numpy as np

from credo.decide.study.setup import Setup
from credo.decide.study.trial import Trial
from credo.errors import InputError

__all__ = ["counting"]


def counting(setup: Setup, trials: Sequence[Trial]) -> list[Trial]:
    """The trials of which one is the best; an error where there is none."""
    done = [trial for trial in trials if trial.values is not None]
    if not done:
        raise InputError("Study", "no trial has a value yet", "", "Ask, measure and tell first")
    met = setup.goal.met(np.array([list((trial.values or {}).values()) for trial in done]))
    full = [all(trial.params.get(name) == value for name, value in setup.fidelity.items()) for trial in done]
    found = [trial for trial, ok, counts in zip(done, met, full, strict=True) if ok and counts]
    if not found:
        what = f"none of {len(done)} trials meets the bounds at the fidelity that counts"
        raise InputError("Study", what, "No such point is known yet", "Measure more; recommend() has what is believed")
    return found
