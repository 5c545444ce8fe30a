"""What a person should know of a suggestion that is nearly a setting of another trial."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions import AveragedSurface, GPSurface
from credo.decide.acquisitions.free import APART
from credo.decide.acquisitions.joint import noises
from credo.decide.study.believing import Beliefs
from credo.decide.study.known import Known
from credo.decide.study.why import Why
from credo.infer.gaussian.process import ConstantNoise
from credo.numerics.concrete import placed

__all__ = ["is_noisy", "noted", "with_repeat"]

_EXACT = 1e-6  # of a range: what a suggestion is rounded to
_NOISY = 1e-3  # of the variance of an objective: noise that a second measurement helps against


def with_repeat(why: Why, known: Known, beliefs: Beliefs, row: Float[np.ndarray, " d"]) -> Why:
    """The reason with a note, where the row is nearly a setting that is under way, or that was measured."""
    distance, number = _nearest(known.pending, known.pending_numbers, row)
    if distance < APART:
        return noted(why, f"{_repeats(distance)} pending trial #{number}: no other setting is further away")
    distance, number = _nearest(known.rows, known.numbers, row)
    if distance >= APART:
        return why
    if is_noisy(beliefs, row):
        cause = "measurements are noisy, and another one there has a larger expected gain than a new setting"
        return noted(why, f"{_repeats(distance)} #{number}: {cause}")
    return noted(why, f"refines #{number}, which is less than {APART:.0%} of every range away")


def _nearest(
    rows: Float[np.ndarray, "k d"], numbers: tuple[int, ...], row: Float[np.ndarray, " d"]
) -> tuple[float, int]:
    """How far the nearest of the rows is, in shares of a range, and the number of its trial."""
    if not len(rows):
        return np.inf, -1
    distances = np.max(np.abs(rows - row), axis=1)
    nearest = int(np.argmin(distances))
    return float(distances[nearest]), numbers[nearest]


def _repeats(distance: float) -> str:
    return "repeats" if distance < _EXACT else "nearly repeats"


def is_noisy(beliefs: Beliefs, row: Float[np.ndarray, " d"]) -> bool:
    """Whether measurements of an objective scatter, by the belief; of a surrogate without noise nothing is said."""
    surfaces = [learned.surface for learned in beliefs.objectives]
    processes = [surface for surface in surfaces if isinstance(surface, (GPSurface, AveragedSurface))]
    return any(_noise_at(surface, row) > _NOISY for surface in processes)


def _noise_at(surface: GPSurface | AveragedSurface, row: Float[np.ndarray, " d"]) -> float:
    """The variance of a measurement there; that of the default surrogate is the same everywhere."""
    noise = surface.posterior.process.noise if isinstance(surface, GPSurface) else None
    if isinstance(noise, ConstantNoise):
        return float(noise.level)
    return float(np.mean(noises(surface, placed(row[None]))))


def noted(why: Why, note: str) -> Why:
    """The reason with one more note."""
    return replace(why, note="; ".join(part for part in (why.note, note) if part))
