"""How an answer was obtained: `Info` inside jit, `Certificate` on the host, `Solution` around both."""

import dataclasses
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

import jax.numpy as jnp
import numpy as np
from jaxtyping import ArrayLike

from credo.errors import ConvergenceWarning, InputError, NumericalError, message

__all__ = ["CONVERGED", "FAILED", "STOPPED", "Certificate", "Info", "Kind", "Solution", "certify", "warned", "worst_of"]

T = TypeVar("T")
#: What a certificate says about the error of an answer: only round-off, a proven bound, a measured size, or nothing.
Kind = Literal["exact", "bounded", "estimated", "heuristic"]

# The status of an engine, as an array inside jit. A larger one is worse: the status of several steps is the maximum.
#: Status of an engine that reached its tolerance.
CONVERGED = 0
#: Status of an engine that stopped before its tolerance: the answer is usable, and the host warns.
STOPPED = 1
#: Status of an engine that has no usable answer: the host raises.
FAILED = 2

_STATUS_WORDS = {CONVERGED: "converged", STOPPED: "stopped early", FAILED: "failed"}


class Info(NamedTuple):
    """What an engine knows about its own run, as arrays: jitted code can neither raise nor carry text."""

    status: ArrayLike = CONVERGED
    iterations: ArrayLike = 0
    residual: ArrayLike = 0.0
    jitter: ArrayLike = 0.0
    condition: ArrayLike = jnp.nan

    def worst(self) -> "Info":
        """One info for a batch: the worst status, the most iterations, the largest residual, jitter and condition."""
        return Info(*(np.max(np.asarray(part)) for part in self))


@dataclass(frozen=True)
class Certificate:
    """How an answer was obtained, and how far it can be trusted.

    `kind` is ``"exact"`` (up to round-off), ``"bounded"`` (`error` is a proven bound), ``"estimated"`` (`error` was
    measured; a note says how) or ``"heuristic"`` (no statement about the error). `error` is in the units of the
    answer.

    >>> print(Certificate("exact", jitter=1e-10))
    exact, converged; jitter 1e-10 was added
    """

    kind: Kind
    status: str = "converged"
    error: float | None = None
    iterations: int = 0
    residual: float | None = None
    jitter: float = 0.0
    condition: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind in ("bounded", "estimated") and self.error is None:
            raise InputError(
                "Certificate",
                f"kind={self.kind!r} has no error",
                "A bound or an estimate comes with its size",
                "Pass error=",
            )

    @property
    def converged(self) -> bool:
        """Whether every iteration behind the answer reached its tolerance."""
        return self.status == _STATUS_WORDS[CONVERGED]

    def noting(self, *notes: str) -> "Certificate":
        """The same certificate with further notes."""
        return dataclasses.replace(self, notes=(*self.notes, *notes))

    def __str__(self) -> str:
        error = "" if self.error is None else f" (error {self.error:.3g})"
        parts = [f"{self.kind}{error}, {self.status}"]
        if self.iterations:
            parts.append(f"{self.iterations} iterations")
        if self.residual is not None:
            parts.append(f"residual {self.residual:.3g}")
        if self.jitter:
            parts.append(f"jitter {self.jitter:.3g} was added")
        if self.condition is not None:
            parts.append(f"condition about {self.condition:.1e}")
        return "; ".join([*parts, *self.notes])


@dataclass(frozen=True)
class Solution(Generic[T]):
    """What every engine returns: the value, how it was obtained, and whatever else a caller may want to look at."""

    value: T
    certificate: Certificate
    info: Mapping[str, Any] = field(default_factory=dict)


def certify(
    info: Info, kind: Kind, who: str, *, error: float | None = None, notes: tuple[str, ...] = (), warn: bool = True
) -> Certificate:
    """Turn the arrays of a jitted run into a certificate; `warn` when it stopped early, raise when it failed."""
    worst = [np.asarray(part).item() for part in info.worst()]
    status, iterations = int(worst[0]), int(worst[1])
    residual, jitter, condition = (float(part) for part in worst[2:])
    if status == FAILED:
        raise NumericalError(
            who,
            f"the computation failed after {iterations} iterations (jitter {jitter:.2g})",
            "The problem is ill-conditioned, or the input has extreme values",
            "Try standardized inputs, a stronger prior or more noise",
        )
    if status == STOPPED and warn:
        what = f"stopped after {iterations} iterations with residual {residual:.2g}"
        warnings.warn(
            ConvergenceWarning(message(who, what, "", "Try more iterations or standardized inputs")), stacklevel=3
        )
    return Certificate(
        kind,
        status=_STATUS_WORDS[status],
        error=error,
        iterations=iterations,
        residual=residual if status == STOPPED or residual else None,
        jitter=jitter,
        condition=condition if math.isfinite(condition) else None,
        notes=notes,
    )


def warned(certificate: Certificate, who: str, remedy: str) -> Certificate:
    """The certificate, with a warning in the name of `who` where it says that an iteration stopped early."""
    if not certificate.converged:
        warnings.warn(ConvergenceWarning(message(who, str(certificate), "", remedy)), stacklevel=4)
    return certificate


def worst_of(certificates: Sequence[Certificate], names: Sequence[str] = ()) -> Certificate:
    """One certificate for an answer of several parts: of each statement the worst, all iterations, and every note once.

    With the `names` of the parts, notes say which of them they are of, and so does one about those that stopped early.

    >>> print(worst_of([Certificate("exact"), Certificate("exact", status="stopped early", jitter=1e-8)]))
    exact, stopped early; jitter 1e-08 was added
    >>> print(worst_of([Certificate("exact"), Certificate("exact", notes=("constant",))], ["a", "b"]))
    exact, converged; constant (b)
    """
    kinds, statuses = get_args(Kind), list(_STATUS_WORDS.values())
    known = lambda name: [v for v in (getattr(c, name) for c in certificates) if v is not None]  # noqa: E731
    return Certificate(
        max((c.kind for c in certificates), key=kinds.index),
        max((c.status for c in certificates), key=statuses.index),
        max(known("error"), default=None),
        sum(c.iterations for c in certificates),
        max(known("residual"), default=None),
        max(c.jitter for c in certificates),
        max(known("condition"), default=None),
        _notes_of(certificates, names),
    )


def _notes_of(certificates: Sequence[Certificate], names: Sequence[str]) -> tuple[str, ...]:
    """Every note once, with the names of its parts unless it is of all."""
    notes: dict[str, list[str]] = {}
    for certificate, name in zip(certificates, names or [""] * len(certificates), strict=True):
        early = () if certificate.converged or not names else (certificate.status,)
        for note in dict.fromkeys((*early, *certificate.notes)):
            notes.setdefault(note, []).append(name)
    of_all = lambda parts: not names or len(parts) == len(certificates)  # noqa: E731
    return tuple(note if of_all(parts) else f"{note} ({', '.join(parts)})" for note, parts in notes.items())
