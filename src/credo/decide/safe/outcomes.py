r"""What is believed of each outcome of a trial, with intervals that were audited.

Unless a surrogate is given, an outcome has a Matérn-5/2 process in units where a bound is one unit away at most: the
unit is the standard deviation of the measurements, or the distance of their mean from a bound if that is larger, and
more where a smaller probability is promised. What is believed is averaged over all parameters of the process; what a
measurement would tell is computed at the most likely ones of a process whose variance is one.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy import special
from sklearn.base import clone

from credo.beliefs import LogNormal
from credo.decide.acquisitions import GPSurface, surface_of
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.safe.averaging import LENGTHSCALE, NOISE, Averaged, average_parameters
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
_LENGTHS = LogNormal(jnp.asarray(LENGTHSCALE[0]), jnp.asarray(LENGTHSCALE[1]))
_NOISES = LogNormal(jnp.asarray(NOISE[0]), jnp.asarray(NOISE[1]))
# Of the standard deviations that make a point safe: how many of them a bound may be away before anything is measured.
_SHORT_OF_SAFE = 0.9


class Believed(NamedTuple):
    """Of one outcome at rows: means and standard deviations, rows × members, and the share of each member.

    `change` is the probability that the outcome is not what the members expect of it.
    """

    means: Float[np.ndarray, "m s"]
    stds: Float[np.ndarray, "m s"]
    shares: Float[np.ndarray, " s"]
    change: Float[np.ndarray, " m"]

    @property
    def mean(self) -> Float[np.ndarray, " m"]:
        """Over the members."""
        return self.means @ self.shares

    @property
    def std(self) -> Float[np.ndarray, " m"]:
        """Over the members, whose means differ."""
        return np.sqrt((self.stds**2 + (self.means - self.mean[:, None]) ** 2) @ self.shares)

    def broken(self, bound: Bound) -> Float[np.ndarray, " m"]:
        """The probability that the outcome, without noise and without a change, breaks a bound at each row."""
        return special.ndtr(-bound.margin(self.means) / self.stds) @ self.shares


class Outcome(NamedTuple):
    """The belief about an outcome in standard units, `value = center + scale * standard`, and the audit of it.

    `surface` is at the most likely parameters. Where they were learned, `averaged` is what counts.
    """

    name: str
    surface: GPSurface
    center: float
    scale: float
    audit: IntervalAudit
    parameters: tuple[float, ...]
    averaged: Averaged | None = None

    def at(self, rows: Float[np.ndarray, "m d"]) -> Believed:
        """What is believed at encoded rows, without noise; deviations are widened by the audit."""
        shares, change = np.ones(1), np.zeros(len(rows))
        if self.averaged is not None:
            change = self.averaged.change(rows)
        if self.averaged is not None and self.averaged.process is not None:
            shares = self.averaged.process.weights
            mean, variance = self.averaged.moments(rows)
        else:
            mean, variance = moments_at(self.surface, rows)
        spread = self.scale * self.audit.factor * np.sqrt(variance)
        return Believed(self.center + self.scale * mean, spread, shares, change)


def unsafe_probability(believed: Mapping[str, Believed], bounds: Sequence[Bound]) -> Float[np.ndarray, " m"]:
    r"""$\sum_b P(b \text{ is broken}) + \sum_o P(o \text{ changes})$ at each row, over bounds and bounded outcomes.

    That is at least the probability that any bound is broken.
    """
    changes = [believed[name].change for name in {bound.name: None for bound in bounds}]
    total = np.sum([*(believed[bound.name].broken(bound) for bound in bounds), *changes], axis=0)
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
        standard = (values - center) / scale
        model, units = _default(space, rows, standard, start, seed)
        averaged = average_parameters(space, rows, standard)
    else:
        model, units, averaged = clone(surrogate).fit(rows, values), None, None
        center, scale = float(model.scaling_.target_shift), float(model.scaling_.target_scale)
    surface = surface_of(model, units)
    assert isinstance(surface, GPSurface)  # averages over parameters were refused when the study began
    checked = audited(_left_out(model), promise) if audit else IntervalAudit("honest", promise, 1.0, 0, 1.0)
    return Outcome(name, surface, center, scale, checked, tuple(parameters_of(model)), averaged)


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
        noise_variance=Positive(max(noise, _LEAST_NOISE), prior=_NOISES),
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
            lengthscale=Positive(np.full(count, np.exp(LENGTHSCALE[0])), prior=_LENGTHS),  # type: ignore[arg-type]
            variance=Fixed(1.0),  # type: ignore[arg-type]
        ),
        lambda count: Hamming(lengthscale=jnp.ones(count), variance=Fixed(1.0)),  # type: ignore[arg-type]
    )
