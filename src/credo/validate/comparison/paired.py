r"""The mean difference of two losses with its error: first compare row by row, then average.

What makes a row hard for one model makes it hard for the other. The difference cancels that, and its standard error is
smaller than that of two means compared afterwards: $\operatorname{Var}(a - b) = \operatorname{Var} a +
\operatorname{Var} b - 2\operatorname{Cov}(a, b)$.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from credo.errors import InputError
from credo.infer.testing import Estimates, HypothesisTest
from credo.validate.comparison.checks import (
    checked_losses,
    checked_pair,
    checked_power,
    checked_sizes,
    refuse_constant,
)

__all__ = ["Difference", "corrected_resampled_t", "paired_difference", "rows_times", "rows_to_separate"]

_MANY_ROWS = 1e6  # from here the t distribution is the normal one to more digits than a count of rows has
_SIGNIFICANCE = 0.05
_FAR = 6.0  # of a noncentrality, beyond which the other tail has a probability of less than 1e-9


@dataclass(frozen=True)
class Difference:
    """The mean of ``loss of a − loss of b``, its standard error, and the degrees of freedom it was estimated with.

    Negative where a has the smaller loss. `count` is how many differences were averaged, and `of` what they are of.
    """

    mean: float
    standard_error: float
    degrees: float
    count: int
    of: str = "rows"

    @property
    def test(self) -> HypothesisTest:
        """Student's t of the hypothesis that the expected losses are equal, two-sided."""
        estimates = self._estimates
        return HypothesisTest("t", float(estimates.statistics[0]), (self.degrees,), float(estimates.p_values[0]))

    @property
    def p_value(self) -> float:
        """The probability of a mean at least this far from zero if the expected losses were equal."""
        return self.test.p_value

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """``(low, high)`` of the difference of the expected losses."""
        low, high = self._estimates.interval(level)
        return float(low[0]), float(high[0])

    @property
    def _estimates(self) -> Estimates:
        return Estimates(("a - b",), np.array([self.mean]), np.array([[self.standard_error**2]]), self.degrees)

    def __str__(self) -> str:
        low, high = self.interval()
        better = "a" if self.mean < 0 else "b"
        clear = self.p_value < _SIGNIFICANCE
        verdict = f"{better} has the smaller loss" if clear else "no difference is shown at the 5 % level"
        return (
            f"a - b = {self.mean:.4g} ± {self.standard_error:.2g} over {self.count} {self.of}, "
            f"95 % interval {low:.4g} to {high:.4g}\n{verdict}: {self.test}"
        )


def paired_difference(losses_a: Any, losses_b: Any) -> Difference:
    r"""The mean of the differences $d_i = a_i - b_i$, with standard error $s_d/\sqrt n$ and n − 1 degrees of freedom.

    For losses of two fitted models on n independent rows that neither has seen; for scores, where larger is better,
    pass their negatives. The interval covers the choice of the test rows, not that of the training rows: it is about
    these two fits. Exact for normal differences, asymptotic otherwise. Models of equal losses on every row have a
    standard error of zero and p = 1. O(n). (Dietterich 1998, on two classifiers; Student 1908.)

    >>> rng = np.random.default_rng(0)
    >>> hard = rng.exponential(size=200)  # hard rows are hard for both
    >>> print(paired_difference(hard + 0.1 * rng.normal(size=200), hard + 0.05))
    a - b = -0.0584 ± 0.0073 over 200 rows, 95 % interval -0.07288 to -0.04391
    a has the smaller loss: t(199) = -7.95166, p = 1.35e-13
    """
    a, b = checked_pair("paired_difference", losses_a, losses_b)
    differences = a - b
    n = len(differences)
    if np.any(differences != 0.0):
        scale = float(max(np.max(np.abs(a)), np.max(np.abs(b))))
        refuse_constant("paired_difference", differences, scale, "Try more rows, or mcnemar for losses of zero and one")
    return Difference(float(np.mean(differences)), float(np.std(differences, ddof=1) / np.sqrt(n)), n - 1, n)


def corrected_resampled_t(differences: Any, train_size: float, test_size: float) -> Difference:
    r"""The mean of k differences from overlapping splits, with variance $(1/k + n_2/n_1)\,s_d^2$.

    `differences` are mean loss of a − mean loss of b on the $n_2$ test rows of each of k splits, fitted to the other
    $n_1$: repeated hold-out, k folds, or several runs of k folds. The splits share rows, so their differences are
    correlated and $s_d^2/k$ is too small; the correction takes the correlation to be $n_2/(n_1 + n_2)$ (Nadeau &
    Bengio 2003; for repeated folds Bouckaert & Frank 2004). The statement is about the losses expected over
    training sets of $n_1$ rows. It is a heuristic.

    Measured size at the 5 % level, two regressions of equal expected loss on 60 rows, 2000 simulations (standard error
    0.5 %): 4.5 % for 15 hold-outs of a tenth, 4.9 % for ten runs of ten folds, 0.8 % for ten folds once, where it is
    timid. Uncorrected, the t test rejects 21 %, 58 % and 4.8 % of them.

    >>> print(corrected_resampled_t([-0.02, -0.05, 0.01, -0.03, -0.04], train_size=80, test_size=20))
    a - b = -0.026 ± 0.015 over 5 splits, 95 % interval -0.06888 to 0.01688
    no difference is shown at the 5 % level: t(4) = -1.68356, p = 0.168
    """
    d = checked_losses("corrected_resampled_t", "differences", differences)
    ratio = checked_sizes("corrected_resampled_t", train_size, test_size)
    if np.any(d != 0.0):
        refuse_constant("corrected_resampled_t", d, float(np.max(np.abs(d))), "Pass differences of more splits")
    k = len(d)
    error = np.sqrt((1.0 / k + ratio) * np.var(d, ddof=1))
    return Difference(float(np.mean(d)), float(error), k - 1, k, "splits")


def rows_to_separate(mean: float, std: float, power: float = 0.8, significance: float = 0.05) -> int:
    r"""The fewest rows for which the paired t test finds a difference of `mean` with probability `power`.

    `std` is that of the difference of the losses on one row. Under the alternative $\sqrt n\,\bar d/s$ is a noncentral
    t with $\sqrt n\,\mu/\sigma$, and both tails count; about $(z_{1-\alpha/2} + z_{power})^2\sigma^2/\mu^2$ (Cohen
    1988, chapter 2). Exact for normal differences, asymptotic otherwise. O(log n).

    >>> rows_to_separate(mean=0.01, std=0.1)
    787
    """
    who = "rows_to_separate"
    power, significance = checked_power(who, power, significance)
    if not (np.isfinite(mean) and mean != 0.0 and np.isfinite(std) and std > 0.0):
        raise InputError(
            who,
            f"mean is {mean} and std is {std}",
            "Models of equal loss are told apart by no number of rows, and a difference that varies has a positive std",
            "Pass the smallest mean difference that matters",
        )
    effect = abs(mean) / std
    low, high = 1, 2  # `low` rows are not enough
    while _power(high, effect, significance) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, effect, significance) >= power else (middle, high)
    return high


def rows_times(difference: Difference, power: float = 0.8, significance: float = 0.05) -> float:
    r"""How many times as many rows would show this difference with probability `power`, by the test that was made.

    The standard error is taken to shrink as $1/\sqrt n$ while the degrees of freedom stay, as those of folds do:
    $(\delta/t)^2$ with t as it was seen and $\delta$ the noncentrality for that power. One or less where t is far
    enough out as it is. For the difference that was seen, which is itself uncertain.

    >>> seen = corrected_resampled_t([-0.02, -0.05, 0.01, -0.03, -0.04], train_size=80, test_size=20)
    >>> print(f"{rows_times(seen):.1f}")
    5.0
    """
    who = "rows_times"
    power, significance = checked_power(who, power, significance)
    if not difference.mean:
        raise InputError(
            who, "the mean difference is zero", "Models of equal loss are told apart by no number of rows", ""
        )
    reach = 1.0
    while _chance(reach, difference.degrees, significance) < power:
        reach *= 2.0
    needed = optimize.brentq(lambda shift: _chance(shift, difference.degrees, significance) - power, 0.0, reach)
    return float((needed * difference.standard_error / difference.mean) ** 2)


def _power(n: int, effect: float, significance: float) -> float:
    """The probability that the two-sided t test of n rows rejects."""
    return _chance(np.sqrt(n) * effect, n - 1.0, significance)


def _chance(shift: float, degrees: float, significance: float) -> float:
    """The probability that a noncentral t is further out than a central one is with probability `significance`."""
    if degrees > _MANY_ROWS:
        critical = special.ndtri(1.0 - significance / 2.0)
        return float(special.ndtr(shift - critical) + special.ndtr(-shift - critical))
    critical = special.stdtrit(degrees, 1.0 - significance / 2.0)
    other = stats.nct.cdf(-critical, degrees, shift) if shift < _FAR else 0.0  # at most Φ(−shift), and SciPy's is NaN
    return float(stats.nct.sf(critical, degrees, shift) + other)
