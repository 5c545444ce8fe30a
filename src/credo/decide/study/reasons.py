"""The reason of a suggestion, read off the beliefs that led to it."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions import Surface
from credo.decide.acquisitions.maximize import evaluated, moments_at
from credo.decide.acquisitions.pareto import hypervolume
from credo.decide.study.averaging import believed_at, probability_feasible
from credo.decide.study.prepare import Prepared
from credo.decide.study.setup import Setup
from credo.decide.study.why import Why

__all__ = ["reason_of"]

_TOLERANCE = 0.01  # of a probability: a maximum is found to few digits


def reason_of(setup: Setup, prepared: Prepared, row: Float[np.ndarray, " d"]) -> Why:
    """Why this row, in the units of the objectives: of the belief about what counts, fantasies left aside."""
    at = setup.where_it_counts(prepared.space, row[None])
    beliefs, signs, space = prepared.beliefs, setup.goal.signs, setup.space
    # What a gain is measured from comes from the same average as the belief about the suggestion.
    asked = at if prepared.incumbents is None else np.concatenate([at, prepared.incumbents])
    found = [
        believed_at(space, learned, surface, asked, sign)
        for sign, learned, surface in zip(signs, beliefs.objectives, prepared.surfaces, strict=True)
    ]
    in_units = [(float(each.mean[0]), float(each.std[0])) for each in found]
    bounded = beliefs.feasible is not None
    more = {
        "feasible": float(probability_feasible(space, beliefs, row[None])[0]) if bounded else None,
        "cost": _cost(prepared, row),
        "acquisition": setup.gain,
        "parameters": beliefs.parameters,
        "note": _risk(prepared, row),
    }
    if prepared.situation is None:
        standard = [
            float(learned.standard(sign * each.mean[:1])[0])
            for sign, learned, each in zip(signs, beliefs.objectives, found, strict=True)
        ]
        return _of_several(setup, prepared, np.array(standard), row, in_units, more)
    if prepared.gain is None or prepared.incumbents is None:
        return Why("feasibility", *in_units[0], **more)  # type: ignore[arg-type]
    best = signs[0] * float(np.min(signs[0] * found[0].mean[1:]))
    why = Why.of_gain(found[0], best=best, turned=signs[0], **more)
    why = replace(why, noise=None) if setup.fidelity else why  # what is measured at a lower one does not judge it
    return _of_average(prepared, row, why) if setup.learns_average else why


def _of_average(prepared: Prepared, row: Float[np.ndarray, " d"], why: Why) -> Why:
    """With the gain that was maximized: by how much a measurement is expected to lower the least average.

    The belief is about the average, which no measurement judges.
    """
    assert prepared.gain is not None
    gain = prepared.beliefs.objectives[0].scale * float(np.exp(evaluated(prepared.gain, row[None])[0]))
    average = "on average over how far parameters will be missed"
    return replace(why, gain=gain, noise=None, note=f"{average}; {why.note}" if why.note else average)


def _risk(prepared: Prepared, row: Float[np.ndarray, " d"]) -> str:
    """The reason of a suggestion that is less likely to succeed than the price of a crash requires."""
    priced = prepared.priced
    if priced is None:
        return ""
    least, chance = float(priced.required), float(np.exp(evaluated(priced.success, row[None])[0]))
    if chance >= least - _TOLERANCE:
        return ""
    return f"no setting was found that succeeds with the required probability, {least:.0%}"


def _moments(surface: Surface, at: Float[np.ndarray, "1 d"]) -> tuple[float, float]:
    """Mean and standard deviation of the mixture of the beliefs."""
    mean, variance = (part[0] for part in moments_at(surface, at))
    return float(np.mean(mean)), float(np.sqrt(np.mean(variance) + np.var(mean)))


def _cost(prepared: Prepared, row: Float[np.ndarray, " d"]) -> float | None:
    learned = prepared.beliefs.log_cost
    if learned is None:
        return None
    return float(np.exp(learned.center + learned.scale * _moments(learned.surface, row[None])[0]))


def _of_several(
    setup: Setup, prepared: Prepared, means: np.ndarray, row: np.ndarray, in_units: list, more: dict
) -> Why:
    """By whether what is believed would itself enlarge the dominated volume by half of what is expected."""
    beliefs = tuple((name, *pair) for name, pair in zip(setup.goal.objectives, in_units, strict=True))
    if prepared.gain is None or prepared.front is None:
        return Why("feasibility", beliefs=beliefs, **more)
    front, reference = prepared.front
    before = hypervolume(front, reference)
    sure = hypervolume(np.concatenate([front, means[None]]), reference) - before
    gain = float(np.exp(evaluated(prepared.gain, row[None])[0]))
    share = gain / before if before > 0.0 else None
    return Why("exploit" if sure > 0.5 * gain else "explore", gain=share, beliefs=beliefs, **more)
