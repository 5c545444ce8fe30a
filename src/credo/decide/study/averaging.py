r"""The belief that a study reports: its surrogate averaged over all parameters that the trials leave open.

Suggestions are made at the most likely parameters, which is quick. Intervals at these would be too narrow: with few
trials a function without noise and a flat one under noise explain the same numbers. The average is over both, so its
interval contains what either of them implies. A constant is integrated out, so that the level of the objective is
uncertain, too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy import special

from credo.beliefs import Mixture, Normal
from credo.decide.acquisitions import GPSurface, Surface
from credo.decide.acquisitions.maximize import evaluated, moments_at
from credo.decide.acquisitions.robust import PerturbedSurface
from credo.decide.study.audit import IntervalAudit, audited
from credo.decide.study.believing import Beliefs
from credo.decide.study.columns import in_units
from credo.decide.study.quick_surface import surface_at
from credo.decide.study.quick_surrogate import evidence_of, usual_logs
from credo.decide.study.surrogate import Learned
from credo.infer.gaussian.importance import ModeShape
from credo.infer.gaussian.quick_average import (
    FEW_ROWS,
    MOST_DRAWS,
    Averaged,
    average_at,
    average_quickly,
    drawn_parameters,
    mode_shape,
    modes_from,
)
from credo.infer.gaussian.quick_mode import Evidence, left_out_errors, mode_near
from credo.numerics.concrete import placed
from credo.numerics.threads import OneBlasThread
from credo.represent.space import Space

__all__ = ["Components", "audit_of", "believed_at", "drawn_surfaces", "probability_feasible"]

_FEW_ROWS = 8  # asked about at once, up to which they are part of each factorization
_AUDITED = 0.9  # the level of the intervals that are shown


class Components(NamedTuple):
    """A mixture of normals at each of m rows, on the host: shares, means and standard deviations of its parts.

    `noise` is the standard deviation of a measurement around the function, where that is known, and `factor` that by
    which an audit widened the mixture.
    """

    shares: Float[np.ndarray, " s"]
    means: Float[np.ndarray, "m s"]
    stds: Float[np.ndarray, "m s"]
    noise: float | None = None
    factor: float = 1.0

    def widened(self, factor: float) -> "Components":
        """After an audit: around the same mean, with so many times the standard deviation."""
        return self.stretched(factor)._replace(factor=self.factor * factor)

    def stretched(self, factor: float) -> "Components":
        """Around the same mean, with so many times the standard deviation."""
        if factor == 1.0:
            return self
        middle = self.mean[:, None]
        return self._replace(means=middle + factor * (self.means - middle), stds=factor * self.stds)

    @property
    def mean(self) -> Float[np.ndarray, " m"]:
        """The mean of the mixture at each row."""
        return self.means @ self.shares

    @property
    def std(self) -> Float[np.ndarray, " m"]:
        """The standard deviation of the mixture at each row, within the parts and between them."""
        size = np.max(self.stds) + np.max(np.abs(self.means))  # the square of which may be too large for a number
        squares = (self.stds / size) ** 2 + ((self.means - self.mean[:, None]) / size) ** 2
        return size * np.sqrt(squares @ self.shares)

    @property
    def belief(self) -> Mixture:
        """The same for everyone else, in few numbers of parts, so that another study compiles little."""
        count = len(self.shares)
        extra = -count % MOST_DRAWS if count > 1 else 0
        means, stds = (jnp.asarray(np.pad(each, [(0, 0), (0, extra)], mode="edge")) for each in (self.means, self.stds))
        return Mixture(jnp.asarray(np.pad(self.shares, (0, extra))), Normal(means, stds))


def believed_at(
    space: Space, learned: Learned, surface: Surface, rows: Float[np.ndarray, "m d"], sign: float
) -> Components:
    """What is believed of an outcome without noise at rows of the encoding, in its own units.

    `surface` is what counts of the outcome. Where it is the default surrogate after few trials, or that on average over
    how far parameters will be missed, the belief is averaged over the parameters of the surrogate. It is as much wider
    as Student's interval is than the normal one, and widened where an audit of it fails; elsewhere it is the surface's
    own.
    """
    base = surface.base if isinstance(surface, PerturbedSurface) else surface
    if learned.measured is None or base is not learned.surface:
        mean, variance = moments_at(surface, rows)
        equal = np.full(mean.shape[1], 1.0 / mean.shape[1])
        means = sign * (learned.center + learned.scale * mean)
        factor = audit_of(space, learned).factor if base is learned.surface else 1.0
        return Components(equal, means, learned.scale * np.sqrt(variance)).widened(factor)
    with OneBlasThread():
        evidence, modes = _problem(space, learned)
        average = _average(evidence, modes, space, surface, rows)
        audit = _audit(learned, _left_out(evidence, modes))
    believed = Components(
        average.shares,
        sign * (learned.center + learned.scale * average.means),
        learned.scale * np.sqrt(average.variances),
        learned.scale * float(np.sqrt(average.shares @ average.noises)),
    )
    return believed.stretched(_of_few(len(evidence.y))).widened(audit.factor)


def _of_few(n: int) -> float:
    """How much wider Student's interval of the mean of n values is than the normal one.

    The units of the surrogate are the mean and the spread of the same few values, and the recommended setting is chosen
    by them. Without it, 90 % intervals covered 72 to 85 % of flat objectives under noise at 6 and 8 trials.

    >>> f"{_of_few(6):.2f} {_of_few(30):.2f}"
    '1.23 1.03'
    """
    upper = 0.5 + 0.5 * _AUDITED
    return float(special.stdtrit(n - 1, upper) / special.ndtri(upper))


def _average(
    evidence: Evidence, modes: Sequence[ModeShape], space: Space, surface: Surface, rows: Float[np.ndarray, "m d"]
) -> Averaged:
    """Over the parameters, of the function at each row or of its average around it."""
    if isinstance(surface, PerturbedSurface):
        nodes = np.asarray(surface.around(placed(rows)))
        inputs = in_units(space, nodes.reshape(-1, rows.shape[1])).reshape(nodes.shape)
        return average_quickly(evidence, modes).over(inputs, np.asarray(surface.weights))
    inputs = in_units(space, rows)
    few = len(rows) <= _FEW_ROWS
    return average_at(evidence, modes, inputs) if few else average_quickly(evidence, modes).at(inputs)


def audit_of(space: Space, learned: Learned) -> IntervalAudit:
    """Whether the belief about an outcome held at the trials, and by how much it is widened where it did not.

    Each trial counts once: by the belief that it was suggested with, where there was one, and else predicted from all
    other trials at the most likely parameters. A surrogate that was passed is not audited.
    """
    if learned.ahead is None or not isinstance(learned.surface, GPSurface):
        return audited(np.empty(0), _AUDITED)
    with OneBlasThread():
        if learned.measured is not None:
            return _audit(learned, _left_out(*_problem(space, learned)))
        posterior, n = learned.surface.posterior, len(learned.ahead)  # imagined results and padding come behind these
        errors = left_out_errors(np.asarray(posterior.factor.lower), np.asarray(posterior.alpha))
        return _audit(learned, errors[:n])


def _audit(learned: Learned, left_out: Float[np.ndarray, " n"]) -> IntervalAudit:
    ahead = left_out if learned.ahead is None else learned.ahead
    return audited(np.where(np.isfinite(ahead), ahead, left_out), _AUDITED)


def _left_out(evidence: Evidence, modes: Sequence[ModeShape]) -> Float[np.ndarray, " n"]:
    """Standardized errors of each trial, predicted from all others at the highest mode."""
    return evidence.left_out(max(modes, key=lambda mode: mode.height).center)


def drawn_surfaces(space: Space, learned: Learned, count: int) -> list[GPSurface]:
    """The surrogate at `count` draws of its parameters that count equally, for what needs whole functions."""
    with OneBlasThread():
        evidence, modes = _problem(space, learned)
        return [surface_at(space, evidence, logs) for logs in drawn_parameters(evidence, modes, count)]


def probability_feasible(space: Space, beliefs: Beliefs, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
    """That a trial at each row succeeds and meets its bounds, which are taken to be independent."""
    total = np.ones(len(rows))
    for learned in beliefs.bounds:
        excess = believed_at(space, learned, learned.surface, rows, 1.0)
        total *= special.ndtr(-excess.means / excess.stds) @ excess.shares
    crashing = beliefs._replace(bounds=()).feasible
    return total if crashing is None else total * np.exp(evaluated(crashing, rows))


def _problem(space: Space, learned: Learned) -> tuple[Evidence, list[ModeShape]]:
    """The evidence of what was measured, and its modes.

    With few rows they are searched for anew, from a function and from noise, so that the belief depends on the trials
    alone; with more there is one, that of the surrogate or near it.
    """
    assert learned.measured is not None
    rows, values, near = learned.measured
    evidence = evidence_of(space, in_units(space, rows), learned.standard(values))
    if len(values) <= FEW_ROWS:
        return evidence, modes_from(evidence, [usual_logs(space), evidence.prior.middle[1]])
    mode = mode_near(evidence, near.logs) if near.precision is None else near
    return evidence, [mode_shape(evidence, mode)]
