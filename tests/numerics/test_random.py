"""`random_state` in every form that scikit-learn users and JAX users pass."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError
from credo.numerics import as_key, as_seed


def bits(key):
    return np.asarray(jax.random.key_data(key)).tolist()


def test_an_int_is_reproducible_and_ints_differ():
    assert bits(as_key(3)) == bits(as_key(np.int64(3))) == bits(jax.random.key(3))
    assert bits(as_key(3)) != bits(as_key(4))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_is_reproducible_and_is_advanced(make):
    first, second = make(0), make(0)
    one, two = as_key(first), as_key(first)
    assert bits(one) != bits(two)
    assert [bits(as_key(second)), bits(as_key(second))] == [bits(one), bits(two)]


def test_a_key_is_taken_as_it_is_old_and_new():
    assert bits(as_key(jax.random.key(5))) == bits(jax.random.key(5))
    assert bits(as_key(jax.random.PRNGKey(5))) == bits(jax.random.key(5))
    assert as_seed(jax.random.key(5)) == as_seed(jax.random.PRNGKey(5))


def test_none_is_fresh_entropy():
    assert bits(as_key()) != bits(as_key(None))


def test_seeds_are_32_bit_and_non_negative():
    sources = [None, 7, 2**40 + 7, np.random.default_rng(1), np.random.RandomState(1), jax.random.key(1)]
    seeds = [as_seed(s) for s in sources]
    assert all(isinstance(s, int) and 0 <= s < 2**32 for s in seeds)


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", True, np.arange(3), jax.random.split(jax.random.key(0)), jnp.ones(2)])
def test_anything_else_is_refused(bad):
    with pytest.raises(InputError, match="is not a seed"):
        as_key(bad)
