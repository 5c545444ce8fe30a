"""When to stop: what is left to gain after the trials of a study."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions import AveragedSurface, GPSurface
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.study.averaging import audit_of, believed_at, drawn_surfaces
from credo.decide.study.believing import learn_beliefs
from credo.decide.study.known import Known
from credo.decide.study.remaining import DRAWS, MEMBERS, Remaining, members_of, remaining_gain, widest_gap
from credo.decide.study.setup import Setup
from credo.decide.study.surrogate import Learned
from credo.errors import InputError

__all__ = ["remaining_of"]

_NEAR = 4  # of the best points, from which drawn functions are followed downhill, too


def remaining_of(
    setup: Setup,
    known: Known,
    *,
    context: Mapping[str, Any] | None = None,
    starts: Sequence[Sequence[float]] = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> Remaining:
    """How much better than the best predicted of the measured settings the best of the space may be. O(n³)."""
    if len(setup.goal.objectives) > 1 or setup.goal.bounds or setup.robust:
        what = "what is left of several objectives, under bounds, or of an average"
        raise InputError(
            "remaining", what, "It is known for one objective as it is", "Judge by the gains of the trials"
        )
    learned = learn_beliefs(setup, known, starts=starts, seed=seed).objectives[0]
    if not isinstance(learned.surface, (GPSurface, AveragedSurface)):
        what = "what is left by a surrogate that is no Gaussian process"
        raise InputError("remaining", what, "Functions are drawn from it", "Leave surrogate out")
    space = setup.within(context)
    rows = setup.where_it_counts(space, known.rows)
    best = _best_predicted(setup, learned, rows)
    generator = np.random.default_rng(seed)
    counting, averaged = setup.counting(space), learned.measured is not None
    left = remaining_gain(
        drawn_surfaces(setup.space, learned, MEMBERS) if averaged else members_of(learned.surface),
        counting,
        best[0],
        generator,
        near=best,
        draws=draws,
        scale=learned.scale,
        who="remaining",
    )
    factor = audit_of(setup.space, learned).factor
    return left._replace(gains=factor * left.gains, gap=widest_gap(counting, known.rows, generator))


def _best_predicted(setup: Setup, learned: Learned, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "k d"]:
    """The few of the rows that are best at the most likely parameters, by the mean of the belief, the best first."""
    means = np.mean(moments_at(learned.surface, rows)[0], axis=1)
    some = rows[np.argsort(means, kind="stable")[:_NEAR]]
    believed = believed_at(setup.space, learned, learned.surface, some, 1.0)
    return some[np.argsort(believed.mean, kind="stable")]
