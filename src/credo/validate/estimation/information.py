r"""Expected Fisher information of one row: $I = \mathrm{E}\,s s^\top$, $s = \nabla_\theta\log p(x \mid \theta)$.

Exact where the values of a row can be listed, or the distribution is an exponential family; else by Monte Carlo, with
its error. Second derivatives are not used: where the score jumps, as for a Laplace distribution, their mean is not the
information (Lehmann & Casella 1998, §2.5).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.beliefs.base import Belief
from credo.beliefs.exponential import ExponentialFamily
from credo.errors import InputError
from credo.numerics import Certificate, as_key
from credo.validate.estimation.likelihood import LogLikelihood, as_data, as_theta

__all__ = ["Information", "Sampler", "expected_information", "family_information"]

#: ``(theta, n, key)`` → n independent rows, as the log-likelihood takes them.
Sampler = Callable[[Any, int, Any], Any]

_BLOCK = 10_000  # draws at a time
_FAR = 6.0  # standard errors: by chance once in 10⁹
_MASS = 1e-9  # probability that a list of values may miss


class Information(NamedTuple):
    """The Fisher information of one row, the standard error of each entry, and how it was obtained."""

    value: Float[np.ndarray, "p p"]
    standard_error: Float[np.ndarray, "p p"]
    certificate: Certificate


def expected_information(
    log_likelihood: LogLikelihood,
    theta: Any,
    *,
    support: Any = None,
    sampler: Sampler | None = None,
    draws: int = 10_000,
    random_state: Any = None,
) -> Information:
    r"""The Fisher information of one row from a log-likelihood with one number a row.

    With `support`, all values that a row can take, it is $\sum_x p(x)\, s s^\top$, exact. With a `sampler` of the same
    distribution, it is the mean of $s s^\top$ over `draws` rows, with the standard error of each entry. The mean of the
    scores must be zero: where it is further away than 6 standard errors the rows are not of this likelihood, or their
    range depends on θ, as for a uniform on [0, θ], and no information exists; that is refused. O(draws p²).

    >>> coin = lambda p, x: jnp.log(jnp.where(x == 1, p, 1.0 - p))
    >>> expected_information(coin, 0.2, support=np.array([0, 1])).value.round(6).tolist()  # 1 / p (1 - p)
    [[6.25]]
    """
    who = "expected_information"
    at = as_theta(who, theta)
    if (support is None) == (sampler is None):
        raise InputError(who, "support and sampler are both given, or neither", "Rows come from one", "Pass one")
    if sampler is None:
        return _enumerated(who, log_likelihood, at, as_data(who, support))
    if int(draws) != draws or draws < 2:
        raise InputError(who, f"draws is {draws}", "An error takes two or more", "Try draws=10_000")
    return _simulated(who, log_likelihood, at, sampler, int(draws), as_key(random_state))


def family_information(
    family: Callable[[Any], Belief], theta: Any, *, draws: int = 10_000, random_state: Any = None
) -> Information:
    r"""The Fisher information of one draw of ``family(theta)``, a belief, about the parameters θ.

    For an exponential family $D^\top\, \nabla^2\! A(\eta)\, D$ with $D = \partial\eta/\partial\theta$: exact, by
    differentiation. For any other belief of numbers, by Monte Carlo with `draws`.

    >>> from credo.beliefs import Normal
    >>> family_information(lambda t: Normal(t[0], t[1]), [0.0, 2.0]).value.round(6).tolist()
    [[0.25, 0.0], [0.0, 0.5]]
    """
    who = "family_information"
    at = as_theta(who, theta)
    member = _one(family, at)
    if isinstance(member, ExponentialFamily):
        value = np.asarray(_by_chain_rule(family, at))
        return Information(value, np.zeros_like(value), Certificate("exact"))
    return expected_information(
        lambda t, x: _one(family, t).log_prob(x),
        at,
        sampler=lambda t, n, key: _one(family, t).sample((n,), key),
        draws=draws,
        random_state=random_state,
    )


@eqx.filter_jit
def _by_chain_rule(family: Callable[[Any], Belief], theta: Array) -> Array:
    jacobian = jax.jacfwd(lambda t: _one(family, t).natural)(theta)
    return jacobian.T @ _one(family, theta).fisher_information() @ jacobian


def _one(family: Callable[[Any], Belief], theta: Array) -> Any:
    """The belief at theta; a batch of one, which a family of the whole vector makes of one parameter, is that one."""
    member = family(theta)
    if not isinstance(member, Belief) or member.batch_shape not in ((), (1,)):
        raise InputError(
            "family_information",
            f"family(theta) is a {type(member).__name__}, or a batch of several",
            "It returns one belief for one vector of parameters",
            "Try lambda t: Normal(t[0], t[1])",
        )
    return member[0] if member.batch_shape else member


def _enumerated(who: str, log_likelihood: LogLikelihood, theta: Array, support: Any) -> Information:
    logs, s = _rows(who, log_likelihood, theta, support)
    p = np.exp(logs)
    mass = float(np.sum(p))
    if not abs(mass - 1.0) <= _MASS:
        raise InputError(
            who,
            f"the probabilities over the support add up to {mass:.10g}",
            "Values are missing or twice there, or the log-likelihood leaves out a constant",
            "Pass every value once, far enough into the tail",
        )
    s = np.where(p[:, None] > 0.0, s, 0.0)
    value = s.T @ (p[:, None] * s)
    return Information(value, np.zeros_like(value), Certificate("exact", notes=(f"over {len(p)} values",)))


def _simulated(
    who: str, log_likelihood: LogLikelihood, theta: Array, sampler: Sampler, draws: int, key: Array
) -> Information:
    p = theta.shape[0]
    sizes = [min(_BLOCK, draws - start) for start in range(0, draws, _BLOCK)]
    first, second = _Tally.zeros(p), _Tally.zeros(p * p)
    for size, own in zip(sizes, jax.random.split(key, len(sizes)), strict=True):
        _, s = _rows(who, log_likelihood, theta, as_data(who, sampler(theta, size, own)))
        if len(s) != size:
            raise InputError(who, f"{len(s)} rows for n={size}", "A sampler returns n rows", "Use its second argument")
        first = first.plus(s)
        second = second.plus((s[:, :, None] * s[:, None, :]).reshape(size, p * p))
    _check_regular(who, first)
    error = second.standard_error.reshape(p, p)
    note = f"error is the largest standard error of an entry over {draws} draws"
    certificate = Certificate("estimated", error=float(np.max(error)), notes=(note,))
    return Information(second.mean.reshape(p, p), error, certificate)


class _Tally(NamedTuple):
    """Number, mean and sum of squared deviations, merged without losing digits (Chan, Golub & LeVeque 1983)."""

    size: int
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def zeros(cls, entries: int) -> "_Tally":
        return cls(0, np.zeros(entries), np.zeros(entries))

    def plus(self, rows: np.ndarray) -> "_Tally":
        mean = np.mean(rows, axis=0)
        size, gap = self.size + len(rows), mean - self.mean
        between = gap**2 * (self.size * len(rows) / size)
        scatter = self.scatter + np.sum((rows - mean) ** 2, axis=0) + between
        return _Tally(size, self.mean + gap * (len(rows) / size), scatter)

    @property
    def standard_error(self) -> np.ndarray:
        return np.asarray(np.sqrt(self.scatter / (self.size - 1) / self.size))


def _check_regular(who: str, mean_score: _Tally) -> None:
    error = mean_score.standard_error
    size = np.sqrt(mean_score.mean**2 + error**2 * mean_score.size)  # of a score, for what rounding alone leaves
    far = np.abs(mean_score.mean) > _FAR * error + 1e-9 * size
    if not np.all(np.isfinite(mean_score.mean)) or np.any(far):
        at = int(np.argmax(far))
        raise InputError(
            who,
            f"the mean score of parameter {at} is {mean_score.mean[at]:.4g} ± {error[at]:.2g}, not zero",
            "The sampler draws from another distribution than the log-likelihood, or its range depends on theta",
            "Check that both are of the same theta; with a range that moves there is no Fisher information",
        )


@eqx.filter_jit
def _row_derivatives(log_likelihood: LogLikelihood, theta: Array, data: Any) -> tuple[Array, Array]:
    def rows(t: Array) -> Array:
        return jnp.asarray(log_likelihood(t, data))

    return rows(theta), jax.jacfwd(rows)(theta)


def _rows(who: str, log_likelihood: LogLikelihood, theta: Array, data: Any) -> tuple[np.ndarray, np.ndarray]:
    """The log-likelihood and the score of each row."""
    logs, gradients = (np.asarray(part) for part in _row_derivatives(log_likelihood, theta, data))
    if logs.ndim != 1 or np.any(np.isnan(logs)):
        raise InputError(
            who,
            f"the log-likelihood has shape {logs.shape}, or is NaN",
            "It returns one number a row",
            "Do not sum it, and check that theta is inside the parameter space",
        )
    return logs, gradients
