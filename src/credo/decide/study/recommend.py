"""What to use in the end: the point of the whole space that is predicted to be best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from credo.beliefs import Mixture
from credo.decide.acquisitions import Acquisition, ConfidenceBound
from credo.decide.acquisitions.composed import Likely
from credo.decide.acquisitions.maximize import maximize_acquisition
from credo.decide.study.averaging import Components, believed_at, probability_feasible
from credo.decide.study.believing import learn_beliefs
from credo.decide.study.known import Known
from credo.decide.study.prepare import as_it_counts, prepare
from credo.decide.study.setup import Setup
from credo.errors import InputError

__all__ = ["Recommendation", "averages_at", "recommend"]


_LIKELY = 0.5  # probability of being feasible, from which on a measured setting is recommended


@final
@dataclass(frozen=True)
class Recommendation:
    """A point, the belief about the objective there (without noise, in its units), and the probability that it succeeds
    and meets its bounds, where something is bounded or failed."""

    params: dict[str, Any]
    belief: Mixture
    feasible: float | None = None

    def __str__(self) -> str:
        low, high = self.belief.interval(0.9)
        point = ", ".join(f"{name} = {_short(value)}" for name, value in self.params.items())
        text = f"{point}: {float(self.belief.mean):.4g}, between {float(low):.4g} and {float(high):.4g} with 90 %"
        return text if self.feasible is None else f"{text}; feasible with probability {self.feasible:.0%}"


def recommend(
    setup: Setup,
    known: Known,
    context: Mapping[str, Any] | None = None,
    starts: Sequence[Sequence[float]] = (),
    seed: int = 0,
) -> Recommendation:
    """Where the mean of the belief about what counts is best, of what is feasible with probability a half or more (or
    most likely so, where nothing is). O(n³).

    Compared are the best measured settings and the point of the space where the mean is best at the most likely
    parameters of the surrogate.
    """
    if len(setup.goal.objectives) > 1:
        raise InputError("recommend", f"{len(setup.goal.objectives)} objectives", "None is best in all", "Try pareto")
    generator = np.random.default_rng(seed)
    prepared = prepare(setup, known, generator, context=context, starts=starts, seed=seed)
    surface, learned, sign = prepared.surfaces[0], prepared.beliefs.objectives[0], setup.goal.signs[0]
    mean: Acquisition = ConfidenceBound(surface, jnp.asarray(0.0))
    feasible = prepared.beliefs.feasible
    sought = mean if feasible is None else Likely(mean, feasible)
    target = setup.counting(prepared.space)
    end = maximize_acquisition(sought, target, generator, near=prepared.near, who="recommend").row
    measured = end[None][:0] if prepared.incumbents is None else prepared.incumbents
    rows = np.concatenate([end[None], measured[target.allowed(measured)]])  # past runs may break constraints
    believed = believed_at(setup.space, learned, surface, rows, sign)
    means, chances = sign * believed.mean, None
    if feasible is not None:
        chances = probability_feasible(setup.space, prepared.beliefs, rows)
        means[1:] = np.where(chances[1:] >= _LIKELY, means[1:], np.inf)
    best = int(np.argmin(means))
    chance = None if chances is None else float(chances[best])
    return Recommendation(target.decode(rows[[best]])[0], believed.belief[best], chance)


def averages_at(
    setup: Setup,
    known: Known,
    rows: Float[np.ndarray, "m d"],
    starts: Sequence[Sequence[float]] = (),
    seed: int = 0,
) -> Components:
    """What is believed of the average around each row, over how far parameters will be missed. O(n³)."""
    if not setup.robust or len(setup.goal.objectives) > 1:
        what = "no parameter is missed" if not setup.robust else f"{len(setup.goal.objectives)} objectives"
        raise InputError("average", what, "It is that of one objective under robust=", "Try posterior")
    learned = learn_beliefs(setup, known, starts=starts, seed=seed).objectives[0]
    counted = setup.where_it_counts(setup.space, rows)
    return believed_at(setup.space, learned, as_it_counts(setup, learned.surface), counted, setup.goal.signs[0])


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
