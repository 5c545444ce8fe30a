"""Why a safe study suggested a point, in numbers and in a sentence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, final

__all__ = ["SafeWhy"]

Reason = Literal["seed", "learn", "repeat", "queued", "given"]


@final
@dataclass(frozen=True)
class SafeWhy:
    """The reason of a trial of a safe study.

    `reason` is "seed" (a point that was said to be safe), "learn" (it tells most about where the best may be, of all
    points that are safe with the promised probability), "repeat" (no point is, beside seeds: one of them again),
    "queued" (somebody put it into the storage) or "given" (a past run). `safe` is the probability that it keeps all
    bounds (at least), `gain` what it tells about where the best may be, in nats (of "vtl" the variance it removes, of
    "safeopt" the width of its interval), `mean` and `std` the belief about the objective there. `share` is how much of
    the candidates is safe. `notes` have the audit of each outcome whose intervals had to be widened, and that no new
    setting is safe where this is so. `seen` is the version of the study that it was made from, `parameters` those of
    the surrogates.
    """

    reason: Reason
    safe: float | None = None
    gain: float | None = None
    mean: float | None = None
    std: float | None = None
    share: float | None = None
    strategy: str | None = None
    seen: int | None = None
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        words = {"seed": "said to be safe", "given": "a past run", "queued": "somebody asked for this point"}
        if self.reason in words:
            return f"{self.reason}: {words[self.reason]}"
        text = f"{self.reason}: safe with probability {self.safe:.1%}"
        if self.reason == "repeat":
            text += ", the most of all seeds; no other point is safe with the promised probability"
        elif self.strategy == "itl":
            text += f", tells {self.gain:.2g} nats about where the best may be"
        elif self.strategy == "vtl":
            text += ", leaves the least variance where the best may be"
        else:
            text += f", the widest interval ({self.gain:.2g}) of what may be best or may enlarge the safe set"
        text += f"; believed to be {self.mean:.4g} ± {self.std:.2g}; {self.share:.0%} of the candidates are safe"
        return "; ".join([text, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types, without what is not there."""
        return {key: value for key, value in asdict(self).items() if value not in (None, (), {})}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "SafeWhy":
        """What `to_dict` wrote."""
        known = {key: value for key, value in document.items() if key in cls.__dataclass_fields__}
        return cls(**{"reason": "given", **known, "notes": tuple(known.get("notes", ()))})
