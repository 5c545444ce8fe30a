r"""Logistic regression on many weightings of the same rows.

All replicates begin at the fit of all rows, in the columns' standard units, and take Newton steps together:
predictors, gradients and information matrices of a block of replicates are matrix products. An information matrix is
taken at the start, two steps later, when steps with it become slow, and at the solution. A replicate that does not get
there so (its classes are separated, its columns dependent, a step led upwards) is fitted alone.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Bool, Float

from credo.beliefs import Categorical, UncertaintyBudget
from credo.errors import InputError
from credo.infer.glm.averaging import predictor_rule, two_class_belief
from credo.infer.glm.design import LinearDesign
from credo.infer.glm.families import FAMILIES
from credo.infer.glm.fit import fit_glm
from credo.infer.glm.links import LINKS
from credo.infer.glm.newton import close_enough, newton
from credo.infer.glm.problem import GLMProblem
from credo.infer.glm.separation import UNKNOWN
from credo.infer.glm.sparse import LASSO, fit_sparse_glm
from credo.infer.glm.units import ColumnUnits, standardized
from credo.infer.replicates import PairedRows, paired_rows, replicate_blocks
from credo.numerics import array_expit
from credo.numerics.semidefinite import scaled_inverses
from credo.numerics.threads import OneBlasThread, on_all_cores

__all__ = ["LogisticReplicates", "logistic_replicates", "sparse_logistic_replicates"]

_QUICK = 0.01  # of the decrement, in a step: keep the matrix
_CONDITION = 1e8  # of an information matrix, above which a replicate is fitted alone
_FAR = 12.0  # of log odds: the classes may be separated, which a single fit finds out
_ITERATIONS = 20
_AVERAGED = 32  # replicates at a time whose probabilities are averaged: arrays of 256 KB with a tile of rows


class LogisticReplicates(eqx.Module):
    """Coefficients (the intercept first), the inverse of their information, and whether classes were separated.

    They are kept in the standard units of all rows, so that predictions lose no digits; center and scale of the columns
    are the same for each replicate. After a lasso there is no such inverse.
    """

    standard_coefficients: Float[Array, "b p"]
    standard_inverse: Float[Array, "b p p"] | None
    center: Float[Array, "b d"]
    scale: Float[Array, "b d"]
    separated: Bool[Array, " b"]
    fit_intercept: bool = eqx.field(static=True)

    @property
    def coefficients(self) -> Float[np.ndarray, "b p"]:
        """The coefficients in the units of the given columns."""
        return self._units().coefficients(np.asarray(self.standard_coefficients).T).T

    @property
    def inverse_information(self) -> Float[np.ndarray, "b p p"] | None:
        """About those coefficients."""
        if self.standard_inverse is None:
            return None
        return np.stack([self._units().covariance(inverse) for inverse in np.asarray(self.standard_inverse)])

    def _units(self) -> ColumnUnits:
        return ColumnUnits(np.asarray(self.center[0]), np.asarray(self.scale[0]), self.fit_intercept)

    def predict_dist(self, X: ArrayLike) -> Categorical:
        """The belief about the class at each row of X, of batch shape (b, n), as that of each fit alone.

        Where one replicate has separated classes, and after a lasso, the budget is not split.
        """
        design = self._design(X)
        answers = on_all_cores(lambda b: self._averaged(design, b), range(len(self.standard_coefficients)))
        p, noise, parameter = (jnp.asarray(np.stack(part)) for part in zip(*answers, strict=True))
        if np.any(self.separated):
            return two_class_belief(p, UncertaintyBudget.unsplit(UNKNOWN))
        if self.standard_inverse is None:
            return two_class_belief(p, UncertaintyBudget.unsplit(LASSO))
        return two_class_belief(p, UncertaintyBudget(noise=noise, parameter=parameter))

    def predictive_mean(self, X: ArrayLike) -> np.ndarray:
        """The probability of both classes at each row of X, (b, n, 2): the mean of that belief, without its budget."""
        rows = self._design(X).whole()
        paired = PairedRows(rows, None) if self.standard_inverse is None else paired_rows(rows)
        both = np.empty((len(self.standard_coefficients), len(rows), 2))
        on_all_cores(lambda block: self._fill(both, paired, block), replicate_blocks(len(both), _AVERAGED))
        return both

    def _fill(self, both: np.ndarray, paired: PairedRows, block: slice) -> None:
        """The probabilities of the replicates of a block."""
        coefficients = np.asarray(self.standard_coefficients)[block]
        unknown = None if self.standard_inverse is None else np.asarray(self.standard_inverse)[block]
        for tile in paired.tiles:
            eta = coefficients @ paired.rows[tile].T
            if unknown is None:
                p = array_expit(eta)
            else:
                variance = np.maximum(paired.forms(unknown, tile), 0.0)
                p = _averaged_over(eta, np.sqrt(variance * ~np.asarray(self.separated)[block, None]))
            both[block, tile, 1] = p
            np.subtract(1.0, p, out=both[block, tile, 0])

    def _predictor(self, design: LinearDesign, b: int) -> tuple[np.ndarray, np.ndarray | None]:
        """At each row, with the standard deviation of its error where that is known."""
        eta = design.predictor(np.asarray(self.standard_coefficients[b]))
        if self.separated[b] or self.standard_inverse is None:
            return eta, None
        return eta, np.sqrt(np.maximum(design.forms(np.asarray(self.standard_inverse[b])), 0.0))

    def _design(self, X: ArrayLike) -> LinearDesign:
        rows = np.asarray(X, dtype=np.float64)
        columns = self.scale.shape[1]
        if rows.ndim != 2 or rows.shape[1] != columns or not np.all(np.isfinite(rows)):
            raise InputError(
                "LogisticReplicates",
                f"X has shape {rows.shape}, or entries that are not finite; the fit was on {columns} columns",
                "Columns were dropped, values are missing, or one row was passed as a vector",
                f"Pass shape (n, {columns})",
            )
        return LinearDesign(self._units().of(rows), self.fit_intercept, np.zeros(len(rows)))

    def _averaged(self, design: LinearDesign, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The probability at each row, and the parts of its variance."""
        eta, error = self._predictor(design, b)
        if error is None:
            p = array_expit(eta)
            return p, p * (1.0 - p), np.zeros_like(p)
        rule = predictor_rule(error)
        nodes, weights = np.asarray(rule.nodes), np.asarray(rule.weights)
        means = array_expit(eta[:, None] + error[:, None] * nodes)
        p = means @ weights
        return p, (means * (1.0 - means)) @ weights, np.square(means - p[:, None]) @ weights


def _averaged_over(eta: np.ndarray, error: np.ndarray) -> np.ndarray:
    """The mean of expit over a normal predictor, a node after the other, in arrays that stay in the cache."""
    rule = predictor_rule(error)
    total = np.zeros_like(eta)
    for node, weight in zip(np.asarray(rule.nodes), np.asarray(rule.weights), strict=True):
        at = error * node
        at += eta
        at = array_expit(at)
        at *= weight
        total += at
    return total


class _Found(NamedTuple):
    """The fitted replicates of a block."""

    coefficients: Float[np.ndarray, "b p"]
    inverse: Float[np.ndarray, "b p p"]
    trusted: Bool[np.ndarray, " b"]


def logistic_replicates(
    X: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    W: Float[np.ndarray, "b n"],
    ridge: float = 0.0,
    *,
    intercept: bool = True,
    who: str = "logistic_replicates",
) -> LogisticReplicates:
    """The fit for each row of weights. O(b n p²) for an information matrix of each, of which three do as a rule."""
    with OneBlasThread():
        _require_both_classes(y, W, who)
        return _fitted(X, y, W, ridge, intercept, who)


def _fitted(X: np.ndarray, y: np.ndarray, W: np.ndarray, ridge: float, intercept: bool, who: str) -> LogisticReplicates:
    total = np.mean(W, axis=0)
    design, units = standardized(LinearDesign(X, intercept, np.zeros(len(X))), total, who=who)
    rows, penalties = design.whole(), design.penalties(units.ridge(ridge))
    start, paired = _start(rows, y, total, penalties), paired_rows(rows)
    blocks = on_all_cores(lambda block: _newton(paired, y, W[block], start, penalties), replicate_blocks(len(W)))
    found = _Found(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
    separated = np.zeros(len(W), dtype=bool)
    for b in np.flatnonzero(~found.trusted):
        alone = fit_glm(_alone(design.X, y, W[b], units.ridge(ridge), intercept), who=who).value
        found.coefficients[b], found.inverse[b] = alone.coefficients, alone.inverse_information
        separated[b] = alone.separated != "none"
    return _replicates(found.coefficients, found.inverse, units, separated)


def _replicates(
    coefficients: np.ndarray, inverse: np.ndarray | None, units: ColumnUnits, separated: np.ndarray
) -> LogisticReplicates:
    return LogisticReplicates(
        jnp.asarray(coefficients),
        None if inverse is None else jnp.asarray(inverse),
        jnp.asarray(np.tile(units.center, (len(coefficients), 1))),
        jnp.asarray(np.tile(units.scale, (len(coefficients), 1))),
        jnp.asarray(separated),
        units.intercept,
    )


def sparse_logistic_replicates(
    X: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    W: Float[np.ndarray, "b n"],
    lasso: float,
    ridge: float = 0.0,
    *,
    intercept: bool = True,
    who: str = "sparse_logistic_replicates",
) -> LogisticReplicates:
    """The fit with a positive lasso for each row of weights, one after the other, each from that of all rows."""
    _require_both_classes(y, W, who)

    total = np.mean(W, axis=0)
    design, units = standardized(LinearDesign(X, intercept, np.zeros(len(X))), total, who=who)

    def fitted(w: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        problem = _alone(design.X, y, w, units.ridge(ridge), intercept)
        return fit_sparse_glm(problem, units.lasso(lasso), start=start, who=who).value.coefficients

    middle = fitted(total, None)
    return _replicates(np.stack([fitted(w, middle) for w in W]), None, units, np.zeros(len(W), dtype=bool))


def _require_both_classes(y: np.ndarray, W: np.ndarray, who: str) -> None:
    alone = np.any(W @ np.column_stack([y, 1.0 - y]) <= 0.0, axis=1)
    if np.any(alone):
        raise InputError(
            who,
            f"replicate {int(np.argmax(alone))} has one class only",
            "Its weights leave out every row of the other: a classifier cannot train on one class",
            "Draw replicates within each class",
        )


def _start(rows: np.ndarray, y: np.ndarray, total: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """The fit of all rows, in standard units; the column of ones is one of the rows' own here."""
    return newton(_alone(rows, y, total, penalties, intercept=False)).coefficients


def _alone(X: np.ndarray, y: np.ndarray, w: np.ndarray, ridge: float | np.ndarray, intercept: bool) -> GLMProblem:
    """The logistic regression of one weighting, on the rows that are there."""
    there = w > 0.0
    design = LinearDesign(X[there], intercept, np.zeros(int(np.sum(there))))
    return GLMProblem(design, y[there], w[there], FAMILIES["bernoulli"], LINKS["logit"], ridge)


def _newton(paired: PairedRows, y: np.ndarray, W: np.ndarray, start: np.ndarray, penalties: np.ndarray) -> _Found:
    """Steps of all replicates of a block together, each until its decrement is close with a matrix of that point."""
    count, columns = len(W), len(start)
    beta, inverse = np.tile(start, (count, 1)), np.empty((count, columns, columns))
    before, planned = np.full(count, np.inf), np.ones(count, dtype=bool)
    enough = close_enough(np.sum(W, axis=1), columns)
    going, trusted = np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
    for iteration in range(_ITERATIONS):
        now = np.flatnonzero(going)
        if not len(now):
            break
        fresh = planned[now]
        # At the start all predictors are the same, and so are their exponentials.
        point = start[None] if iteration == 0 else beta[now]
        gradient, information, far = _derivatives(paired, y, W if len(now) == count else W[now], point, fresh)
        gradient += penalties * beta[now]
        fine = np.ones(len(now), dtype=bool)
        if np.any(fresh):
            inverse[now[fresh]], condition = scaled_inverses(information + np.diag(penalties))
            fine[fresh] = condition < _CONDITION
        step = (inverse[now] @ gradient[:, :, None])[:, :, 0]
        decrement = np.sum(gradient * step, axis=1)
        fine &= np.isfinite(decrement) & (decrement <= np.maximum(before[now], enough[now]))
        close = fine & fresh & (decrement <= enough[now])
        beta[now[fine]] -= step[fine]
        trusted[now] = close & ((far < _FAR) | bool(np.any(penalties > 0.0)))
        going[now] = fine & ~close
        # A matrix is taken anew after two steps from the start, where steps are slow, and where the next point will be
        # close if this step is like the last.
        slow = ~fresh & (decrement > _QUICK * before[now])
        nearly = 4.0 * decrement**2 <= enough[now] * before[now]
        planned[now] = slow | nearly if iteration > 1 else iteration == 1
        before[now] = decrement
    return _Found(beta, inverse, trusted)


def _derivatives(
    paired: PairedRows, y: np.ndarray, W: np.ndarray, beta: np.ndarray, fresh: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradient of each replicate, the information of those in `fresh`, and the largest |η| of any row."""
    columns = paired.rows.shape[1]
    gradient = np.zeros((len(W), columns))
    information = np.zeros((int(np.sum(fresh)), columns, columns))
    far = np.zeros(len(W))
    every = bool(np.all(fresh))
    for tile in paired.tiles:
        rows, w = paired.rows[tile], W[:, tile]
        eta = beta @ rows.T
        mean = array_expit(eta)
        gradient += (w * (mean - y[tile])) @ rows
        if len(information):
            curvature = w * (mean * (1.0 - mean))
            information += paired.grams(curvature if every else curvature[fresh], tile)
            np.maximum(far, np.max(np.abs(eta), axis=1), out=far)
    return gradient, information, far
