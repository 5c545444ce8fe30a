"""What every belief shares: broadcasting, rows, intervals, budgets, errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import Gamma, Mixture, MultivariateNormal, Normal, UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.numerics import Fixed, Positive


def test_parameters_are_broadcast_to_the_batch():
    belief = Normal(jnp.zeros((4, 1)), jnp.ones(3))
    assert belief.batch_shape == (4, 3)
    assert belief.loc.shape == belief.scale.shape == (4, 3)
    assert belief.event_shape == ()


def test_rows_carry_their_share_of_the_budget():
    belief = Normal(jnp.arange(5.0), 1.0).with_budget(UncertaintyBudget(noise=jnp.arange(5.0), parameter=0.0))
    picked = belief[1:3]
    assert picked.batch_shape == (2,)
    np.testing.assert_array_equal(picked.budget.noise, [1.0, 2.0])
    np.testing.assert_array_equal(belief[jnp.array([4, 0])].mean, [4.0, 0.0])
    assert belief[2].batch_shape == ()
    np.testing.assert_array_equal(jax.jit(lambda b, i: b[i].mean)(belief, 3), 3.0)
    with pytest.raises(InputError, match="no rows"):
        belief[0][0]


def test_an_index_cannot_reach_into_an_event():
    vectors = MultivariateNormal(jnp.arange(10.0).reshape(5, 2), jnp.eye(2))
    np.testing.assert_array_equal(vectors[..., 3].loc, [6.0, 7.0])
    assert vectors[..., 3].covariance.shape == (2, 2)
    with pytest.raises(InputError, match="no rows"):
        vectors[0, 0]
    mixture = Mixture(jnp.full((3, 2), 0.5), Normal(jnp.arange(6.0).reshape(3, 2), 1.0))
    np.testing.assert_array_equal(mixture[..., 2].mean, 4.5)
    np.testing.assert_array_equal(mixture[1:].mean, [2.5, 4.5])


def test_a_numpy_integer_is_a_shape():
    assert Normal(0.0, 1.0).sample(np.int64(4), random_state=0).shape == (4,)


def test_interval_is_central():
    low, high = Normal(3.0, 2.0).interval(0.8)
    np.testing.assert_allclose([Normal(3.0, 2.0).cdf(low), Normal(3.0, 2.0).cdf(high)], [0.1, 0.9], rtol=1e-12)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 90.0, np.nan])
def test_level_that_is_none_is_refused(level):
    with pytest.raises(InputError, match="level"):
        Normal(0.0, 1.0).interval(level)


@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan])
def test_quantile_of_what_is_no_probability_is_refused(p):
    with pytest.raises(InputError, match="not a probability"):
        Normal(0.0, 1.0).quantile(p)


def test_interval_inside_jit():
    inside = jax.jit(lambda shape: Gamma(shape, 2.0).interval(0.5))(jnp.array([1.0, 3.0]))
    np.testing.assert_allclose(inside, Gamma(jnp.array([1.0, 3.0]), 2.0).interval(0.5), rtol=1e-12)


def test_quantile_inside_jit_answers_nan_where_it_cannot_raise():
    assert np.isnan(jax.jit(lambda p: Normal(0.0, 1.0).quantile(p))(2.0))


@pytest.mark.parametrize("seed", [0, np.random.default_rng(0), np.random.RandomState(0), jax.random.key(0)])
def test_sample_takes_any_random_state(seed):
    assert Normal(jnp.zeros(2), 1.0).sample((3,), random_state=seed).shape == (3, 2)
    assert Normal(0.0, 1.0).sample(4, random_state=0).shape == (4,)


def test_the_same_seed_gives_the_same_draw():
    belief = Normal(0.0, 1.0)
    assert belief.sample(random_state=7) == belief.sample(random_state=7)
    assert belief.sample(random_state=7) != belief.sample(random_state=8)


def test_a_belief_of_no_model_has_no_split():
    assert not Normal(0.0, 1.0).budget.is_split


def test_vectors_have_no_quantile():
    with pytest.raises(UndefinedError, match="quantile"):
        MultivariateNormal(jnp.zeros(2), jnp.eye(2)).quantile(0.5)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((0.0, -1.0), "scale is -1.*positive"),
        ((np.nan, 1.0), "loc is nan.*finite"),
        ((0.0, np.inf), "scale is inf"),
        (("a", 1.0), "not numeric"),
        ((np.zeros(2), np.ones(3)), "batch shapes do not fit"),
        ((np.zeros(0), 1.0), "no rows"),
        (([[1.0], [1.0, 2.0]], 1.0), "not numeric"),
        ((0.0, Positive()), "has no value"),
    ],
)
def test_bad_parameters_are_named(arguments, match):
    with pytest.raises(InputError, match=rf"Normal: .*{match}"):
        Normal(*arguments)


def test_overrides_do_not_change_the_formula():
    plain, overridden = Normal(1.0, 2.0), Normal(Fixed(1.0), Positive(2.0, prior=Normal(0.0, 1.0)))
    np.testing.assert_array_equal(plain.log_prob(0.3), overridden.log_prob(0.3))


def test_text_names_family_and_parameters():
    assert str(Normal(1.0, 2.0)) == "Normal(loc=1, scale=2)"
    assert "batch shape (3,)" in str(Normal(jnp.zeros(3), 1.0))
