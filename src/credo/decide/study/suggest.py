"""The next point of a study, as a function of what it has seen and of a seed: the same in, the same out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions.free import first_free
from credo.decide.study.joint import is_joint, joint_batch
from credo.decide.study.known import Known
from credo.decide.study.prepare import maximized, prepare
from credo.decide.study.reasons import reason_of
from credo.decide.study.regional import suggest_in_region
from credo.decide.study.repeats import with_repeat
from credo.decide.study.second_look import second_look
from credo.decide.study.setup import Setup
from credo.decide.study.why import Why
from credo.numerics.threads import blas_threads_for
from credo.represent.space import Space

__all__ = ["Suggestion", "sampled", "suggest"]

_SPARE = 64  # points beside the design, of which one is free unless the space is nearly used up


class Suggestion(NamedTuple):
    """A row of the encoding, and why."""

    row: Float[np.ndarray, " d"]
    why: Why


def suggest(
    setup: Setup,
    known: Known,
    *,
    batch: int = 1,
    context: Mapping[str, Any] | None = None,
    starts: Sequence[Sequence[float]] = (),
    design_seed: int = 0,
    seed: int = 0,
) -> list[Suggestion]:
    """The points to measure next: a `batch` of them where they can be chosen together, else one.

    The first `initial` are an even design over the space; then the surrogates are fitted to what is known, and the
    acquisition is maximized. A gain is averaged over what trials under way may come out as, or takes them to come out
    as believed; where some failed, it counts by the probability of not failing. `starts` are parameters of earlier
    surrogates.
    """
    generator = np.random.default_rng(seed)
    if setup.acquisition == "random":
        return sampled(setup, batch, context, seed, known.taken)
    if in_design(setup, known):
        rows = _design(setup, setup.within(context), known.taken, batch, design_seed, generator)
        return [Suggestion(row, Why("start", acquisition=setup.acquisition)) for row in rows]
    if setup.trusts_a_region:
        return [Suggestion(*suggest_in_region(setup, known, generator, context=context, starts=starts, seed=seed))]
    with blas_threads_for(len(known.rows)):
        prepared = prepare(setup, known, generator, context=context, starts=starts, seed=seed, warped=True)
        if batch > 1 and is_joint(prepared):
            rows = joint_batch(prepared, known, batch, generator)
        else:
            rows = maximized(prepared, known, generator)[None]
        reasons = [reason_of(setup, prepared, row) for row in rows]
        if len(rows) == 1:
            other = second_look(setup, known, prepared, rows[0], reasons[0], generator, starts=starts, seed=seed)
            if other is not None:
                return [Suggestion(*other)]
    return [
        Suggestion(row, with_repeat(why, known, prepared.beliefs, row)) for row, why in zip(rows, reasons, strict=True)
    ]


def sampled(
    setup: Setup, count: int, context: Mapping[str, Any] | None, seed: int, taken: np.ndarray | None = None
) -> list[Suggestion]:
    """Points at random; of a finite space none that was `taken`."""
    space, generator = setup.within(context), np.random.default_rng(seed)
    found = np.empty((0, len(space))) if taken is None else taken
    picked = []
    for _ in range(count):
        rows = space.sample_rows(1 if taken is None else _SPARE, generator)
        row = first_free(space, rows, np.zeros(len(rows)), found if len(found) else None, "ask").row
        found = np.concatenate([found, row[None]])
        picked.append(Suggestion(row, Why("random", acquisition=setup.acquisition)))
    return picked


def in_design(setup: Setup, known: Known) -> bool:
    """Whether the even design goes on: until there is enough to learn from."""
    assert setup.initial is not None
    return len(known.taken) < setup.initial or len(known.rows) < 2


def _design(
    setup: Setup, space: Space, taken: np.ndarray, count: int, design_seed: int, generator: np.random.Generator
) -> Float[np.ndarray, "k d"]:
    """The next points of an even design that are not taken yet, then any."""
    assert setup.initial is not None
    left = (
        setup.space.sample_rows(setup.initial, design_seed)[len(taken) :] if len(taken) < setup.initial else taken[:0]
    )
    left = space.snap(left) if len(left) and space.held != setup.space.held else left
    rows = np.concatenate([left[space.allowed(left)] if len(left) else left, space.sample_rows(_SPARE, generator)])
    found: list[np.ndarray] = []
    order = -np.arange(len(rows), dtype=np.float64)
    for _ in range(count):
        others = np.concatenate([taken, *(row[None] for row in found)])
        found.append(first_free(space, rows, order, others, "ask", away=others).row)
    return np.stack(found)
