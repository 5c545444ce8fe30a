"""Why a point was suggested, in numbers and in a sentence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from credo.decide.acquisitions.improvement import improvement_slopes
from credo.decide.study.averaging import Components

__all__ = ["Why"]

Reason = Literal["start", "random", "exploit", "explore", "feasibility", "queued", "given"]
_WORDS = {
    "start": "an even design, before there is enough to learn from",
    "random": "drawn at random, as asked for",
    "queued": "somebody asked for this point",
    "given": "a past run",
}


@dataclass(frozen=True)
class Why:
    """The reason of a trial.

    `reason` is "start" (an even design before there is a model), "random" (drawn, as asked for), "exploit" (most of
    the expected gain is that the mean there is better than the best predicted so far), "explore" (most of it is
    that little is known there), "feasibility" (no feasible point is known), "queued" (somebody asked for it) or
    "given" (a past run). `mean` and `std` are the belief about the objective there, `noise` the standard deviation
    of a measurement around it, `widened` the factor by which an audit made `std` larger (where it did), `best` the
    best mean of the belief at a measured setting (best predicted), from which a gain is measured, `gain` the
    expected improvement, all in the units of the objective; of several objectives `beliefs` has each with its mean
    and standard deviation, and `gain` is in shares of the volume that is dominated. `feasible` is the probability
    that the trial succeeds and meets its bounds, `cost` what it is believed to cost. `seen` is the version of the
    study that it was made from, `batch` its place in a batch and the size of that, `parameters` those of the
    surrogates, `note` what else is to be said.
    """

    reason: Reason
    mean: float | None = None
    std: float | None = None
    best: float | None = None
    gain: float | None = None
    noise: float | None = None
    widened: float | None = None
    feasible: float | None = None
    cost: float | None = None
    beliefs: tuple[tuple[str, float, float], ...] = ()
    acquisition: str | None = None
    seen: int | None = None
    batch: tuple[int, int] | None = None
    parameters: tuple[tuple[float, ...], ...] = ()
    note: str = ""

    @classmethod
    def of_gain(cls, belief: Components, *, best: float, turned: float, **more: Any) -> "Why":
        """By which part of the expected improvement is larger, of the belief about the first row.

        `turned` is minus one where more is better.
        """
        means, stds = belief.means[0], belief.stds[0]
        ahead = turned * (best - means)
        gain = float(belief.shares @ np.exp(improvement_slopes(turned * means, stds, turned * best)[0]))
        sure = float(belief.shares @ (ahead * special.ndtr(ahead / stds)))
        reason: Reason = "exploit" if sure > 0.5 * gain else "explore"
        widened = belief.factor if belief.factor > 1.0 else None
        numbers = float(belief.mean[0]), float(belief.std[0]), best, gain, belief.noise, widened
        return cls(reason, *numbers, **more)

    def __str__(self) -> str:
        if self.reason in _WORDS:
            return f"{self.reason}: {_WORDS[self.reason]}"
        if self.beliefs:
            parts = [", ".join(f"{name} {mean:.4g} ± {std:.2g}" for name, mean, std in self.beliefs)]
        elif self.mean is not None:
            parts = [f"{self.mean:.4g} ± {self.std:.2g}"]
        else:
            parts = []
        parts = [f"believed to be {part}" for part in parts]
        parts += [] if self.best is None else [f"best predicted so far {self.best:.4g}"]
        parts += [] if self.gain is None else [f"expected gain {self.gain:.2g}"]
        parts += [] if self.feasible is None else [f"feasible with probability {self.feasible:.0%}"]
        parts += [] if self.cost is None else [f"at a cost of {self.cost:.3g}"]
        parts += [] if self.widened is None else [f"interval widened by a factor of {self.widened:.2g} after an audit"]
        parts += [self.note] if self.note else []
        return f"{self.reason}: {', '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types, without what is not there."""
        return {key: value for key, value in asdict(self).items() if value not in (None, (), "")}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Why":
        """What `to_dict` wrote."""
        known = {key: value for key, value in document.items() if key in cls.__dataclass_fields__}
        known["parameters"] = tuple(tuple(one) for one in known.get("parameters", ()))
        known["beliefs"] = tuple((name, mean, std) for name, mean, std in known.get("beliefs", ()))
        if "batch" in known:
            known["batch"] = tuple(known["batch"])
        return cls(**{"reason": "given", **known})
