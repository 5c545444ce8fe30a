"""Every law of a belief, on every family of the registry.

Members are drawn six at a time and stacked into one belief of batch shape (6,): shapes stay fixed, and each family
compiles once.
"""

import dataclasses
import inspect

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from expectations import COUNTS, LEVELS, panels
from families_multivariate import MULTIVARIATE
from families_scalar import SCALAR
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import credo.beliefs
from credo.beliefs import Belief, Empirical, ExponentialFamily
from credo.errors import InputError
from credo.numerics.constraints import Extended
from credo.numerics.parameters import constraint_of, declared_parameters

ALL = SCALAR + MULTIVARIATE
ROWS = 6
DRAWS = 10_000
ORDERED = [case for case in ALL if case.family.cdf is not Belief.cdf]
SCIPY = [case for case in SCALAR if case.scipy is not None]
# Without shrinking: a batch of six members shrinks for minutes, and the values of the failing one say enough.
FEW = settings(max_examples=2, phases=[Phase.generate])
ONE = settings(FEW, max_examples=1)


def on(cases):
    return pytest.mark.parametrize("case", cases, ids=str)


def mostly_slow(cases, *fast):
    """The cases with all but the named ones in the slow suite: these laws compile for seconds a family."""
    return on(
        [case if str(case) in fast else pytest.param(case, marks=pytest.mark.slow, id=str(case)) for case in cases]
    )


def stacked(members):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *members)


def batch_of(data, case, size=ROWS):
    return stacked(data.draw(st.lists(case.members, min_size=size, max_size=size)))


# One compilation a family and shape: op by op, JAX would compile every primitive of every formula on its own.
density = eqx.filter_jit(lambda belief, x: belief.log_prob(x))
cdf = eqx.filter_jit(lambda belief, x: belief.cdf(x))
quantile = eqx.filter_jit(lambda belief, p: belief.quantile(p))
moments = eqx.filter_jit(lambda belief: (belief.mean, belief.variance, belief.std))
draws_of = eqx.filter_jit(lambda belief, key: belief.draw(key, (DRAWS,)))
_P = np.broadcast_to(LEVELS[:, None], (LEVELS.size, ROWS))


def test_every_exported_family_is_in_the_registry():
    exported = {getattr(credo.beliefs, name) for name in credo.beliefs.__all__}
    families = {c for c in exported if inspect.isclass(c) and issubclass(c, Belief) and not inspect.isabstract(c)}
    assert families == {case.family for case in ALL}


@on([case for case in ORDERED if case.family is not Empirical])
@FEW
@given(data=st.data())
def test_density_integrates_to_the_cdf_and_to_one(case, data):
    belief = batch_of(data, case)
    if belief.is_discrete:
        counts = np.broadcast_to(COUNTS[:, None], (COUNTS.size, ROWS))
        mass = np.cumsum(np.exp(density(belief, counts)), axis=0)
        np.testing.assert_allclose(mass, cdf(belief, counts), rtol=0, atol=1e-11)
        np.testing.assert_allclose(mass[-1], 1.0, rtol=0, atol=1e-11)
        return
    points, weights = panels(quantile(belief, _P))
    mass = np.sum(weights * np.exp(density(belief, points)), axis=1)
    np.testing.assert_allclose(mass, np.diff(_P, axis=0), rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.sum(mass, axis=0), 1.0, rtol=0, atol=1e-8)


@on(SCIPY)
@FEW
@given(data=st.data())
def test_agrees_with_scipy(case, data):
    belief = batch_of(data, case)
    twin = case.scipy(belief)
    x = np.asarray(twin.ppf(_P))
    log_density = twin.logpmf(x) if belief.is_discrete else twin.logpdf(x)
    np.testing.assert_allclose(density(belief, x), log_density, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(cdf(belief, x), twin.cdf(x), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(quantile(belief, _P), x, rtol=1e-10, atol=1e-10)
    # Where a moment does not exist scipy says NaN or infinity, credo infinity.
    mean, variance, std = moments(belief)
    np.testing.assert_allclose(mean, np.nan_to_num(twin.mean(), nan=np.inf, posinf=np.inf), rtol=1e-10, atol=1e-10)
    expected = np.nan_to_num(np.where(np.isfinite(mean), twin.var(), np.inf), nan=np.inf, posinf=np.inf)
    np.testing.assert_allclose(variance, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(std**2, variance, rtol=1e-12)


@on(ORDERED)
@FEW
@given(data=st.data())
def test_quantile_inverts_the_cdf_which_never_falls(case, data):
    belief = batch_of(data, case)
    x = np.asarray(quantile(belief, _P))
    assert np.all(np.diff(x, axis=0) >= 0)
    there = np.asarray(cdf(belief, x))
    assert np.all(np.diff(there, axis=0) >= 0)
    if belief.is_discrete:
        np.testing.assert_array_equal(quantile(belief, there), x)
        assert np.all(there >= _P * (1 - 1e-11))
        assert np.all(np.asarray(cdf(belief, x - 1e-9)) <= _P * (1 + 1e-11))
    else:
        rounding = 1e-15 * np.abs(x) * np.exp(density(belief, x))  # what the last digit of x moves
        assert np.all(np.abs(there - _P) <= 1e-9 * _P + rounding)


@mostly_slow(ORDERED, "Normal", "Gamma", "Poisson", "Empirical")
@ONE
@given(data=st.data())
def test_interval_holds_its_mass(case, data):
    belief = batch_of(data, case)
    low, high = belief.interval(0.8)
    low = low - 1e-9 if belief.is_discrete else low
    ends = np.concatenate([[low, high], _P[2:]])  # in the shape that is compiled already
    below, above, *_ = np.asarray(cdf(belief, ends))
    mass = above - below
    if belief.is_discrete:
        assert np.all(mass >= 0.8 - 1e-12)
    else:
        np.testing.assert_allclose(mass, 0.8, rtol=1e-10)


@mostly_slow(
    ALL, "Normal", "StudentT", "Gamma", "Poisson", "Empirical", "Categorical", "MultivariateNormal", "Mixture", "Gibbs"
)
@ONE
@given(data=st.data())
def test_sampling_moments_within_four_standard_errors(case, data):
    belief = batch_of(data, case)
    draws = np.asarray(draws_of(belief, jax.random.key(3)))
    assert draws.shape == (DRAWS, *belief.batch_shape, *belief.event_shape)
    if case.family.__name__ in ("Categorical", "Gibbs"):  # their moments are those of the one-hot vector
        draws = np.asarray(jax.nn.one_hot(draws, belief.mean.shape[-1]))
    mean, variance, _ = (np.asarray(moment) for moment in moments(belief))
    finite = np.isfinite(variance)  # where the variance is infinite there is no standard error
    assume(finite.any())
    off = np.abs(draws.mean(axis=0) - mean)
    np.testing.assert_array_less(off[finite], 4.0 * np.sqrt(variance / DRAWS)[finite] + 1e-12)
    # The standard error of a variance needs the fourth moment; where the draws say it is huge, the cdf is tested.
    squares = (draws - np.where(np.isfinite(mean), mean, 0.0)) ** 2
    light = finite & (squares.std(axis=0) < 4.0 * np.where(finite, variance, 1.0))
    error = 4.0 * squares.std(axis=0) / np.sqrt(DRAWS) + 1e-12
    np.testing.assert_array_less(np.abs(squares.mean(axis=0) - variance)[light], error[light])


@mostly_slow(ORDERED, "Normal", "StudentT", "Gamma", "Poisson", "Empirical", "Mixture")
@ONE
@given(data=st.data())
def test_draws_fall_below_quantiles_as_often_as_they_should(case, data):
    belief = batch_of(data, case)
    draws = np.asarray(draws_of(belief, jax.random.key(4)))
    at = np.asarray(quantile(belief, _P))
    expected = np.asarray(cdf(belief, at))
    common = slice(16, -16)  # levels from one percent to 99
    share = np.mean(draws[:, None] <= at[common], axis=0)
    error = np.sqrt(expected * (1.0 - expected) / DRAWS)[common]
    assert np.all(np.abs(share - expected[common]) <= 4.0 * error + 1e-12)


def _answers(belief, x, p, key):
    ordered = type(belief).cdf is not Belief.cdf
    scalar = (belief.cdf(x), belief.quantile(p)) if ordered else ()
    return (belief.log_prob(x), belief.mean, belief.variance, *scalar), belief.draw(key, (3,))


def _row_by_row(ordered):
    out = (1, 0, 0, 1, 1) if ordered else (1, 0, 0)
    return eqx.filter_jit(eqx.filter_vmap(_answers, in_axes=(eqx.if_array(0), 1, 1, None), out_axes=(out, 0)))


_BY_ROW = {ordered: _row_by_row(ordered) for ordered in (True, False)}


@mostly_slow(ALL, "Normal", "Bernoulli", "Uniform", "Empirical", "MultivariateNormal", "Gibbs")
@ONE
@given(data=st.data())
def test_a_batch_equals_its_rows_under_jit_and_vmap(case, data):
    belief = batch_of(data, case)
    key = jax.random.key(5)
    x = draws_of(belief, key)[: LEVELS.size]
    mean, variance, _ = moments(belief)
    scalar = (cdf(belief, x), quantile(belief, _P)) if case in ORDERED else ()
    batched = (density(belief, x), mean, variance, *scalar)
    by_row, draws = _BY_ROW[case in ORDERED](belief, x, _P, key)
    assert draws.shape == (ROWS, 3, *belief.event_shape)
    for got, want in zip(by_row, batched, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
    one = belief[4]  # alone, and without jit
    assert one.batch_shape == belief.batch_shape[1:]
    np.testing.assert_allclose(one.log_prob(x[0, 4]), batched[0][0, 4], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(one.mean, mean[4], rtol=1e-10, atol=1e-12)
    if case in ORDERED:
        np.testing.assert_allclose(one.cdf(x[0, 4]), batched[3][0, 4], rtol=1e-10, atol=1e-12)


@eqx.filter_jit
def _gradient(belief, x):
    return eqx.filter_grad(lambda b: jnp.sum(b.log_prob(x)))(belief)


@mostly_slow(ALL, "Normal", "StudentT", "Gamma", "Poisson", "Empirical", "Categorical", "MultivariateNormal", "Gibbs")
@ONE
@given(data=st.data())
def test_gradient_of_the_log_density_is_finite_inside_the_support(case, data):
    belief = batch_of(data, case)
    gradient = _gradient(belief, draws_of(belief, jax.random.key(0))[0])
    for name in declared_parameters(type(belief)):
        assert np.all(np.isfinite(getattr(gradient, name))), name


@mostly_slow(SCALAR, "Normal", "StudentT", "Gamma", "Poisson", "Empirical", "Mixture")
@ONE
@given(data=st.data())
def test_outside_the_support_nothing_and_nan_stays_nan(case, data):
    belief = batch_of(data, case)
    low, high = (np.asarray(end, dtype=float) for end in case.scipy(belief).support())
    np.testing.assert_array_equal(belief.log_prob(np.where(np.isfinite(low), low - 1.0, -np.inf)), -np.inf)
    np.testing.assert_array_equal(belief.log_prob(np.where(np.isfinite(high), high + 1.0, np.inf)), -np.inf)
    np.testing.assert_array_equal(belief.cdf(-np.inf), 0.0)
    np.testing.assert_array_equal(belief.cdf(np.inf), 1.0)
    np.testing.assert_array_equal(belief.quantile(1.0), high)
    np.testing.assert_array_equal(belief.quantile(0.0), low)
    assert np.all(np.isnan(belief.log_prob(np.nan)))
    if belief.is_discrete:
        np.testing.assert_array_equal(belief.log_prob(0.5), -np.inf)
    with pytest.raises(InputError, match="probability"):
        belief.quantile(1.5)
    with pytest.raises(InputError, match="probability"):
        belief.quantile(np.nan)


@on(ALL)
@ONE
@given(data=st.data())
def test_bad_parameters_are_refused(case, data):
    belief = data.draw(case.members)
    for name in declared_parameters(case.family):
        value = np.asarray(getattr(belief, name))
        bad = [np.full(value.shape, np.nan), "text", [[1.0], [1.0, 2.0]], np.zeros((0, *value.shape)), 1j]
        if not isinstance(constraint_of(belief, name), Extended):
            bad += [np.full(value.shape, np.inf), np.full(value.shape, -np.inf)]
        for wrong in bad:
            with pytest.raises(InputError, match=case.family.__name__):
                dataclasses.replace(belief, **{name: wrong})


@on([case for case in SCALAR if len(declared_parameters(case.family)) > 1])
@ONE
@given(data=st.data())
def test_parameters_of_different_lengths_are_refused(case, data):
    belief = data.draw(case.members)
    first, second, *_ = declared_parameters(case.family)
    lengths = {first: np.full(2, getattr(belief, first)), second: np.full(3, getattr(belief, second))}
    with pytest.raises(InputError, match="do not fit"):
        dataclasses.replace(belief, **lengths)


def test_a_negative_scale_rate_or_count_is_refused():
    for build in (
        lambda: credo.beliefs.Normal(0.0, -1.0),
        lambda: credo.beliefs.StudentT(-1.0, 0.0, 1.0),
        lambda: credo.beliefs.Gamma(1.0, 0.0),
        lambda: credo.beliefs.Bernoulli(1.1),
        lambda: credo.beliefs.Binomial(2.5, 0.5),
        lambda: credo.beliefs.Binomial(-1, 0.5),
        lambda: credo.beliefs.Uniform(1.0, 1.0),
        lambda: credo.beliefs.TruncatedNormal(0.0, 1.0, 2.0, 1.0),
        lambda: credo.beliefs.NegativeBinomial(1.0, 1.0),
    ):
        with pytest.raises(InputError):
            build()


def test_regular_cases_are_exponential_families():
    for case in ALL:
        assert case.regular == issubclass(case.family, ExponentialFamily), case
