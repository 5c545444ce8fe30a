r"""Slopes penalized by a power of their size: $\tfrac12\lVert t - A\beta\rVert^2 + \lambda\sum_j|\beta_j|^q$.

Above $q = 1$ this is convex, and the gap of Fenchel and Young certifies the answer; below it is not, and what is found
is a local minimum (Frank & Friedman 1993; Fu 1998). Every method here only goes down: for $1 < q < 2$ and for $q < 1$
the penalty is replaced by one that touches it from above, a parabola or an absolute value; for $q > 2$ it is Newton's
method with a line search. All of them see columns and targets of unit length, $b_j = \sqrt{G_{jj}}\,\beta_j/\lVert
t\rVert$ with the penalties $\lambda_j = \lambda\lVert t\rVert^{q-2}G_{jj}^{-q/2}$: the minimum is that of the
objective in the units of the columns, and the way to it does not depend on them.
"""

from functools import partial

import numpy as np
from jaxtyping import Float
from scipy import linalg

from credo.infer.proximal.active_set import solve_active_set
from credo.infer.proximal.path import GOOD_GAP, PathPoint, PenaltyPath, elastic_net_path, gap_certificate, joined
from credo.infer.proximal.quadratic import Quadratic, WholeQuadratic
from credo.numerics.certificate import Certificate, Solution

__all__ = ["bridge_grid", "bridge_path"]

_MOST_STEPS = 1000
_GAP = 1e-4 * GOOD_GAP
_EXTREME = 600.0  # of the logarithm of a penalty: beyond, a slope is zero or free as it is there
_STILL = 1e-10  # relative change of the slopes that ends a search below q = 1


def bridge_grid(quadratic: Quadratic, q: float, count: int, smallest: float) -> Float[np.ndarray, " k"]:
    """`count` penalties down to the fraction `smallest` of one at which the strongest column alone would be halved.

    By a column alone the slope would be b = c/G; its penalty's slope λ q b^(q−1) is then as large as c.
    """
    diagonal = np.diagonal(quadratic.block(np.arange(len(quadratic.linear))))
    alone = np.abs(quadratic.linear) / np.where(diagonal > 0.0, diagonal, 1.0)
    strongest = int(np.argmax(np.abs(quadratic.linear) * alone))
    slope = alone[strongest]
    largest = np.abs(quadratic.linear[strongest]) / (q * slope ** (q - 1.0)) if slope > 0.0 else 1.0
    return np.geomspace(largest, smallest * largest, count)


def bridge_path(quadratic: Quadratic, penalties: Float[np.ndarray, " k"], q: float) -> Solution[PenaltyPath]:
    """Solve at each of `penalties`. O(d³) a step; the certificate is "heuristic" below q = 1.

    >>> from credo.infer.proximal.quadratic import centered_quadratic
    >>> quadratic = centered_quadratic(np.eye(2), np.array([3.0, 1.0]), np.ones(2), intercept=False)
    >>> bridge_path(quadratic, np.array([0.25]), 2.0).value.coefficients.round(6).tolist()
    [[1.5, 0.5]]
    """
    if q == 1.0:
        return elastic_net_path(quadratic, penalties)
    everything = np.arange(len(quadratic.linear))
    gram = quadratic.block(everything)
    size = np.sqrt(np.diagonal(gram))
    size = np.where(size > 0.0, size, 1.0)
    level = np.sqrt(quadratic.energy) or 1.0
    scaled, linear = gram / size / size[:, None], quadratic.linear / size / level
    solve = _newton if q >= 2.0 else _parabolas if q > 1.0 else _kinks
    beta, steps = np.zeros(len(linear)), 0
    found: dict[int, PathPoint] = {}
    for i in np.argsort(penalties):  # from the smallest, where most slopes are there: below q = 1 none comes back
        exponent = np.log(penalties[i]) - q * np.log(size) + (q - 2.0) * np.log(level)
        penalty = np.exp(np.clip(exponent, -_EXTREME, _EXTREME))
        beta, taken = solve(scaled, linear, penalty, q, beta)
        steps += taken
        descent = linear - scaled @ beta
        gap = level**2 * _gap(beta, descent, penalty, q) if q > 1.0 else np.nan
        slopes = beta / size * level
        loss = quadratic.loss(slopes, descent * size * level)
        found[int(i)] = PathPoint(slopes, loss, gap, _degrees(scaled, beta, penalty, q))
    path = joined(quadratic, penalties, [found[i] for i in range(len(penalties))])
    if q > 1.0:
        return Solution(path, gap_certificate(path, steps), {})
    note = f"for q = {q:g} the penalty is not convex: this is a local minimum"
    return Solution(path, Certificate("heuristic", iterations=steps, notes=(note,)), {})


def _gap(beta: np.ndarray, descent: np.ndarray, penalty: np.ndarray, q: float) -> float:
    """Σ λ|β|^q + its conjugate at the descent − β·descent: how far the objective is at most above its minimum."""
    conjugate = (q - 1.0) * penalty * (np.abs(descent) / (penalty * q)) ** (q / (q - 1.0))
    return float(np.sum(np.maximum(penalty * np.abs(beta) ** q + conjugate - beta * descent, 0.0)))


def _degrees(gram: np.ndarray, beta: np.ndarray, penalty: np.ndarray, q: float) -> float:
    """tr G(G + λP″)⁻¹ where the penalty is convex, else the number of slopes that are not zero."""
    active = np.flatnonzero(beta)
    if q < 1.0:
        return float(len(active))
    # With S = (λP″)^(-1/2) this is tr SGS(SGS + 1)⁻¹, which a slope near zero does not blow up.
    s = np.abs(beta[active]) ** ((2.0 - q) / 2.0) / np.sqrt(q * (q - 1.0) * penalty[active])
    if q > 2.0:  # where it has no bend, the penalty asks nothing of a slope at zero
        s = np.minimum(s, 1e8)
    spectrum = np.linalg.eigvalsh(s[:, None] * gram[np.ix_(active, active)] * s)
    return float(np.sum(spectrum / (spectrum + 1.0)))


def _ridge(gram: np.ndarray, linear: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    lifted = gram + np.diag(penalty)
    return np.asarray(linalg.solve(lifted, linear, assume_a="pos", check_finite=False))


def _parabolas(
    gram: np.ndarray, linear: np.ndarray, penalty: np.ndarray, q: float, _: np.ndarray
) -> tuple[np.ndarray, int]:
    """1 < q < 2: |b|^q lies below the parabola in b that touches it, so each step solves a ridge of its own scales."""
    size = _size(gram, linear)
    beta = _ridge(gram, linear, penalty)
    for step in range(1, _MOST_STEPS + 1):
        s = np.abs(beta) ** ((2.0 - q) / 2.0)
        inner = s[:, None] * gram * s + np.diag(penalty * q)
        beta = s * linalg.solve(inner, s * linear, assume_a="pos", check_finite=False)
        if step % 5 == 0 and _gap(beta, linear - gram @ beta, penalty, q) <= _GAP * size:
            break
    return beta, step


def _size(gram: np.ndarray, linear: np.ndarray) -> float:
    """Of the part of the targets that the slopes could take away: a scale for the gap in the loss's own units."""
    return (float(linear @ linear) or 1.0) / max(float(np.max(np.diagonal(gram), initial=0.0)), np.finfo(float).tiny)


def _objective(gram: np.ndarray, linear: np.ndarray, penalty: np.ndarray, q: float, beta: np.ndarray) -> float:
    """Up to the energy of the targets."""
    return float(0.5 * beta @ gram @ beta - linear @ beta + penalty @ np.abs(beta) ** q)


def _newton(
    gram: np.ndarray, linear: np.ndarray, penalty: np.ndarray, q: float, start: np.ndarray
) -> tuple[np.ndarray, int]:
    """q ≥ 2: the objective has a second derivative everywhere."""
    objective = partial(_objective, gram, linear, penalty, q)
    beta = start if np.any(start) else _ridge(gram, linear, penalty)
    size = _size(gram, linear)
    step = 0
    while step < _MOST_STEPS:
        step += 1
        slope = gram @ beta - linear + penalty * q * np.sign(beta) * np.abs(beta) ** (q - 1.0)
        bend = gram + np.diag(penalty * q * (q - 1.0) * np.abs(beta) ** (q - 2.0))
        bend[np.diag_indices_from(bend)] += 1e-14 * np.trace(bend) / len(bend)
        way = -linalg.solve(bend, slope, assume_a="pos", check_finite=False)
        fall, share, here = float(slope @ way), 1.0, objective(beta)
        while share > 1e-12 and objective(beta + share * way) > here + 1e-4 * share * fall:
            share *= 0.5
        beta = beta + share * way
        if -fall <= _GAP * size:
            break
    return beta, step


def _kinks(
    gram: np.ndarray, linear: np.ndarray, penalty: np.ndarray, q: float, before: np.ndarray
) -> tuple[np.ndarray, int]:
    """q < 1: |b|^q lies below the straight lines through it in |b|, so each step is a lasso with weights of its own.

    From the slopes at a smaller penalty; without any, from a ridge, which begins with all, and from a lasso, which
    begins with few: the lower one.
    """
    if np.any(before):
        return _reweighted(gram, linear, penalty, q, before)
    few = solve_active_set(WholeQuadratic(gram, linear), penalty, before).beta
    ends = [_reweighted(gram, linear, penalty, q, start) for start in (_ridge(gram, linear, penalty), few)]
    lowest, _ = min(ends, key=lambda end: _objective(gram, linear, penalty, q, end[0]))
    return lowest, sum(steps for _, steps in ends)


def _reweighted(
    gram: np.ndarray, linear: np.ndarray, penalty: np.ndarray, q: float, start: np.ndarray
) -> tuple[np.ndarray, int]:
    beta, step = start, 0
    while step < _MOST_STEPS and np.any(beta):
        step += 1
        kept = np.flatnonzero(beta)
        block, pull, here = gram[np.ix_(kept, kept)], linear[kept], beta[kept]
        slope = penalty[kept] * q * np.abs(here) ** (q - 1.0)
        after = _newton_on_support(block, pull, here, slope, q)
        if after is None:
            after = solve_active_set(WholeQuadratic(block, pull), slope, here).beta
            # Along its own axis the objective bends down there, so no minimum is: what also shrinks is on its way out.
            bends_down = np.diagonal(block) <= (1.0 - q) * slope / np.abs(here)
            after = np.where(bends_down & (np.abs(after) < np.abs(here)), 0.0, after)
        done = np.max(np.abs(after - here)) <= _STILL * np.max(np.abs(here))
        beta = np.zeros_like(beta)
        beta[kept] = after
        if done:
            break
    return beta, step


def _newton_on_support(
    block: np.ndarray, pull: np.ndarray, here: np.ndarray, slope: np.ndarray, q: float
) -> np.ndarray | None:
    """One step where the objective is convex around `here` and no slope changes its sign or halves; else None."""
    bend = block - np.diag((1.0 - q) * slope / np.abs(here))
    factor, failed = linalg.lapack.dpotrf(bend, lower=1, clean=0)
    if failed:
        return None
    after = here + linalg.lapack.dpotrs(factor, pull - block @ here - slope * np.sign(here), lower=1)[0]
    return after if np.all(after * np.sign(here) > 0.5 * np.abs(here)) else None
