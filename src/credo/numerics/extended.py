"""Sums of products in twice the working precision, by error-free transformations: what refining a solution needs.

A rounded sum or product and the error that rounding made are both doubles, and both can be computed (Ogita, Rump &
Oishi 2005, algorithms 3.1 and 3.5). Carrying the errors along gives a result as if computed with 32 digits and then
rounded, on every machine alike.
"""

from typing import Any

import numpy as np
from jaxtyping import Float

__all__ = ["residual", "transposed_product", "two_product", "two_sum"]

_SPLITTER = 2.0**27 + 1.0
_AT_ONCE = 2**20  # numbers held by one step of a sum over rows

Pair = tuple[Any, Any]


def two_sum(a: Any, b: Any) -> Pair:
    """The rounded sum and what rounding took away: their sum is a + b exactly."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def two_product(a: Any, b: Any) -> Pair:
    """The rounded product and what rounding took away, for factors below 1e150 in size."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _split(a: Any) -> Pair:
    """Two halves of the digits, whose products are exact (Dekker 1971)."""
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def residual(
    y: Float[np.ndarray, "n m"],
    X: Float[np.ndarray, "n p"],
    b: Float[np.ndarray, "p m"],
    minus: Float[np.ndarray, "n m"] | float = 0.0,
) -> Float[np.ndarray, "n m"]:
    """y − minus − X b, correct to the last digits even where nearly everything cancels. O(n p m), 30 times a product.

    >>> one_third = 1.0 / 3.0
    >>> residual(np.array([[1.0]]), np.array([[3.0]]), np.array([[one_third]])).item() == 2.0**-54
    True
    """
    total, lost = two_sum(np.asarray(y, dtype=np.float64), -np.asarray(minus, dtype=np.float64))
    for column, coefficients in zip(X.T, b, strict=True):
        product, error = two_product(column[:, None], -coefficients)
        total, rounded = two_sum(total, product)
        lost += rounded + error
    return total + lost


def transposed_product(X: Float[np.ndarray, "n p"], r: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "p m"]:
    """X' r, correct to the last digits: sums over many rows, added up in pairs. O(n p m)."""
    shape = (X.shape[1], r.shape[1])
    total, lost = np.zeros(shape), np.zeros(shape)
    step = max(1, _AT_ONCE // max(1, shape[0] * shape[1]))
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        products, errors = two_product(X[rows, :, None], r[rows, None, :])
        part, below = _sum_in_pairs(products)
        total, rounded = two_sum(total, part)
        lost += rounded + below + np.sum(errors, axis=0)
    return total + lost


def _sum_in_pairs(terms: np.ndarray) -> Pair:
    lost = np.zeros(terms.shape[1:])
    while len(terms) > 1:
        half = len(terms) // 2
        total, rounded = two_sum(terms[:half], terms[half : 2 * half])
        lost += np.sum(rounded, axis=0)
        terms = total if len(terms) == 2 * half else np.concatenate([total, terms[2 * half :]])
    return terms[0], lost
