"""How probable it is that one model is better, or that the two are as good as equal."""

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from credo.beliefs import StudentT
from credo.errors import InputError
from credo.validate.comparison.checks import checked_losses, checked_sizes, refuse_constant

__all__ = ["PracticalDifference", "bayesian_correlated_t"]


@dataclass(frozen=True)
class PracticalDifference:
    """A belief about the expected ``loss of a − loss of b``, and the size below which a difference does not matter."""

    belief: StudentT
    rope: float

    @property
    def a_better(self) -> float:
        """The probability that the loss of a is smaller by more than the rope."""
        return float(self.belief.cdf(-self.rope))

    @property
    def b_better(self) -> float:
        """The probability that the loss of b is smaller by more than the rope."""
        # The upper tail as a lower one of the mirrored belief, where it does not cancel.
        mirrored = StudentT(self.belief.df, -self.belief.loc, self.belief.scale)
        return float(mirrored.cdf(-self.rope))

    @property
    def equivalent(self) -> float:
        """The probability that they differ by no more than the rope."""
        return max(1.0 - self.a_better - self.b_better, 0.0)

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """``(a_better, equivalent, b_better)``, which add up to one."""
        return self.a_better, self.equivalent, self.b_better

    def __str__(self) -> str:
        a, equal, b = self.probabilities
        return (
            f"a better {a:.1%}, equivalent within ±{self.rope:g} {equal:.1%}, b better {b:.1%}\n"
            f"a - b = {float(self.belief.loc):.4g}, t of {float(self.belief.df):g} degrees with scale "
            f"{float(self.belief.scale):.2g}"
        )


def bayesian_correlated_t(
    differences: Any, train_size: float, test_size: float, rope: float = 0.0
) -> PracticalDifference:
    r"""The posterior of the mean difference $\mu$ of two losses, from k splits of the same rows.

    Model: $d \sim \mathcal N(\mu 1, \sigma^2[(1 - \rho)I + \rho 11^\top])$ with $\rho = n_2/(n_1 + n_2)$ and the flat
    prior $p(\mu, \sigma) \propto 1/\sigma$. Then $\mu$ is a Student t of k − 1 degrees around the mean of the
    differences, with squared scale $(1/k + \rho/(1 - \rho))\,s_d^2$ (Corani & Benavoli 2015): the interval is that
    of [](#credo.validate.comparison.corrected_resampled_t), and can be read as a probability.

    `differences` are mean loss of a − mean loss of b on the `test_size` rows of each split, fitted to the other
    `train_size`; for scores, where larger is better, b − a. `rope` is the region of practical equivalence: differences
    within ±rope do not matter. The correlation is assumed, not estimated. O(k).

    >>> verdict = bayesian_correlated_t([-0.02, -0.05, 0.01, -0.03, -0.04], 80, 20, rope=0.01)
    >>> print(verdict)
    a better 82.1%, equivalent within ±0.01 13.9%, b better 4.0%
    a - b = -0.026, t of 4 degrees with scale 0.015
    """
    who = "bayesian_correlated_t"
    d = checked_losses(who, "differences", differences)
    ratio = checked_sizes(who, train_size, test_size)
    if not (np.isfinite(rope) and rope >= 0.0):
        raise InputError(who, f"rope is {rope}", "It is the largest difference that does not matter", "Try rope=0.01")
    refuse_constant(who, d, float(np.max(np.abs(d))), "Pass differences of more splits; two equal models need no test")
    k = len(d)
    scale = np.sqrt((1.0 / k + ratio) * np.var(d, ddof=1))
    belief = StudentT(jnp.asarray(k - 1.0), jnp.asarray(np.mean(d)), jnp.asarray(scale))
    return PracticalDifference(belief, float(rope))
