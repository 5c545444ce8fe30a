r"""What is not known about length-scales after few measurements: several processes instead of one.

A length-scale that is taken for too long is what makes a wrong promise, and few measurements say little about it. So
all of them are multiplied by a factor from a third to three, and each alone by a half and by two. Every process counts
by its evidence and prior, as a density of logarithms: a coarse rule for the integral over them, of 5 + 2 d points.
Those of at least e⁻² times the largest density are plausible: what is safe has to be so under each of them.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import numpy as np
from jax import Array
from jaxtyping import Bool, Float

from credo.decide.acquisitions import AveragedSurface
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior, conditioned
from credo.infer.gaussian.process import Process, log_belief
from credo.models import GPRegressor
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket
from credo.numerics.parameters import flatten

__all__ = ["Members", "with_other_lengthscales"]

_TOGETHER = np.log(3.0) * np.linspace(-1.0, 1.0, 5)
_ALONE = np.log(2.0)
_PLAUSIBLE = np.exp(-2.0)  # of the largest density: a likelihood ratio of 95 % for one parameter


class Members(NamedTuple):
    """Processes at factors of the length-scales, the probability of each, and whether it is plausible."""

    surface: AveragedSurface
    weights: Float[np.ndarray, " s"]
    plausible: Bool[np.ndarray, " s"]


def with_other_lengthscales(model: GPRegressor, shift: Array, scale: Array) -> Members:
    """Of a fitted model all of whose free kernel parameters are length-scales. O(n³), 5 + 2 d times."""
    posterior, flat = model.posterior_, flatten(model.kernel_)
    vector = np.asarray(flat.vector)
    others = np.concatenate([vector + _TOGETHER[:, None], vector + _ALONE * _signs(len(vector))])
    processes = [
        Process(flat.rebuild(placed(other)), posterior.process.mean, posterior.process.noise) for other in others
    ]
    stacked = jax.tree.map(
        lambda *leaves: (
            placed(np.stack([np.asarray(leaf) for leaf in leaves])) if eqx.is_array(leaves[0]) else leaves[0]
        ),
        *processes,
    )
    data = posterior.data.padded(bucket(posterior.data.weights.shape[0]))
    members, evidence = _conditioned(stacked, data)
    # The rule is over logarithms, so that the density is that of the free coordinates.
    scores = np.asarray(evidence) + [float(flat.log_jacobian(placed(other))) for other in others]
    believed = np.exp(scores - np.max(scores))
    surface = AveragedSurface(members, shift, scale)
    return Members(surface, believed / np.sum(believed), believed >= _PLAUSIBLE)


def _signs(d: int) -> Float[np.ndarray, "k d"]:
    """One column up or down at a time; of a single one nothing, since all together are it."""
    return np.concatenate([-np.eye(d), np.eye(d)]) if d > 1 else np.empty((0, d))


@eqx.filter_jit
def _conditioned(processes: Process, data: Observations) -> tuple[GPPosterior, Float[Array, " s"]]:
    """The posterior of each process, and its log evidence with the log density of its parameters as they are."""
    arrays, rest = eqx.partition(processes, eqx.is_array)

    def one(part: Process) -> tuple[GPPosterior, Array]:
        process = eqx.combine(part, rest)
        posterior = conditioned(process, data)
        return posterior, posterior.evidence.total + log_belief(process, data.X, data.present)

    return jax.vmap(one)(arrays)
