"""Whether two classifiers err equally often, from the rows on which one is right and the other is wrong."""

from typing import Any, Literal

import numpy as np
from scipy import special, stats

from credo.errors import InputError
from credo.infer.testing import HypothesisTest
from credo.validate.comparison.checks import checked_pair

__all__ = ["mcnemar", "mcnemar_counts"]

#: How a p-value is computed: binomial, binomial with half of the observed point, or chi-squared with a correction.
Kind = Literal["exact", "mid-p", "chi2"]


def mcnemar(correct_a: Any, correct_b: Any, kind: Kind = "exact") -> HypothesisTest:
    """McNemar's test from whether each row was classified right, by a and by b.

    Rows are independent, and neither classifier has seen them; the statement is about these two fits. Only rows on
    which they differ count. [](#credo.validate.comparison.mcnemar_counts) says how. O(n).

    >>> right_a = [True] * 90 + [False] * 10
    >>> right_b = [False] * 9 + [True] * 82 + [False] * 9
    >>> print(mcnemar(right_a, right_b))
    exact McNemar(10) = 9, p = 0.0215
    """
    a, b = checked_pair("mcnemar", correct_a, correct_b, least=1)
    if not (np.all((a == 0.0) | (a == 1.0)) and np.all((b == 0.0) | (b == 1.0))):
        raise InputError(
            "mcnemar",
            "an entry is neither true nor false",
            "Labels or probabilities were probably passed",
            "Pass predicted == y for each classifier",
        )
    return mcnemar_counts(int(np.sum((a == 1.0) & (b == 0.0))), int(np.sum((a == 0.0) & (b == 1.0))), kind)


def mcnemar_counts(only_a: int, only_b: int, kind: Kind = "exact") -> HypothesisTest:
    r"""McNemar's test from how many rows only a, and only b, classified right; of n such rows.

    If both err equally often, `only_a` is binomial of n and one half.

    - ``"exact"``: $p = 2P(X \le \min)$, at most one. Its size is never above the level, and often far below.
    - ``"mid-p"``: half of the observed point is counted, $p = 2P(X \le \min) - P(X = \min)$. Its size is near the level
      and may exceed it by little (Fagerland, Lydersen & Laake 2013).
    - ``"chi2"``: $(|a - b| - 1)^2/n$ against a chi-squared of one degree (Edwards 1948), zero where a = b; for n above
      some 25.

    The statistic of the first two is `only_a`, with n in the place of degrees. Where no row differs, p = 1.

    >>> print(mcnemar_counts(1, 7, "mid-p"))
    mid-p McNemar(8) = 1, p = 0.0391
    """
    if not all(float(count).is_integer() and count >= 0 for count in (only_a, only_b)):
        raise InputError("mcnemar_counts", f"{only_a} and {only_b}", "They are counts of rows", "Pass whole numbers")
    n, fewer = only_a + only_b, min(only_a, only_b)
    if kind == "chi2":
        statistic = max(abs(only_a - only_b) - 1.0, 0.0) ** 2 / max(n, 1)
        return HypothesisTest("chi2", statistic, (1,), float(special.chdtrc(1, statistic)))
    if kind not in ("exact", "mid-p"):
        raise InputError("mcnemar_counts", f"kind is {kind!r}", 'It is "exact", "mid-p" or "chi2"', 'Try "exact"')
    halved = stats.binom.pmf(fewer, n, 0.5) if kind == "mid-p" else 0.0
    p_value = min(2.0 * stats.binom.cdf(fewer, n, 0.5) - halved, 1.0)
    return HypothesisTest(f"{kind} McNemar", float(only_a), (n,), float(p_value))
