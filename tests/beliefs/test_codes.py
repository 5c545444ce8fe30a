"""What Categorical and Gibbs share, against one-hot vectors written out; the formulas are in one class only."""

import jax
import numpy as np
import pytest

from credo.beliefs import Categorical, Gibbs
from credo.beliefs.codes import Codes

P = np.array([[0.2, 0.5, 0.3], [0.0, 0.9, 0.1]])
BELIEFS = {"Categorical": Categorical(P), "Gibbs": Gibbs(-np.log(P[0]), 1.0)}
every_belief = pytest.mark.parametrize("name", BELIEFS)


@every_belief
def test_moments_are_expectations_of_the_one_hot_vector(name):
    belief = BELIEFS[name]
    p, one_hot = np.broadcast_to(P[0], (*belief.batch_shape, 3)) if name == "Gibbs" else P, np.eye(3)
    mean = np.einsum("...c,ci->...i", p, one_hot)
    second = np.einsum("...c,ci->...i", p, one_hot**2)
    np.testing.assert_allclose(belief.mean, mean, rtol=1e-14)
    np.testing.assert_allclose(belief.variance, second - mean**2, rtol=1e-13, atol=1e-16)


@every_belief
def test_moments_are_those_of_draws(name):
    belief = BELIEFS[name]
    draws = np.eye(3)[np.asarray(belief.draw(jax.random.key(0), (20_000,)))]
    np.testing.assert_allclose(draws.mean(axis=0), belief.mean, atol=4 * 0.5 / np.sqrt(20_000))
    np.testing.assert_allclose(draws.var(axis=0), belief.variance, atol=4 * 0.25 / np.sqrt(20_000))


@every_belief
def test_what_is_no_code_has_no_probability(name):
    belief = BELIEFS[name]
    x = np.array([-1.0, 0.5, 3.0]).reshape(3, *(1,) * len(belief.batch_shape))
    assert np.all(np.asarray(belief.log_prob(x)) == -np.inf)
    assert np.all(np.asarray(belief.log_base(x)) == -np.inf)
    np.testing.assert_allclose(np.exp(belief.log_prob(1)), np.asarray(belief.mean)[..., 1], rtol=1e-14)
    assert np.all(np.isnan(belief.log_prob(np.nan)))


@pytest.mark.parametrize("formula", ["mean", "variance", "log_prob", "draw", "log_base", "is_discrete"])
def test_each_formula_is_written_once(formula):
    assert formula in vars(Codes)
    assert [cls.__name__ for cls in (Categorical, Gibbs) if formula in vars(cls)] == []
