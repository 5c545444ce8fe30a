r"""The three classical tests of a restriction $r(\theta) = 0$, from any log-likelihood.

All three are compared with a chi-squared of as many degrees of freedom as there are equations, which is right as n
grows; they differ in which fit they need: the free one (Wald), the restricted one (score), or both.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy import special

from credo.errors import NumericalError
from credo.infer.testing import Estimates, HypothesisTest, likelihood_ratio, wald
from credo.numerics import Certificate, worst_of
from credo.validate.estimation.delta import delta_method
from credo.validate.estimation.likelihood import LogLikelihood, as_data, as_theta, covariance_of, score
from credo.validate.estimation.maximum import InformationOf, Maximum, information_at, maximize
from credo.validate.estimation.restrictions import as_restriction

__all__ = ["LikelihoodTests", "likelihood_tests", "score_test"]


@dataclass(frozen=True)
class LikelihoodTests:
    """The three tests, the free `estimates`, the `restricted` parameters, and how both fits went."""

    __test__ = False  # not one of pytest's

    wald: HypothesisTest
    likelihood_ratio: HypothesisTest
    score: HypothesisTest
    estimates: Estimates
    restricted: Float[np.ndarray, " p"]
    certificate: Certificate

    def __str__(self) -> str:
        return f"Wald {self.wald}\nlikelihood ratio {self.likelihood_ratio}\nscore {self.score}"


def likelihood_tests(
    log_likelihood: LogLikelihood,
    data: Any,
    start: Any,
    hypothesis: Any,
    value: Any = 0.0,
    *,
    information: InformationOf = "observed",
) -> LikelihoodTests:
    r"""Whether $H\theta = v$, for a matrix of q rows, or $h(\theta) = v$, for a JAX function.

    With $\hat\theta$ the free maximum, $\tilde\theta$ the restricted one, $G = \partial h/\partial\theta$ and I the
    information of all rows: Wald $r^\top (G I^{-1} G^\top)^{-1} r$ at $\hat\theta$, likelihood ratio $2\,(\ell(\hat
    \theta) - \ell(\tilde\theta))$, score $s^\top I^{-1} s$ at $\tilde\theta$ (Wald 1943; Wilks 1938; Rao 1948). The
    Wald test changes with how a curved hypothesis is written, the other two do not. Cost: two fits.

    >>> import jax.numpy as jnp
    >>> counts = np.array([3, 7, 2, 6, 4, 8])
    >>> print(likelihood_tests(lambda t, k: k * t[0] - jnp.exp(t[0]), counts, [1.0], [[1.0]], np.log(4.0)))
    Wald chi2(1) = 1.49379, p = 0.222
    likelihood ratio chi2(1) = 1.38861, p = 0.239
    score chi2(1) = 1.5, p = 0.221
    """
    who = "likelihood_tests"
    rows, at = as_data(who, data), as_theta(who, start)
    restriction = as_restriction(who, hypothesis, value, at)
    free = maximize(who, log_likelihood, rows, at)
    under = maximize(who, log_likelihood, rows, at, restriction)
    if under.value > free.value + 1e-6 * max(1.0, abs(free.value)):
        # The restricted fit found a better hill: the free one goes on from there.
        free = maximize(who, log_likelihood, rows, as_theta(who, under.theta))
    covariance = covariance_of(information_at(log_likelihood, free.theta, rows, information), who=who)
    estimates = Estimates(tuple(f"theta{i}" for i in range(len(free.theta))), free.theta, covariance)
    gaps = delta_method(estimates, restriction)
    q = len(gaps.values)
    return LikelihoodTests(
        wald=wald(gaps, np.eye(q)),
        likelihood_ratio=likelihood_ratio(free.value, under.value, q),
        score=_score_statistic(who, log_likelihood, rows, under, q, information),
        estimates=estimates,
        restricted=under.theta,
        certificate=worst_of([free.certificate, under.certificate], ["free", "restricted"]),
    )


def score_test(
    log_likelihood: LogLikelihood,
    data: Any,
    start: Any,
    hypothesis: Any,
    value: Any = 0.0,
    *,
    information: InformationOf = "observed",
) -> HypothesisTest:
    """Rao's score test alone, which fits under the hypothesis only: for larger models that are costly or do not exist.

    The arguments are those of [](#credo.validate.estimation.likelihood_tests).

    >>> import jax.numpy as jnp
    >>> counts = np.array([3, 7, 2, 6, 4, 8])
    >>> print(score_test(lambda t, k: k * t[0] - jnp.exp(t[0]), counts, [1.0], [[1.0]], np.log(4.0)))
    chi2(1) = 1.5, p = 0.221
    """
    who = "score_test"
    rows, at = as_data(who, data), as_theta(who, start)
    restriction = as_restriction(who, hypothesis, value, at)
    under = maximize(who, log_likelihood, rows, at, restriction)
    return _score_statistic(who, log_likelihood, rows, under, len(restriction.at(under.theta)), information)


def _score_statistic(
    who: str, log_likelihood: LogLikelihood, data: Any, under: Maximum, q: int, information: InformationOf
) -> HypothesisTest:
    slope = score(log_likelihood, under.theta, data)
    try:
        covariance = covariance_of(information_at(log_likelihood, under.theta, data, information), who=who)
    except NumericalError as error:
        raise NumericalError(
            who,
            "the information under the hypothesis is not positive definite",
            "Second derivatives need not be away from the maximum",
            'Try information="scores", or a function with the expected information',
        ) from error
    statistic = float(slope @ covariance @ slope)
    return HypothesisTest("chi2", statistic, (q,), float(special.chdtrc(q, statistic)))
