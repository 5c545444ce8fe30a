r"""Probabilities from scores that never contradict them: the most probable class is the one of the largest score.

Two classes: $P = 1/(1 + e^{-a f})$ with a slope on each side of zero, so that the probability is one half exactly where
the score is zero. More classes: $P_c \propto e^{a s_c}$ (temperature scaling: Guo, Pleiss, Sun & Weinberger 2017). The
slopes maximize the likelihood of scores of rows that the machine has not seen, with a wide prior that keeps them
positive and finite: $\log a \sim \mathcal N(-\log\overline{|s|}, 2^2)$. Platt's sigmoid (2000) has an offset instead,
and says of some rows that another class is more probable than the one predicted.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit, log_softmax, softmax

__all__ = ["calibrated_probabilities", "calibration_slopes"]

_SPREAD = 2.0  # standard deviation of the logarithm of a slope, a priori
_FAR = 12.0  # and the range in which it is looked for, on both sides


def calibration_slopes(
    scores: Float[np.ndarray, "n *k"], codes: Int[np.ndarray, " n"], weights: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " s"]:
    """The slopes (below and above zero for two classes, else one) from held-out scores.

    >>> rng = np.random.default_rng(0)
    >>> score = rng.normal(size=4000)
    >>> y = (rng.random(4000) < expit(np.where(score > 0, 3.0, 1.0) * score)).astype(int)
    >>> calibration_slopes(score, y, np.ones(4000)).round().tolist()
    [1.0, 3.0]
    """
    if scores.ndim == 1:
        sign = np.where(codes == 1, 1.0, -1.0)
        return np.array([_side(scores, sign, weights, side) for side in (scores < 0.0, scores > 0.0)])
    rows = np.arange(len(codes))
    likelihood = lambda slope: weights @ log_softmax(slope * scores, axis=1)[rows, codes]  # noqa: E731
    return np.array([_most_likely(likelihood, scores)])


def _side(scores: np.ndarray, sign: np.ndarray, weights: np.ndarray, side: np.ndarray) -> float:
    if not np.any(side):
        return 1.0 / max(float(np.mean(np.abs(scores))), 1e-300)
    score, weight = sign[side] * scores[side], weights[side]
    return _most_likely(lambda slope: weight @ log_expit(slope * score), scores[side])


def _most_likely(likelihood: Callable[[float], float], scores: np.ndarray) -> float:
    center = -np.log(max(float(np.mean(np.abs(scores))), 1e-300))
    loss = lambda step: 0.5 * (step / _SPREAD) ** 2 - likelihood(float(np.exp(center + step)))  # noqa: E731
    return float(np.exp(center + minimize_scalar(loss, bounds=(-_FAR, _FAR), method="bounded").x))


def calibrated_probabilities(
    scores: Float[np.ndarray, "n *k"], slopes: Float[np.ndarray, " s"]
) -> Float[np.ndarray, "n c"]:
    """The probability of each class."""
    if scores.ndim == 1:
        upper = expit(np.where(scores > 0.0, slopes[1], slopes[0]) * scores)
        probabilities = np.stack([1.0 - upper, upper], axis=1)
        winners = (scores > 0.0).astype(int)
    else:
        probabilities = softmax(slopes[0] * (scores - np.max(scores, axis=1, keepdims=True)), axis=1)
        winners = np.argmax(scores, axis=1)
    rows = np.arange(len(winners))
    largest = np.nextafter(np.max(probabilities, axis=1), 1.0)  # scores may differ by less than probabilities can
    tied = np.argmax(probabilities, axis=1) != winners
    probabilities[rows[tied], winners[tied]] = largest[tied]
    return probabilities
