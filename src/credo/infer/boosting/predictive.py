r"""What models without a fold each say together: their mean, how far it is known, and the size of what is left.

With K of them, $f_k$, and $S^2 = \sum_k (f_k - \bar f)^2/(K - 1)$ at a row, the mean square error of $\bar f$ is that
of a single $f_k$ less $\tfrac{K-1}{K} S^2$ (the ambiguity of an ensemble: Krogh & Vedelsby 1995), and the variance of
$\bar f$ over draws of the rows is about $\tfrac{K-1}{K}\sum_k (f_k - \bar f)^2$ (the jackknife that deletes a group:
Efron & Tibshirani 1993, §11.7).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

__all__ = ["Tails", "ambiguity", "dilution", "jackknife_variance", "student_tails"]

_DEGREES = np.array([3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 14.0, 20.0, 30.0, 50.0, 100.0, 300.0])
_STEPS = 200
_TOLERANCE = 1e-10


class Tails(NamedTuple):
    """Student's t around zero: degrees of freedom and scale."""

    degrees: float
    scale: float


def ambiguity(members: Float[np.ndarray, "k *n"]) -> Float[np.ndarray, "*n"]:
    """By how much the mean square error of the mean is below that of its members: (K − 1)/K S², their variance.

    >>> ambiguity(np.array([[1.0], [3.0]])).tolist()
    [1.0]
    """
    return np.var(members, axis=0)


def jackknife_variance(members: Float[np.ndarray, "k *n"]) -> Float[np.ndarray, "*n"]:
    """Of the mean, over draws of the rows of which each member has not seen one K-th.

    >>> jackknife_variance(np.array([[1.0], [3.0]])).tolist()
    [1.0]
    """
    return (len(members) - 1.0) * np.var(members, axis=0)


def dilution(members: Float[np.ndarray, "m n k"]) -> float:
    r"""By how much a slope on the mean of members is larger than one on a single member, whose errors dilute it.

    What is to be explained goes together as much with the mean as with a member, which varies more: the ratio of slopes
    is that of variances (errors in variables: Fuller 1987, §1.1). Scores of k classes count by their differences.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=(1, 20_000, 1)) * np.array([-1.0, 1.0])
    >>> round(dilution(truth + 0.5 * rng.normal(size=(4, 20_000, 2))), 2)
    1.09
    """
    apart = members - np.mean(members, axis=-1, keepdims=True)
    apart = apart - np.mean(apart, axis=1, keepdims=True)
    of_mean = float(np.sum(np.mean(apart, axis=0) ** 2))
    return float(np.sum(apart**2)) / len(members) / of_mean if of_mean > 0.0 else 1.0


def student_tails(z: Float[np.ndarray, " n"], w: Float[np.ndarray, " n"]) -> Tails:
    r"""The most likely Student t around zero for values z that were seen w times each.

    The scale by the EM of a scale mixture, $\sigma^2 \leftarrow \sum_i w_i u_i z_i^2 / \sum_i w_i$ with $u_i = (\nu +
    1) /(\nu + z_i^2/\sigma^2)$ (Lange, Little & Taylor 1989), for each of some degrees of freedom from 3, so that
    there is a variance, to 300, where tails are normal ones.

    >>> rng = np.random.default_rng(0)
    >>> tails = student_tails(2.0 * rng.standard_t(4.0, size=20_000), np.ones(20_000))
    >>> tails.degrees, round(tails.scale, 1)
    (4.0, 2.0)
    """
    from scipy.special import gammaln

    nu, total = _DEGREES[:, None], np.sum(w)
    squares = z**2
    variance = np.full_like(nu, np.sum(w * squares) / total)
    for _ in range(_STEPS):
        before = variance
        variance = np.sum(w * squares * (nu + 1.0) / (nu + squares / variance), axis=1, keepdims=True) / total
        if np.all(np.abs(variance - before) <= _TOLERANCE * before):
            break
    kernel = np.sum(w * 0.5 * (nu + 1.0) * np.log1p(squares / variance / nu), axis=1)
    constant = gammaln(0.5 * (nu + 1.0)) - gammaln(0.5 * nu) - 0.5 * np.log(np.pi * nu) - 0.5 * np.log(variance)
    best = int(np.argmax(total * constant[:, 0] - kernel))
    return Tails(float(_DEGREES[best]), float(np.sqrt(variance[best, 0])))
