r"""What is believed of each outcome of a trial, with intervals that were audited.

Unless a surrogate is given, an outcome has a Matérn-5/2 process in units where its standard deviation is one: that of
the measurements, or the distance of their mean from a bound if that is larger. So what was not measured is never safe
by the prior alone: a bound is one standard deviation away at most, and less where a smaller probability is promised.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float
from scipy import special
from sklearn.base import clone

from credo.beliefs import LogNormal
from credo.decide.acquisitions import GPSurface, surface_of
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.safe.lengthscales import Members, with_other_lengthscales
from credo.decide.study.audit import IntervalAudit, audited
from credo.decide.study.columns import in_units, over_columns, units_of
from credo.decide.study.goal import Bound
from credo.decide.study.surrogate import parameters_of, resumed
from credo.infer.gaussian.loo import leave_one_out
from credo.kernels import Hamming, Kernel, Matern52
from credo.models import GPRegressor
from credo.numerics.concrete import placed
from credo.numerics.constraints import Fixed, Positive
from credo.numerics.padding import bucket
from credo.represent.space import Space

__all__ = ["Believed", "Outcome", "learn_outcome", "unsafe_probability"]

_NOISE = 0.01  # of the variance of the outcome, where the search for it begins
_LEAST_NOISE = 1e-6
# Of length-scales, in standard deviations of evenly spread points: median a quarter of the range, a factor of two
# either way. Shorter than what optimization starts from: a long one is what makes a wrong promise.
_QUARTER = float(np.sqrt(12.0)) / 4.0
_SHORT = LogNormal(jnp.asarray(np.log(_QUARTER)), jnp.asarray(0.7))
# Of the noise, in units of the variance of the outcome: few measurements say little about it.
_SMALL = LogNormal(jnp.asarray(-6.0), jnp.asarray(2.0))
# Of the standard deviations that make a point safe: how many of them a bound may be away before anything is measured.
_SHORT_OF_SAFE = 0.9


class Believed(NamedTuple):
    """Of one outcome at rows: means and standard deviations, rows × members; the probability of each, and whether it is
    plausible."""

    means: Float[np.ndarray, "m s"]
    stds: Float[np.ndarray, "m s"]
    weights: Float[np.ndarray, " s"]
    plausible: Bool[np.ndarray, " s"]

    @property
    def mean(self) -> Float[np.ndarray, " m"]:
        """Over the members."""
        return self.means @ self.weights

    @property
    def std(self) -> Float[np.ndarray, " m"]:
        """Over the members, whose means differ."""
        return np.sqrt((self.stds**2 + (self.means - self.mean[:, None]) ** 2) @ self.weights)

    def broken(self, bound: Bound) -> Float[np.ndarray, " m"]:
        """The probability that the outcome, without noise, breaks a bound at each row, at worst."""
        return np.max(special.ndtr(-bound.margin(self.means) / self.stds)[:, self.plausible], axis=1)


class Outcome(NamedTuple):
    """The belief about an outcome in standard units, `value = center + scale * standard`, and the audit of it.

    `surface` is at the most likely parameters, `members` are at others, too, where they were learnt.
    """

    name: str
    surface: GPSurface
    center: float
    scale: float
    audit: IntervalAudit
    parameters: tuple[float, ...]
    members: Members | None = None

    def at(self, rows: Float[np.ndarray, "m d"]) -> Believed:
        """What is believed at encoded rows, without noise; deviations are widened by the audit."""
        surface = self.surface if self.members is None else self.members.surface
        weights = np.ones(1) if self.members is None else self.members.weights
        plausible = np.ones(1, dtype=bool) if self.members is None else self.members.plausible
        mean, variance = moments_at(surface, rows)
        spread = self.scale * self.audit.factor * np.sqrt(variance)
        return Believed(self.center + self.scale * mean, spread, weights, plausible)


def unsafe_probability(believed: Mapping[str, Believed], bounds: Sequence[Bound]) -> Float[np.ndarray, " m"]:
    r"""$\sum_b P(\text{bound } b \text{ is broken})$ at each row: at least the probability that any of them is."""
    total = np.sum([believed[bound.name].broken(bound) for bound in bounds], axis=0)
    return np.minimum(total, 1.0)


def learn_outcome(
    space: Space,
    name: str,
    rows: Float[np.ndarray, "n d"],
    values: Float[np.ndarray, " n"],
    bounds: Sequence[Bound],
    *,
    promise: float,
    surrogate: GPRegressor | None = None,
    audit: bool = True,
    start: Sequence[float] | None = None,
    seed: int = 0,
) -> Outcome:
    """The process of one outcome after measurements at encoded rows, and its audit. O(n³).

    `promise` is the level of the central interval whose upper half is the probability of being safe.
    """
    own = [bound for bound in bounds if bound.name == name]
    if surrogate is None:
        center, scale = _prior(values, own, promise)
        model, units = _default(space, rows, (values - center) / scale, start, seed)
    else:
        model, units = clone(surrogate).fit(rows, values), None
        center, scale = float(model.scaling_.target_shift), float(model.scaling_.target_scale)
    surface = surface_of(model, units)
    assert isinstance(surface, GPSurface)  # averages over parameters were refused when the study began
    checked = audited(_left_out(model), promise) if audit else IntervalAudit("honest", promise, 1.0, 0, 1.0)
    members = None if units is None else with_other_lengthscales(model, *units)
    return Outcome(name, surface, center, scale, checked, tuple(parameters_of(model)), members)


def _left_out(model: GPRegressor) -> Float[np.ndarray, " n"]:
    """The error of each measurement, predicted from all others, in units of its standard deviation.

    As `GPRegressor.loo_` has them, padded so that a further row compiles nothing.
    """
    y = model.scaling_.targets(model.targets_)
    extra = (0, bucket(len(y)) - len(y))
    belief = leave_one_out(model.posterior_, np.pad(y, extra, mode="edge"), np.pad(model.sites_, extra, mode="edge"))
    return (y - np.asarray(belief.mean)[: len(y)]) / np.asarray(belief.std)[: len(y)]


def _prior(values: Float[np.ndarray, " n"], bounds: Sequence[Bound], promise: float) -> tuple[float, float]:
    """The mean of an outcome and its standard deviation, so large that no bound is kept by the prior alone."""
    center = float(np.mean(values))
    most = min(1.0, _SHORT_OF_SAFE * float(special.ndtri(0.5 + 0.5 * promise)))
    return center, max([float(np.std(values)), *(abs(center - bound.value) / most for bound in bounds)]) or 1.0


def _default(
    space: Space, rows: np.ndarray, standard: np.ndarray, start: Sequence[float] | None, seed: int
) -> tuple[GPRegressor, tuple]:
    kernel, noise = resumed(_kernel(space), _NOISE, start)
    model = GPRegressor(
        kernel=kernel,
        noise_variance=Positive(max(noise, _LEAST_NOISE), prior=_SMALL),
        n_restarts=0,
        inference="map",
        standardize=False,
        random_state=seed,
    ).fit(in_units(space, rows), standard)
    shift, width = units_of(space)
    return model, (placed(shift), placed(width))


def _kernel(space: Space) -> Kernel:
    """Matérn-5/2 of variance one over the columns that are numbers, times a factor for every choice that differs."""
    return over_columns(
        space,
        lambda count: Matern52(
            lengthscale=Positive(np.full(count, _QUARTER), prior=_SHORT),  # type: ignore[arg-type]
            variance=Fixed(1.0),  # type: ignore[arg-type]
        ),
        lambda count: Hamming(lengthscale=jnp.ones(count), variance=Fixed(1.0)),  # type: ignore[arg-type]
    )
