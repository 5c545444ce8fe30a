"""Several points chosen together: from one-at-a-time choices to the batch that is best as a whole."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions import GPSurface, imagined
from credo.decide.acquisitions.batch import BatchLogExpectedImprovement, maximize_batch
from credo.decide.acquisitions.improvement import LogExpectedImprovement
from credo.decide.acquisitions.maximize import maximize_acquisition, moments_at
from credo.decide.acquisitions.normals import even_normals
from credo.decide.study.known import Known
from credo.decide.study.prepare import Prepared

__all__ = ["is_joint", "joint_batch"]

_DRAWS = 128
_OTHERS = 3  # starts beside the greedy one


def is_joint(prepared: Prepared) -> bool:
    """Whether the gain of a batch can be said as a whole: that of one process, with neither bounds nor cost.

    The joint gain knows nothing of feasibility, of what a trial costs, or of an average around a point.
    """
    beliefs = prepared.beliefs
    plain = beliefs.feasible is None and beliefs.log_cost is None and prepared.situation is not None
    return plain and isinstance(prepared.surfaces[0], GPSurface)


def joint_batch(
    prepared: Prepared, known: Known, count: int, generator: np.random.Generator
) -> Float[np.ndarray, "q d"]:
    """The rows whose best is expected to improve most, as a whole (Ament et al. 2023), where that `is_joint`.

    It starts from rows chosen one after the other, each counting on those before it, and from some at random.
    """
    now = prepared.situation
    assert now is not None
    greedy = _one_after_the_other(prepared, known, count, generator)
    normals = even_normals(_DRAWS, count, int(generator.integers(2**31)))
    gain = BatchLogExpectedImprovement(now.surface, jnp.asarray(now.best), jnp.asarray(normals))
    space = prepared.space
    others = space.sample_rows(_OTHERS * count, generator).reshape(_OTHERS, count, -1)
    taken = known.taken if space.count else None
    starts = greedy[None] if space.count else np.concatenate([greedy[None], others])
    return maximize_batch(gain, space, starts, taken=taken, away=known.pending, who="ask_batch").rows


def _one_after_the_other(
    prepared: Prepared, known: Known, count: int, generator: np.random.Generator
) -> Float[np.ndarray, "q d"]:
    space, now, base = prepared.space, prepared.situation, prepared.surfaces[0]
    assert now is not None
    assert isinstance(base, GPSurface)
    gain, rows, pending = prepared.acquisition, known.taken[:0], known.pending
    for _ in range(count):
        taken = np.concatenate([known.taken, rows]) if space.count else None
        row = maximize_acquisition(
            gain, space, generator, near=prepared.near, taken=taken, away=pending, who="ask_batch"
        ).row
        rows = np.concatenate([rows, row[None]])
        pending = np.concatenate([known.pending, rows])
        # Without noise: where something is under way, the same again would only seem to gain.
        surface, _ = imagined(base, pending, generator.normal(size=(len(pending), now.best.shape[0])), noisy=False)
        best = np.minimum(np.min(moments_at(surface, np.concatenate([now.rows, rows]))[0], axis=0), now.best)
        gain = LogExpectedImprovement(surface, jnp.asarray(best))
    return rows
