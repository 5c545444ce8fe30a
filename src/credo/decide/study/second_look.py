"""A second look at a suggestion that promises little: at the objective without a logarithm, and at all of the space.

A logarithm of the objective leads quickly to the bottom of a basin, and values what is near the best above all that is
unknown. Where it promises little in the objective itself, every second suggestion is made without it. A surrogate with
little uncertainty in a basin would also refine its bottom to more digits than are useful: instead of that, the second
suggestion is far from all measured settings.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import cdist

from credo.decide.acquisitions.free import APART, are_apart
from credo.decide.study.known import Known
from credo.decide.study.prepare import Prepared, maximized, prepare
from credo.decide.study.reasons import reason_of
from credo.decide.study.repeats import is_noisy, noted, with_repeat
from credo.decide.study.setup import Setup
from credo.decide.study.why import Why

__all__ = ["AS_IT_IS", "ELSEWHERE", "second_look"]

_LITTLE = 1e-2  # of what the median setting is worse than the best: a gain below asks for a second look
_MUCH = 10.0  # times the gain of the first suggestion, from which on another one is taken
_IN_VAIN = 1e-4  # of the same unit: a refinement that gains less is not worth a trial
_POINTS = 256  # that stand for the whole space
#: The notes of suggestions that were found by a second look.
AS_IT_IS = "the largest gain in the objective itself; a logarithm of it led to less than a tenth of this gain"
ELSEWHERE = "far from all measured settings, since a refinement of the best one would gain almost nothing"


def second_look(
    setup: Setup,
    known: Known,
    first: Prepared,
    row: Float[np.ndarray, " d"],
    why: Why,
    generator: np.random.Generator,
    *,
    starts: Sequence[Sequence[float]] = (),
    seed: int = 0,
) -> tuple[Float[np.ndarray, " d"], Why] | None:
    """Another suggestion with its reason, where the first one (a row and why) promises little; None where it stays.

    Only every second suggestion may be another one. The parameters of the first surrogate are kept with it, for the
    search of the next ask goes on there.
    """
    if not _may_differ(setup) or (len(known.rows) + len(known.pending)) % 2 or why.gain is None:
        return None
    unit, gain = _unit(known), why.gain
    if gain >= _LITTLE * unit:
        return None
    prepared, other, note = first, why, AS_IT_IS
    if first.beliefs.objectives[0].bent:
        prepared = prepare(setup, known, generator, starts=starts, seed=seed)
        row = maximized(prepared, known, generator)
        other = reason_of(setup, prepared, row)
    larger = 0.0 if other.gain is None else other.gain
    if _is_in_vain(known, prepared, row, larger, unit):
        least = _usual_distance(setup, known, generator)
        if least < APART:
            return None
        row = maximized(prepared, known, generator, away=known.rows, least=least)
        other, note = reason_of(setup, prepared, row), ELSEWHERE
    elif larger < _MUCH * gain:
        return None
    why = noted(replace(other, parameters=first.beliefs.parameters), note)
    return row, with_repeat(why, known, prepared.beliefs, row)


def _may_differ(setup: Setup) -> bool:
    """Whether a gain is that of one objective wherever it is measured, by the default surrogate and acquisition."""
    default = setup.surrogate is None and setup.acquisition in ("log_ei", "qlog_ei")
    return default and len(setup.goal.objectives) == 1 and not (setup.context or setup.fidelity or setup.robust)


def _unit(known: Known) -> float:
    """What the median setting is worse than the best; of nearly the same settings the first one counts."""
    near = cdist(known.rows, known.rows, "chebyshev") < APART
    values = known.values[:, 0]
    return float(np.median(values[~np.any(np.tril(near, -1), axis=1)]) - np.min(values))


def _is_in_vain(known: Known, prepared: Prepared, row: Float[np.ndarray, " d"], gain: float, unit: float) -> bool:
    """Whether the row refines a measured setting for almost no gain, and the last two trials gained as little."""
    if len(known.rows) < 3 or are_apart(row[None], known.rows)[0]:
        return False
    values = known.values[:, 0]
    gained = float(np.min(values[:-2]) - np.min(values))
    return max(gained, gain) < _IN_VAIN * unit and not is_noisy(prepared.beliefs, row)


def _usual_distance(setup: Setup, known: Known, generator: np.random.Generator) -> float:
    """How far a setting usually is from the nearest measured one: half of the space is further away."""
    points = setup.space.sample_rows(_POINTS, generator)
    return float(np.median(np.min(cdist(points, known.rows, "chebyshev"), axis=1)))
