r"""What is known of a function at candidates and targets while measurements are picked one after the other.

A pick changes covariances by rank one, whatever its result: with $k$ the covariance with the pick, given what was
picked before, $K \leftarrow K - k k^\top/(k_{xx} + \sigma_x^2)$. Only the columns that are needed are ever formed: what
is held is an array of targets × candidates, for information also one of targets × targets, and up to 2 |S| + |A|
numbers a pick. A pick costs O(|A| |S| + n |S|), n the measurements of the model.
"""

from abc import ABC, abstractmethod
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float
from scipy import linalg

from credo.decide.explore.covariances import Covariances
from credo.decide.explore.functionals import LinearFunctional
from credo.errors import TooLargeError
from credo.numerics.cholesky import factorize, not_positive_definite
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket

__all__ = ["Information", "Learning", "RemainingVariance", "refuse_large"]

LEAST_NOISE = 1e-8  # of the largest variance at a candidate: what a measurement without noise counts as
MOST = 2**27  # entries of an array of targets × candidates: 1 GiB


class Learning(ABC):
    """A function at candidates S and targets A, given the data and what was picked.

    Without targets A is S, or its first `aims` rows: what is picked besides may be no aim itself.
    """

    def __init__(
        self,
        model: Covariances,
        candidates: Float[np.ndarray, "s d"],
        targets: LinearFunctional | None,
        aims: int | None = None,
    ) -> None:
        self.model, self.candidates, self.targets, self.aims = model, candidates, targets, aims
        self.variance = np.maximum(model.variance(candidates), 0.0)
        self.noise = np.maximum(model.noise(candidates), LEAST_NOISE * float(np.max(self.variance)) or 1.0)
        self.on_targets = self.variance[:aims].copy() if targets is None else np.maximum(targets.variance(model), 0.0)

    @property
    def left(self) -> float:
        """The variances of all targets, added up."""
        return float(np.sum(self.on_targets))

    @abstractmethod
    def gains(self) -> Float[np.ndarray, " s"]:
        """What a measurement at each candidate brings."""

    @abstractmethod
    def pick(self, j: int) -> None:
        """Condition on a measurement at candidate j."""


@final
class Information(Learning):
    r"""$I(y_x; f_A \mid D) = \tfrac12\log\frac{\mathrm{Var}[y_x \mid D]}{\mathrm{Var}[y_x \mid D, f_A]}$, in nats.

    Both variances are kept. Given $f_A$ the covariance at candidates is $K_{SS} - W^\top W$ with $W = L^{-1}K_{AS}$ and
    $L L^\top = K_{AA}$, jitter by the policy of the house, relative to signal and noise on average. Without targets
    $f_A$ leaves nothing of the function at the aims, and no array of |A| × |S| is needed; gains are those of the aims.
    """

    def __init__(
        self,
        model: Covariances,
        candidates: Float[np.ndarray, "s d"],
        targets: LinearFunctional | None,
        aims: int | None = None,
    ) -> None:
        super().__init__(model, candidates, targets, aims)
        self._ours: list[Float[np.ndarray, " s"]] = []
        self._ours_given: list[Float[np.ndarray, " s"]] = []
        self._theirs: list[Float[np.ndarray, " a"]] = []
        self.given = np.zeros_like(self.variance)
        if targets is not None:
            refuse_large(len(targets), len(candidates))
            self._lower = _factor(targets.gram(model), float(np.mean(self.noise)))
            self._half = linalg.solve_triangular(
                self._lower, targets.cross(model, candidates), lower=True, overwrite_b=True, check_finite=False
            )
            explained = np.einsum("as,as->s", self._half, self._half)
            self.given = np.clip(self.variance - explained, 0.0, self.variance)

    def gains(self) -> Float[np.ndarray, " s"]:
        return 0.5 * np.log((self.variance + self.noise) / (np.minimum(self.given, self.variance) + self.noise))

    def pick(self, j: int) -> None:
        column = self.model.covariance(self.candidates, self.candidates[j : j + 1])[:, 0]
        now = _less(column, self._ours, j) / np.sqrt(self.variance[j] + self.noise[j])
        if self.targets is None:
            self._ours.append(now)
            self.variance = np.maximum(self.variance - now**2, 0.0)
            self.on_targets = self.variance[: self.aims]
            return
        of_targets = self._lower @ self._half[:, j]
        for t, u in zip(self._theirs, self._ours, strict=True):
            of_targets -= t * u[j]
        of_targets /= np.sqrt(self.variance[j] + self.noise[j])
        given = _less(column - self._half[:, j] @ self._half, self._ours_given, j)
        given /= np.sqrt(self.given[j] + self.noise[j])
        self._ours.append(now)
        self._ours_given.append(given)
        self._theirs.append(of_targets)
        self.variance = np.maximum(self.variance - now**2, 0.0)
        self.given = np.maximum(self.given - given**2, 0.0)
        self.on_targets = np.maximum(self.on_targets - of_targets**2, 0.0)


@final
class RemainingVariance(Learning):
    r"""What a measurement takes from $\mathrm{tr}\,\mathrm{Var}[f_A \mid D]$: $\sum_a k_{ax}^2/(k_{xx} + \sigma_x^2)$.

    The covariances of targets and candidates are kept, and lose a rank-one term with every pick.
    """

    def __init__(
        self,
        model: Covariances,
        candidates: Float[np.ndarray, "s d"],
        targets: LinearFunctional | None,
        aims: int | None = None,
    ) -> None:
        super().__init__(model, candidates, targets, aims)
        refuse_large(len(candidates[:aims]) if targets is None else len(targets), len(candidates))
        cross = model.covariance(candidates[:aims], candidates) if targets is None else targets.cross(model, candidates)
        self._cross = np.array(cross)
        self._ours: list[Float[np.ndarray, " s"]] = []

    def gains(self) -> Float[np.ndarray, " s"]:
        return np.einsum("as,as->s", self._cross, self._cross) / (self.variance + self.noise)

    def pick(self, j: int) -> None:
        spread = np.sqrt(self.variance[j] + self.noise[j])
        column = self.model.covariance(self.candidates, self.candidates[j : j + 1])[:, 0]
        ours, theirs = _less(column, self._ours, j) / spread, self._cross[:, j] / spread
        self._ours.append(ours)
        self._cross -= np.outer(theirs, ours)
        self.variance = np.maximum(self.variance - ours**2, 0.0)
        self.on_targets = np.maximum(self.on_targets - theirs**2, 0.0)


def _less(column: Float[np.ndarray, " s"], earlier: list[Float[np.ndarray, " s"]], j: int) -> Float[np.ndarray, " s"]:
    """A column of covariances less what earlier picks explain of it."""
    left = np.array(column)
    for u in earlier:
        left -= u * u[j]
    return left


def _factor(gram: Float[np.ndarray, "a a"], noise: float) -> Float[np.ndarray, "a a"]:
    """The Cholesky factor of the targets' covariance, padded to few lengths while it is computed."""
    count = len(gram)
    extra = next((step for step in (64, 256, 1024) if step >= count), bucket(count)) - count  # few lengths to compile
    scale = float(np.mean(np.diagonal(gram))) + noise
    matrix = np.pad(0.5 * (gram + gram.T), [(0, extra), (0, extra)])
    matrix[np.arange(count, count + extra), np.arange(count, count + extra)] = scale
    lower, failed = _factorized(placed(matrix), placed(np.float64(scale)))
    if bool(failed):
        raise not_positive_definite("Explorer", placed(gram))
    return np.asarray(lower)[:count, :count]


@eqx.filter_jit
def _factorized(matrix: Array, scale: Array) -> tuple[Array, Array]:
    lower, _, _, failed = factorize(matrix, scale)
    return lower, failed | ~jnp.all(jnp.isfinite(lower))


def refuse_large(targets: int, candidates: int) -> None:
    """Say how much memory an array of targets and candidates would take, where that is too much."""
    entries = targets * max(candidates, targets)
    if entries > MOST:
        raise TooLargeError(
            "Explorer",
            f"{targets} targets and {candidates} candidates would take {8 * entries / 2**30:.1f} GiB an array",
            f"Covariances between them are held, up to {8 * MOST / 2**30:.0f} GiB",
            'Pass a sample of the targets or of the candidates; without targets "itl" needs no such array',
        )
