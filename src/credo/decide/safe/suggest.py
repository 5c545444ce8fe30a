"""The next point of a safe study: what is safe, what may be best, and which measurement tells most about the latter."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy import special

from credo.decide.acquisitions.maximize import brought_inside
from credo.decide.explore import Explorer
from credo.decide.safe.outcomes import Outcome, learn_outcome, unsafe_probability
from credo.decide.safe.plan import Candidates, Plan, Seen
from credo.decide.safe.reason import SafeWhy
from credo.decide.safe.safeopt import widest
from credo.errors import InputError

__all__ = ["SafeSuggestion", "is_still_safe", "judged", "learned", "suggest_safely"]

_STUCK = "no new setting is safe with the promised probability; further seeds or a known surrogate would allow one"
_NEAR, _AROUND = 12, 16  # points around each of the latest and best measured ones, at each spread
_SPREADS = (0.1, 0.03, 0.01, 0.003)  # in shares of a range
_MOST_SAFE, _MOST_TARGETS = 1024, 256  # rows that the explorer is given


class SafeSuggestion(NamedTuple):
    """A row of the encoding, and why."""

    row: Float[np.ndarray, " d"]
    why: SafeWhy


def suggest_safely(
    plan: Plan,
    seen: Seen,
    *,
    even: Float[np.ndarray, "e d"],
    start: Mapping[str, Sequence[float]] | None = None,
    seed: int = 0,
) -> SafeSuggestion:
    """The point to measure next: a seed that was not measured yet, else what tells most among what is safe.

    `even` are candidates all over the space, `start` the parameters of earlier surrogates. Where nothing is safe, a
    seed is measured again, unless all of them failed or were measured to break a bound.
    """
    left = plan.seeds[_are_not_among(plan.seeds, np.concatenate([seen.rows, seen.failed, seen.pending]))]
    if len(left):
        return SafeSuggestion(left[0], SafeWhy("seed"))
    if not len(seen.rows):  # all seeds are under way, or failed
        return SafeSuggestion(_vouched(plan, seen)[0], SafeWhy("seed"))
    outcomes = learned(plan, seen, start=start, seed=seed)
    generator = np.random.default_rng(seed)
    found = judged(plan, seen, outcomes, _rows(plan, seen, even, generator))
    reason: Literal["learn", "repeat"] = "learn"
    if not np.any(found.safe):
        vouched = judged(plan, seen, outcomes, _vouched(plan, seen))
        choice, gain, reason = vouched.rows[np.argmin(vouched.unsafe)], 0.0, "repeat"
    elif plan.strategy == "safeopt":
        choice, gain = widest(plan, outcomes, _not_under_way(found, seen.pending))
    else:
        choice, gain = _told_most(plan, outcomes, found, seen.pending, generator)
    why = _why(plan, outcomes, found, choice, gain, reason)
    stuck = reason == "learn" and not np.any(_are_not_among(found.rows[found.safe], seen.rows))
    return SafeSuggestion(choice, replace(why, notes=(*why.notes, _STUCK)) if stuck else why)


def is_still_safe(
    plan: Plan, seen: Seen, row: Float[np.ndarray, " d"], *, start: Mapping[str, Sequence[float]] | None = None
) -> bool:
    """Whether a point that was suggested earlier may be measured after what was seen since."""
    at = row[None]
    if not _fresh(plan, seen, at)[0]:
        return False
    if not _are_not_among(at, plan.seeds)[0]:  # somebody vouched for it
        return True
    if not len(seen.rows):
        return False
    return bool(judged(plan, seen, learned(plan, seen, start=start), at).safe[0])


def learned(
    plan: Plan, seen: Seen, *, start: Mapping[str, Sequence[float]] | None = None, seed: int = 0
) -> dict[str, Outcome]:
    """A surrogate for each outcome, with its audit. O(n³) each."""
    return {
        name: learn_outcome(
            plan.space,
            name,
            seen.rows,
            seen.values[:, j],
            plan.bounds,
            promise=round(2.0 * plan.probability - 1.0, 12),  # 0.9 for 95 %, not a second level just below it
            surrogate=plan.surrogates.get(name),
            audit=plan.audit,
            start=(start or {}).get(name),
            seed=seed,
        )
        for j, name in enumerate(plan.goal.outcomes)
    }


def judged(plan: Plan, seen: Seen, outcomes: Mapping[str, Outcome], rows: Float[np.ndarray, "m d"]) -> Candidates:
    """What is safe (pessimistic), and what may be best among what may be safe (optimistic)."""
    believed = {name: outcome.at(rows) for name, outcome in outcomes.items()}
    unsafe = unsafe_probability(believed, plan.bounds)
    width = float(special.ndtri(plan.probability))
    middle, reach = plan.turned * believed[plan.objective].mean, width * believed[plan.objective].std
    low, high = middle - reach, middle + reach
    safe = (unsafe <= 1.0 - plan.probability) & _fresh(plan, seen, rows)
    hopeful = np.ones(len(rows), dtype=bool)
    for bound in plan.bounds:
        about = believed[bound.name]
        hopeful &= bound.margin(about.mean) + width * about.std >= 0.0
    sure = np.min(high[safe]) if np.any(safe) else np.inf
    widths = np.max([2.0 * width * believed[name].std / outcomes[name].scale for name in outcomes], axis=0)
    return Candidates(rows, unsafe, widths, safe, hopeful & (low <= sure))


def _vouched(plan: Plan, seen: Seen) -> Float[np.ndarray, "k d"]:
    """The seeds that measurements do not speak against; at least one."""
    seeds = plan.seeds[_fresh(plan, seen, plan.seeds)]
    if not len(seeds):
        raise InputError(
            "SafeStudy",
            "no seed is safe under what was measured",
            "Each of them failed or broke a bound, and no other point is safe with the promised probability",
            "Add past runs that kept the bounds, or begin a study with other seeds",
        )
    return seeds


def _not_under_way(found: Candidates, pending: Float[np.ndarray, "p d"]) -> Candidates:
    """Without the rows that are measured now, unless nothing else is safe."""
    free = _are_not_among(found.rows, pending)
    return Candidates(*(part[free] for part in found)) if np.any(found.safe & free) else found


def _told_most(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    found: Candidates,
    pending: Float[np.ndarray, "p d"],
    generator: np.random.Generator,
) -> tuple[Float[np.ndarray, " d"], float]:
    """Of what is safe, what tells most about all outcomes where the best may be."""
    targets = _thinned(found.rows[found.promising], _MOST_TARGETS, generator)
    safe = _thinned(found.rows[found.safe], _MOST_SAFE, generator)
    models = [outcome.surface for outcome in outcomes.values()]
    explorer = Explorer(models, targets=targets if len(targets) else safe, candidates=safe, criterion=plan.strategy)
    picked = explorer.ask(1, pending=pending)
    return picked.rows[0], float(picked.gains[0])


def _why(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    found: Candidates,
    row: Float[np.ndarray, " d"],
    gain: float,
    reason: Literal["learn", "repeat"],
) -> SafeWhy:
    believed = {name: outcome.at(row[None]) for name, outcome in outcomes.items()}
    notes = tuple(f"{o.name}: {o.audit}" for o in outcomes.values() if o.audit.factor > 1.0)
    return SafeWhy(
        reason,
        safe=1.0 - float(unsafe_probability(believed, plan.bounds)[0]),
        gain=gain,
        mean=float(believed[plan.objective].mean[0]),
        std=float(believed[plan.objective].std[0]),
        share=float(np.mean(found.safe)),
        strategy=plan.strategy,
        notes=notes,
        parameters={name: list(outcome.parameters) for name, outcome in outcomes.items()},
    )


def _rows(
    plan: Plan, seen: Seen, even: Float[np.ndarray, "e d"], generator: np.random.Generator
) -> Float[np.ndarray, "m d"]:
    """Candidates all over the space, the measured points, and points around the best and the latest of them."""
    values = plan.turned * seen.values[:, 0]
    order = np.lexsort((values, ~plan.goal.met(seen.values)))
    near = seen.rows[np.unique(np.concatenate([order[: _NEAR // 2], np.arange(len(values))[-_NEAR // 2 :]]))]
    around = near[:, None, None] + np.array(_SPREADS)[None, :, None, None] * generator.normal(
        size=(len(near), len(_SPREADS), _AROUND, near.shape[1])
    )
    close = brought_inside(plan.space, around.reshape(-1, near.shape[1]))
    rows = np.concatenate([plan.seeds, seen.rows, close, even])
    return np.unique(rows, axis=0) if plan.space.count is not None else rows


def _fresh(plan: Plan, seen: Seen, rows: Float[np.ndarray, "m d"]) -> Bool[np.ndarray, " m"]:
    """Which rows did not fail before, nor were measured to break a bound."""
    return _are_not_among(rows, np.concatenate([seen.failed, seen.rows[~plan.goal.met(seen.values)]]))


def _thinned(rows: Float[np.ndarray, "m d"], most: int, generator: np.random.Generator) -> Float[np.ndarray, "k d"]:
    return rows if len(rows) <= most else rows[np.sort(generator.choice(len(rows), most, replace=False))]


def _are_not_among(rows: Float[np.ndarray, "k d"], others: Float[np.ndarray, "t d"]) -> Bool[np.ndarray, " k"]:
    if not len(others):
        return np.ones(len(rows), dtype=bool)
    return np.min(np.max(np.abs(rows[:, None] - others[None]), axis=2), axis=1) > 1e-9
