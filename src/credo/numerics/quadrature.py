r"""Quadrature rules: nodes and weights with $\sum_i w_i f(x_i) \approx \int f(x)\,\omega(x)\,dx$.

A Gauss rule of n nodes is exact for polynomials of degree 2n − 1, Clenshaw–Curtis for degree n − 1 (n when n is
odd). Rules are NumPy arrays, computed once for each size and read-only, with nodes in ascending order.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from credo.errors import InputError

__all__ = [
    "Rule",
    "clenshaw_curtis",
    "gauss_chebyshev",
    "gauss_hermite",
    "gauss_laguerre",
    "gauss_legendre",
    "gauss_normal",
    "tensor_rule",
]

_LAGUERRE_LIMIT = 150  # above, SciPy's weights overflow


class Rule(NamedTuple):
    """Nodes of shape (n,), or (n, d) for a tensor rule, and weights of shape (n,)."""

    nodes: np.ndarray
    weights: np.ndarray

    def integrate(self, function: Callable[[np.ndarray], Any]) -> Any:
        """The weighted sum of ``function(nodes)``, whose first axis runs over the nodes."""
        return self.weights @ function(self.nodes)


def _rule(nodes: np.ndarray, weights: np.ndarray) -> Rule:
    nodes, weights = np.array(nodes, dtype=np.float64), np.array(weights, dtype=np.float64)
    nodes.setflags(write=False)  # rules are cached and shared
    weights.setflags(write=False)
    return Rule(nodes, weights)


def _check_size(who: str, n: int, least: int = 1) -> None:
    if not isinstance(n, (int, np.integer)) or n < least:
        raise InputError(who, f"n={n!r} is not a number of nodes", f"A rule has {least} nodes or more", "Try n=20")


def _check_range(who: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            who,
            f"the range from {low} to {high} is empty or not finite",
            "The ends are in another order, or the integral is over the whole line",
            "Try low=-1.0, high=1.0, or gauss_normal and gauss_laguerre for infinite ranges",
        )


def gauss_hermite(n: int) -> Rule:
    r"""Weight $e^{-x^2}$ on the line (the physicists' convention); weights sum to $\sqrt{\pi}$."""
    _check_size("gauss_hermite", n)
    return _gauss_hermite(int(n))


@lru_cache(maxsize=64)
def _gauss_hermite(n: int) -> Rule:
    from scipy.special import roots_hermite

    return _rule(*roots_hermite(n))


def gauss_normal(n: int) -> Rule:
    r"""Expectations under $\mathcal{N}(0, 1)$ (the probabilists' Hermite rule); weights sum to one.

    >>> rule = gauss_normal(5)
    >>> f"{rule.integrate(lambda z: z**4):.12f}"
    '3.000000000000'
    """
    _check_size("gauss_normal", n)
    return _gauss_normal(int(n))


@lru_cache(maxsize=64)
def _gauss_normal(n: int) -> Rule:
    from scipy.special import roots_hermitenorm

    nodes, weights = roots_hermitenorm(n)
    return _rule(nodes, weights / np.sum(weights))


def gauss_legendre(n: int, low: float = -1.0, high: float = 1.0) -> Rule:
    """Weight 1 on [low, high]; weights sum to the length."""
    _check_size("gauss_legendre", n)
    _check_range("gauss_legendre", low, high)
    return _moved(_gauss_legendre(int(n)), low, high)


@lru_cache(maxsize=64)
def _gauss_legendre(n: int) -> Rule:
    from scipy.special import roots_legendre

    return _rule(*roots_legendre(n))


def _moved(rule: Rule, low: float, high: float) -> Rule:
    half = 0.5 * (high - low)
    return rule if (low, high) == (-1.0, 1.0) else _rule(low + half * (rule.nodes + 1.0), half * rule.weights)


def gauss_laguerre(n: int, alpha: float = 0.0) -> Rule:
    r"""Weight $x^\alpha e^{-x}$ on $[0, \infty)$, α > −1; weights sum to $\Gamma(\alpha + 1)$; tiny ones underflow."""
    _check_size("gauss_laguerre", n)
    if not -1.0 < alpha < 150.0:
        raise InputError(
            "gauss_laguerre",
            f"alpha={alpha}",
            "The weight is integrable for alpha above -1, and overflows at 150",
            "Try 0.0",
        )
    return _gauss_laguerre(int(n), float(alpha))


@lru_cache(maxsize=64)
def _gauss_laguerre(n: int, alpha: float) -> Rule:
    if n <= _LAGUERRE_LIMIT:
        from scipy.special import roots_genlaguerre

        return _rule(*roots_genlaguerre(n, alpha))
    from scipy.linalg import eigvalsh_tridiagonal

    k = np.arange(n)
    diagonal, beside = 2.0 * k + 1.0 + alpha, np.sqrt(k[1:] * (k[1:] + alpha))
    nodes = eigvalsh_tridiagonal(diagonal, beside)
    return _rule(nodes, math.gamma(alpha + 1.0) * _christoffel(nodes, diagonal, beside))


def _christoffel(nodes: np.ndarray, diagonal: np.ndarray, beside: np.ndarray) -> np.ndarray:
    r"""The weights $1 / \sum_k p_k(x_i)^2$ of the orthonormal polynomials of a Jacobi matrix, for a mass of one.

    Every term is positive, so nothing cancels; the recurrence is rescaled as it goes, so nothing overflows.
    """
    before, here = np.zeros_like(nodes), np.ones_like(nodes)
    total, log_scale = np.ones_like(nodes), np.zeros_like(nodes)
    left = np.concatenate([[0.0], beside])
    for k in range(len(nodes) - 1):
        before, here = here, ((nodes - diagonal[k]) * here - left[k] * before) / beside[k]
        total = total + here**2
        scale = np.maximum(1.0, np.abs(here))
        before, here, total, log_scale = before / scale, here / scale, total / scale**2, log_scale + np.log(scale)
    return np.exp(-2.0 * log_scale - np.log(total))


def gauss_chebyshev(n: int, kind: int = 1) -> Rule:
    r"""Weight $1/\sqrt{1 - x^2}$ (kind 1, total π) or $\sqrt{1 - x^2}$ (kind 2, total π/2) on (−1, 1)."""
    _check_size("gauss_chebyshev", n)
    if kind not in (1, 2):
        raise InputError("gauss_chebyshev", f"kind={kind!r}", "There is a first and a second kind", "Try kind=1")
    k = np.arange(n, 0, -1)
    if kind == 1:
        return _rule(np.cos(np.pi * (k - 0.5) / n), np.full(n, np.pi / n))
    angle = np.pi * k / (n + 1.0)
    return _rule(np.cos(angle), np.pi / (n + 1.0) * np.sin(angle) ** 2)


def clenshaw_curtis(n: int, low: float = -1.0, high: float = 1.0) -> Rule:
    """Weight 1 on [low, high] with nodes at both ends; the nodes of n are among those of 2n − 1. O(n log n).

    The weights are a cosine transform of the integrals of Chebyshev polynomials (Waldvogel 2006, section 2).
    """
    _check_size("clenshaw_curtis", n, least=2)
    _check_range("clenshaw_curtis", low, high)
    return _moved(_clenshaw_curtis(int(n)), low, high)


@lru_cache(maxsize=64)
def _clenshaw_curtis(n: int) -> Rule:
    from scipy.fft import dct

    degree = np.arange(n)
    integrals = np.where(degree % 2 == 0, 2.0 / (1.0 - np.where(degree % 2 == 0, degree, 0.0) ** 2), 0.0)
    weights = dct(integrals, type=1) / (n - 1.0)
    weights[[0, -1]] *= 0.5
    return _rule(-np.cos(np.pi * degree / (n - 1.0)), weights)


def tensor_rule(rules: Sequence[Rule]) -> Rule:
    """The product of one-dimensional rules: nodes of shape (n₁ ⋯ n_d, d). The cost grows as n^d: for d of 4 or so.

    >>> tensor_rule([gauss_normal(3), gauss_normal(4)]).nodes.shape
    (12, 2)
    """
    if not rules:
        raise InputError("tensor_rule", "no rule was given", "The list is empty", "Pass one rule for each dimension")
    grids = np.meshgrid(*(rule.nodes for rule in rules), indexing="ij")
    weights = np.meshgrid(*(rule.weights for rule in rules), indexing="ij")
    return _rule(np.stack([g.ravel() for g in grids], axis=-1), np.prod([w.ravel() for w in weights], axis=0))
