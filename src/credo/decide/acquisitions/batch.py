r"""What q measurements at once are expected to gain: $\mathbb E\max_i (y^* - f(x_i))_+$ over their joint belief.

The expectation is the average over fixed draws $f = \mu + L z$, so that it is a smooth function of the rows. In
logarithms, with a positive part that never quite vanishes and a maximum over the rows that is a little soft, it has a
slope also where no draw improves (Ament et al. 2023).
"""

from abc import abstractmethod
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import logsumexp
from jaxtyping import Float

from credo.decide.acquisitions.free import are_apart, key_of, taken_keys
from credo.decide.acquisitions.joint import covariances
from credo.decide.acquisitions.maximize import climbable, fences, reached
from credo.decide.acquisitions.surface import Surface
from credo.errors import InputError
from credo.numerics.cholesky import factorize
from credo.numerics.concrete import placed
from credo.numerics.minimize import minimize
from credo.numerics.padding import filled
from credo.numerics.rows import map_rows
from credo.represent.space import Space

__all__ = ["BatchAcquisition", "BatchLogExpectedImprovement", "SuggestedBatch", "batches_evaluated", "maximize_batch"]

_TEMPERATURE = 1e-6  # of the positive part, in the units of the surface
_FAT = 0.1  # of the tail of the positive part
_SOFT = 1e-2  # of the maximum over rows, in logarithms: it is above the maximum by at most that times log q
_RIDGE = 1e-8  # of the variance, so that rows that coincide have a slope
_ITERATIONS = 60
_ROUNDS = 8
_GAIN = 1e-3  # of a logarithm of a gain


class BatchAcquisition(eqx.Module):
    """What is gained by measuring at several encoded rows together, to be maximized."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many rows."""

    @abstractmethod
    def __call__(self, X: Float[Array, "q d"]) -> Float[Array, ""]:
        """By measuring at all of them."""


class BatchLogExpectedImprovement(BatchAcquisition):
    """The logarithm of the expected improvement on `best` by the best of q rows, averaged over beliefs.

    `normals` are standard normal draws, a row a draw (best from `even_normals`): they stay, so that the function is the
    same from one call to the next. Its error against the exact value is that of their number: small where one draw in
    ten improves, as large as the value where one in a thousand does. A surface with covariances is needed. O(n² q + q³
    + q² draws).
    """

    surface: Surface
    best: Float[Array, " s"]
    normals: Float[Array, "draws q"]

    @property
    def size(self) -> int:
        return int(self.normals.shape[1])

    def __call__(self, X: Float[Array, "q d"]) -> Float[Array, ""]:
        mean, variance = self.surface.moments(X)
        covariance = covariances(self.surface, X, X)
        ridge = _RIDGE * jnp.mean(variance) * jnp.eye(X.shape[0])
        lower, *_ = factorize(0.5 * (covariance + jnp.swapaxes(covariance, 1, 2)) + ridge)
        drawn = mean.T[:, None, :] + jnp.einsum("kq,crq->ckr", self.normals, lower)
        gains = log_positive_part(self.best[:, None, None] - drawn)
        most = _SOFT * logsumexp(gains / _SOFT, axis=2)
        return logsumexp(most) - np.log(most.size)


def log_positive_part(x: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$\log\tau\left[\log(1 + e^{x/\tau}) + \frac{0.1}{1 + (x/\tau)^2}\right]$: that of x where it is positive, and
    below zero something small that still falls.

    The tail is that of a power, not of an exponential, so that its logarithm has a slope to follow also far away.
    """
    scaled = x / _TEMPERATURE
    return np.log(_TEMPERATURE) + jnp.log(jnp.logaddexp(scaled, 0.0) + _FAT / (1.0 + scaled**2))


class SuggestedBatch(NamedTuple):
    """Rows of the encoding to measure together, and what the acquisition says of them."""

    rows: Float[np.ndarray, "q d"]
    value: float


class _Others(NamedTuple):
    """What leaves a batch free or not: rows that were taken, by their keys, and rows to be away from."""

    taken: set[bytes]
    away: Float[np.ndarray, "p d"] | None

    def leave(self, batch: Float[np.ndarray, "q d"]) -> bool:
        """Whether no two rows of the batch are nearly the same, and none is taken or nearly one to be away from."""
        apart = all(np.all(are_apart(batch[i + 1 :], batch[i : i + 1])) for i in range(len(batch) - 1))
        return apart and bool(np.all(are_apart(batch, self.away))) and not {key_of(row) for row in batch} & self.taken


def maximize_batch(
    acquisition: BatchAcquisition,
    space: Space,
    starts: Float[np.ndarray, "s q d"],
    *,
    taken: Float[np.ndarray, "t d"] | None = None,
    away: Float[np.ndarray, "p d"] | None = None,
    who: str = "maximize_batch",
) -> SuggestedBatch:
    """The batch of rows with the largest acquisition that was found from `starts`, and no worse than the best of them.

    All rows of a batch climb together in their continuous columns; then each in turn takes its best step in the
    discrete ones; the two alternate until neither helps. Starts are allowed rows, such as those that one-at-a-time
    choices give. No two rows of a batch are nearly the same setting, none is nearly one of `away`, and none is among
    those `taken`, where a start is so. Cost: some thirty evaluations with gradient at all starts.
    """
    if starts.shape[1] != acquisition.size or not len(starts):
        what = f"starts of shape {starts.shape} for batches of {acquisition.size}"
        raise InputError(who, what, "A start has a row for each measurement", "Pass shape (starts, q, d)")
    others = _Others(taken_keys(space, taken), away)
    free = np.array([others.leave(batch) for batch in starts])
    ends, best = starts.copy(), np.where(free | ~np.any(free), batches_evaluated(acquisition, starts), -np.inf)
    climbed = climbable(space)
    for _ in range(_ROUNDS):
        before = best
        ends, best = _ascended(acquisition, space, ends, best, climbed, others, who)
        if not np.all(climbed):
            for i in range(acquisition.size):
                ends, best = _stepped(acquisition, space, ends, best, i, others)
        if np.all(climbed) or not np.any(best > before + _GAIN):
            break
    chosen = int(np.argmax(best))
    return SuggestedBatch(ends[chosen], float(best[chosen]))


def batches_evaluated(acquisition: BatchAcquisition, batches: Float[np.ndarray, "k q d"]) -> Float[np.ndarray, " k"]:
    """The acquisition of each batch; minus infinity where it has no value."""
    values = np.asarray(_values(acquisition, placed(filled(batches))))[: len(batches)]
    return np.where(np.isnan(values), -np.inf, values)


@eqx.filter_jit
def _values(acquisition: BatchAcquisition, batches: Array) -> Array:
    flat = batches.reshape(batches.shape[0], -1)
    numbers = sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(acquisition, eqx.is_array)) if leaf.ndim < 3)
    return map_rows(lambda rows: jax.vmap(lambda x: -_loss(x, acquisition, None))(rows), flat, cost=numbers)


def _loss(x: Array, acquisition: BatchAcquisition, _: None) -> Array:
    return -acquisition(x.reshape(acquisition.size, -1))


def _ascended(
    acquisition: BatchAcquisition,
    space: Space,
    batches: np.ndarray,
    values: np.ndarray,
    climbed: np.ndarray,
    others: _Others,
    who: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Each batch climbed in its continuous columns; a row that leaves what is allowed goes as far as it may."""
    if not np.any(climbed):
        return batches, values
    count, _, d = batches.shape
    low, high = fences(batches, climbed)
    solution = minimize(
        _loss,
        batches.reshape(count, -1),
        shared=acquisition,
        bounds=np.stack([low, high], axis=-1).reshape(count, -1, 2),
        batch=True,
        max_iterations=_ITERATIONS,
        tolerance=1e-4,
        gain=_GAIN,
        rough=True,
        who=who,
    )
    summits = solution.info["x"].reshape(-1, d)
    ends = reached(space, batches.reshape(-1, d), summits, climbed).reshape(batches.shape)
    better = batches_evaluated(acquisition, ends)
    won = (better > values) & np.array([others.leave(batch) for batch in ends])
    return np.where(won[:, None, None], ends, batches), np.where(won, better, values)


def _stepped(
    acquisition: BatchAcquisition, space: Space, batches: np.ndarray, values: np.ndarray, i: int, others: _Others
) -> tuple[np.ndarray, np.ndarray]:
    """Each batch with its row i moved to the best neighbor that is free, where one is better."""
    tried: list[np.ndarray] = []
    of_batch: list[int] = []
    for b, batch in enumerate(batches):
        for row in space.neighbors(batch[i]):
            moved = batch.copy()
            moved[i] = row
            if others.leave(moved):
                tried.append(moved)
                of_batch.append(b)
    if not tried:
        return batches, values
    found = batches_evaluated(acquisition, np.stack(tried))
    ends, best = batches.copy(), values.copy()
    for b, moved, value in zip(of_batch, tried, found, strict=True):
        if value > best[b]:
            ends[b], best[b] = moved, value
    return ends, best
