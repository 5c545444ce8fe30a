"""Why a point was suggested, in numbers and in a sentence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from credo.numerics import log_expected_excess

__all__ = ["Why"]

Reason = Literal["start", "exploit", "explore", "feasibility", "queued", "given"]


@dataclass(frozen=True)
class Why:
    """The reason of a trial.

    `reason` is "start" (an even design before there is a model), "exploit" (most of the expected gain is that the mean
    there is better than the best), "explore" (most of it is that little is known there), "feasibility" (no feasible
    point is known), "queued" (somebody asked for it) or "given" (a past run). `mean` and `std` are the belief about the
    objective there, `best` what a gain is measured from, `gain` the expected improvement, all in the units of the
    objective; `feasible` the probability that the trial succeeds and meets its bounds. `seen` is the version of the
    study that it was made from, `parameters` those of the surrogate.
    """

    reason: Reason
    mean: float | None = None
    std: float | None = None
    best: float | None = None
    gain: float | None = None
    feasible: float | None = None
    acquisition: str | None = None
    seen: int | None = None
    parameters: tuple[float, ...] = ()

    @classmethod
    def of_gain(cls, mean: float, std: float, best: float, turned: float, **more: Any) -> "Why":
        """By which part of the expected improvement is larger; `turned` is minus one where more is better."""
        z = turned * (best - mean) / std
        gain = std * float(np.exp(log_expected_excess(z)))
        sure = turned * (best - mean) * float(special.ndtr(z))
        return cls("exploit" if sure > 0.5 * gain else "explore", mean, std, best, gain, **more)

    def __str__(self) -> str:
        words = {
            "start": "an even design, before there is enough to learn from",
            "queued": "somebody asked for this point",
            "given": "a past run",
        }
        if self.reason in words:
            return f"{self.reason}: {words[self.reason]}"
        text = f"{self.reason}: believed to be {self.mean:.4g} ± {self.std:.2g}, the best is {self.best:.4g}, "
        text += f"expected gain {self.gain:.2g}"
        return text if self.feasible is None else f"{text}, feasible with probability {self.feasible:.0%}"

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types, without what is not there."""
        return {key: value for key, value in asdict(self).items() if value is not None and value != ()}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Why":
        """What `to_dict` wrote."""
        known = {key: value for key, value in document.items() if key in cls.__dataclass_fields__}
        return cls(**{"reason": "given", **known, "parameters": tuple(known.get("parameters", ()))})
