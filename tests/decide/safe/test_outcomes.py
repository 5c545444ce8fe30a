"""Surrogates of outcomes: leave-one-out errors against refits, members against fits, probabilities against draws."""

import numpy as np
import pytest
from scipy import stats

from credo.decide.safe.outcomes import Believed, _left_out, _prior, learn_outcome, unsafe_probability
from credo.decide.study.goal import Bound
from credo.kernels import Matern52
from credo.models import GPRegressor
from credo.represent.space import Choice, Real, Space

SPACE = Space({"a": Real(0, 2), "b": Real(0, 1)})
RNG = np.random.default_rng(0)
ROWS = RNG.random((9, 2))
VALUES = 50.0 + 10.0 * np.sin(3.0 * ROWS[:, 0]) + 5.0 * ROWS[:, 1]


def known(lengthscale, noise=0.01, variance=25.0):
    kernel = Matern52(lengthscale=[lengthscale, lengthscale], variance=variance)
    return GPRegressor(kernel=kernel, noise_variance=noise, inference=None, standardize=False)


def test_errors_left_out_are_those_of_refits():
    model = known(0.5).fit(ROWS, VALUES - 50.0)
    wanted = []
    for i in range(9):
        rest = np.arange(9) != i
        belief = known(0.5).fit(ROWS[rest], VALUES[rest] - 50.0).predict_dist(ROWS[[i]])
        wanted.append((VALUES[i] - 50.0 - belief.mean[0]) / belief.std[0])
    np.testing.assert_allclose(_left_out(model), wanted, rtol=1e-6)


@pytest.mark.parametrize("standardize", [False, True])
def test_a_given_surrogate_is_used_as_it_is(standardize):
    surrogate = known(0.5).set_params(standardize=standardize)
    found = learn_outcome(SPACE, "value", ROWS, VALUES, (Bound.parse("value >= 40"),), promise=0.9, surrogate=surrogate)
    belief = known(0.5).set_params(standardize=standardize).fit(ROWS, VALUES).posterior(ROWS[:4] + 0.05)
    believed = found.at(ROWS[:4] + 0.05)
    np.testing.assert_allclose(believed.mean, belief.mean, rtol=1e-8)
    np.testing.assert_allclose(believed.std, found.audit.factor * np.asarray(belief.std), rtol=1e-6)
    wanted = stats.norm.cdf(40.0, believed.mean, believed.std)
    np.testing.assert_allclose(believed.broken(Bound("value", -1.0, 40.0)), wanted, rtol=1e-8)


def test_a_learnt_outcome_is_in_its_own_units_and_unsure_far_away():
    bounds = (Bound.parse("heat <= 100"),)
    found = learn_outcome(SPACE, "heat", ROWS, VALUES, bounds, promise=0.9, seed=0)
    near = found.at(ROWS)
    assert np.all(np.abs(near.mean - VALUES) < 3.0 * near.std + 1.0)
    # The bound is about one prior standard deviation away: what was not measured is not safe by the prior alone.
    one = learn_outcome(SPACE, "heat", ROWS[:1], VALUES[:1], bounds, promise=0.9, seed=0)
    far = one.at(np.array([[1.0, 1.0], [0.0, 1.0]]) * 30.0)
    assert np.all(far.broken(bounds[0]) > stats.norm.cdf(-1.0))


@pytest.mark.parametrize("probability", [0.55, 0.7, 0.8, 0.85, 0.95, 0.99])
@pytest.mark.parametrize("value", [0.0, 99.0, 250.0])
def test_the_prior_is_never_safe_by_itself(probability, value):
    bounds = [Bound.parse("heat <= 100"), Bound.parse("heat >= -10")]
    for values in (np.array([value]), np.array([value, value - 0.01, value + 0.02])):
        center, scale = _prior(values, bounds, 2.0 * probability - 1.0)
        safe = stats.norm.cdf(100.0, center, scale) - stats.norm.cdf(-10.0, center, scale)
        assert safe < probability
        # From 87 % on it is the plain rule: the distance of the farther bound, or the spread of what was measured.
        plain = max(abs(np.mean(values) - 100.0), abs(np.mean(values) + 10.0), np.std(values))
        assert scale == plain if probability > 0.87 else scale > plain


def test_a_wrong_surrogate_is_widened():
    rows = np.random.default_rng(1).random((20, 2))
    values = np.sin(25.0 * rows[:, 0]) * np.cos(25.0 * rows[:, 1])
    found = learn_outcome(
        SPACE, "value", rows, values, (Bound.parse("value >= -2"),), promise=0.9, surrogate=known(3.0, 1e-4, 1.0)
    )
    assert found.audit.verdict == "overconfident"
    plain = learn_outcome(
        SPACE,
        "value",
        rows,
        values,
        (Bound.parse("value >= -2"),),
        promise=0.9,
        surrogate=known(3.0, 1e-4, 1.0),
        audit=False,
    )
    np.testing.assert_allclose(found.at(rows + 0.1).std, found.audit.factor * plain.at(rows + 0.1).std)
    assert plain.audit.factor == 1.0


def test_probabilities_of_mixtures_are_those_of_draws():
    means, stds, weights = np.array([[1.0, 2.0]]), np.array([[0.5, 1.5]]), np.array([0.3, 0.7])
    believed = Believed(means, stds, weights, np.array([0.01]))
    rng = np.random.default_rng(0)
    member = rng.choice(2, size=400_000, p=[0.3, 0.7])
    draws = rng.normal(np.array([1.0, 2.0])[member], np.array([0.5, 1.5])[member])
    np.testing.assert_allclose(believed.mean, np.mean(draws), atol=0.01)
    np.testing.assert_allclose(believed.std, np.std(draws), atol=0.01)
    low, high = Bound("value", -1.0, 0.5), Bound("value", 1.0, 3.0)
    np.testing.assert_allclose(believed.broken(low), np.mean(draws < 0.5), atol=0.004)
    both = unsafe_probability({"value": believed}, [low, high])
    np.testing.assert_allclose(both, np.mean((draws < 0.5) | (draws > 3.0)) + 0.01, atol=0.004)


@pytest.mark.slow
def test_choices_have_a_surrogate_too():
    space = Space({"a": Real(0, 1), "kind": Choice("x", "y", "z")})
    rows = space.sample_rows(12, 0)
    found = learn_outcome(space, "value", rows, rows[:, 0] + rows[:, 1], (Bound.parse("value <= 9"),), promise=0.9)
    assert np.all(np.isfinite(found.at(rows).std))
