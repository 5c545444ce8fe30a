"""Every law of a regular exponential family, on every such family of the registry.

Expectations are sums for counts, quadrature for numbers and 4000 draws for vectors and classes; see `expectations`.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from expectations import rule_of
from families_multivariate import MULTIVARIATE
from families_scalar import SCALAR
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from credo.numerics.parameters import flatten

REGULAR = [case for case in SCALAR + MULTIVARIATE if case.regular]
ONE = settings(max_examples=1, phases=[Phase.generate])
# Whose derivatives compile for seconds; the rest, one of each kind, stands for them in the fast suite.
HEAVY = (
    "Wishart",
    "InverseWishart",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "Beta",
    "InverseGamma",
    "Multinomial",
)


def _params(slow):
    return [pytest.param(case, id=str(case), marks=[pytest.mark.slow] if str(case) in slow else []) for case in REGULAR]


on_regular = pytest.mark.parametrize("case", _params(slow=HEAVY))

_rule = eqx.filter_jit(rule_of)


@eqx.filter_jit
def _both_densities(belief, x):
    natural = belief.natural
    again = belief.with_natural(natural)
    return belief.log_prob(x), belief.exponential_log_prob(x), again.log_prob(x), natural, again.natural


@on_regular
@ONE
@given(data=st.data())
def test_natural_form_is_the_density(case, data):
    belief = data.draw(case.members)
    points = _rule(belief).points[::20]
    plain, natural_form, again, natural, back = _both_densities(belief, points)
    np.testing.assert_allclose(natural_form, plain, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(again, plain, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(back, natural, rtol=1e-10, atol=1e-10)


@eqx.filter_jit
def _moments(belief, points):
    return belief.statistics(points), belief.mean_parameters, belief.fisher_information()


@on_regular
@ONE
@given(data=st.data())
def test_log_partition_derivatives_are_moments_of_the_statistics(case, data):
    belief = data.draw(case.members)
    rule = _rule(belief)
    statistics, mean, information = _moments(belief, rule.points)
    statistics = np.where(np.asarray(rule.weights)[:, None] > 0, statistics, 0.0)
    assert np.all(np.abs(rule.mean(statistics) - mean) <= rule.tolerance(statistics))
    centered = statistics - np.asarray(mean)
    outer = centered[:, :, None] * centered[:, None, :]
    assert np.all(np.abs(rule.mean(outer) - information) <= rule.tolerance(outer))


@eqx.filter_jit
def _scores(belief, points, weights):
    """Score and Hessian of the log density in unconstrained coordinates of the family's own parameters, and dη/du."""
    vector, rebuild, *_ = flatten(belief)
    score = jax.vmap(jax.grad(lambda u, x: rebuild(u).log_prob(x)), in_axes=(None, 0))(vector, points)

    def average(u, x, w):
        return jnp.sum(
            jnp.where(w > 0, w * rebuild(u).log_prob(jnp.where((w > 0).reshape(_like(w, x)), x, points[0])), 0.0)
        )

    blocks = _BLOCKS if points.shape[0] % _BLOCKS == 0 else 1
    split = lambda a: a.reshape((blocks, -1, *a.shape[1:]))  # noqa: E731
    hessians = jax.vmap(jax.hessian(average), in_axes=(None, 0, 0))(vector, split(points), split(weights))
    jacobian = jax.jacfwd(lambda u: rebuild(u).natural)(vector)
    return score, hessians * blocks, jacobian, belief.fisher_information()


_BLOCKS = 20


def _like(w, x):
    return w.shape + (1,) * (x.ndim - w.ndim)


@on_regular
@ONE
@given(data=st.data())
def test_score_has_mean_zero_and_fisher_information_is_minus_the_expected_hessian(case, data):
    belief = data.draw(case.members)
    rule = _rule(belief)
    score, hessians, jacobian, natural_information = (np.asarray(a) for a in _scores(belief, *rule[:2]))
    information = jacobian.T @ natural_information @ jacobian
    score = np.where(np.asarray(rule.weights)[:, None] > 0, score, 0.0)
    assert np.all(np.abs(rule.mean(score)) <= rule.tolerance(score))
    outer = score[:, :, None] * score[:, None, :]
    assert np.all(np.abs(rule.mean(outer) - information) <= rule.tolerance(outer))
    if rule.draws:
        error = 4.0 * hessians.std(axis=0, ddof=1) / np.sqrt(len(hessians)) + 1e-9
    else:
        error = 1e-6 * (1.0 + np.abs(information))
    assert np.all(np.abs(hessians.mean(axis=0) + information) <= error)


@eqx.filter_jit
def _divergence(first, second_natural, points):
    second = first.with_natural(second_natural)
    return first.kl(second), first.kl(first), first.log_prob(points) - second.log_prob(points)


@on_regular
@ONE
@given(data=st.data())
def test_divergence_is_the_expected_log_ratio(case, data):
    first, other = data.draw(case.members), data.draw(case.members)
    rule = _rule(first)
    divergence, own, log_ratio = _divergence(first, other.natural, rule.points)
    log_ratio = np.where(np.asarray(rule.weights) > 0, log_ratio, 0.0)
    assert np.abs(rule.mean(log_ratio) - divergence) <= rule.tolerance(log_ratio)
    assert divergence >= -1e-12
    assert np.abs(own) <= 1e-10


@on_regular
@ONE
@given(data=st.data())
def test_maximum_likelihood_matches_the_mean_parameters(case, data):
    start, other = data.draw(case.members), data.draw(case.members)
    target = start.with_natural(other.natural)  # what is not a natural parameter, such as trials, is the start's
    found = start.maximum_likelihood(target.mean_parameters)
    np.testing.assert_allclose(found.natural, target.natural, rtol=1e-7, atol=1e-7)
