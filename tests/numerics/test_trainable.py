"""A module of another library with its weights as parameters."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import credo
from credo.beliefs import Normal
from credo.errors import FileError, InputError
from credo.kernels import RBF
from credo.numerics import Fixed, Real, Trainable, flatten, log_prior

NET = eqx.nn.MLP(2, 1, 3, 1, activation=jnp.tanh, key=jax.random.key(0))
ROW = jnp.array([0.3, -0.7])


def test_calls_the_module_with_the_weights_that_it_had():
    net = Trainable(NET)
    np.testing.assert_array_equal(net(ROW), NET(ROW))
    assert net.weights.shape == (2 * 3 + 3 + 3 + 1,)
    assert net.weights.dtype == jnp.float64
    leaves = zip(jax.tree.leaves(net.module), jax.tree.leaves(NET), strict=True)
    assert all(np.array_equal(mine, given) for mine, given in leaves if eqx.is_array(given))


def test_flatten_finds_the_weights_and_gradients_flow():
    vector, rebuild, *_ = flatten(Trainable(NET))
    assert vector.size == 13
    step = 1e-4 * np.random.default_rng(0).normal(size=13)

    @jax.jit
    def both(vector):
        output = lambda u: rebuild(u)(ROW)[0]  # noqa: E731
        return jax.grad(output)(vector), output(vector + step) - output(vector - step)

    gradient, change = both(vector)
    np.testing.assert_allclose(change, 2.0 * gradient @ step, rtol=1e-6)
    copies = jax.tree.leaves(eqx.filter(rebuild(vector).template, eqx.is_array))
    assert not any(np.any(leaf) for leaf in copies), "a second copy of the weights"


def test_the_network_keeps_its_own_precision():
    half = jax.tree.map(lambda leaf: leaf.astype(jnp.float32) if eqx.is_inexact_array(leaf) else leaf, NET)
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(eqx.filter(Trainable(half).module, eqx.is_array)))


def test_a_constraint_takes_the_weights_as_its_value():
    free = Trainable(NET, weights=Real(prior=Normal(0.0, 2.0)))
    expected = jnp.sum(Normal(0.0, 2.0).log_prob(free.weights))
    np.testing.assert_allclose(log_prior(free), expected)
    assert flatten(Trainable(NET, weights=Fixed())).vector.size == 0
    given = Trainable(NET, weights=np.arange(13.0))
    np.testing.assert_array_equal(given.weights, np.arange(13.0))
    np.testing.assert_array_equal(dataclasses.replace(given, weights=np.zeros(13)).module.layers[0].bias, 0.0)


def test_what_is_refused():
    with pytest.raises(InputError, match="Dropout has no floating arrays"):
        Trainable(eqx.nn.Dropout(0.5))
    with pytest.raises(InputError, match="RBF declares parameters of its own"):
        Trainable(RBF())
    with pytest.raises(InputError, match=r"weights have shape \(2,\), but the module has 13 numbers"):
        Trainable(NET, weights=np.zeros(2))


def test_a_file_holds_no_module_of_another_library(tmp_path):
    with pytest.raises(FileError, match=r"Trainable\.template"):
        credo.save(Trainable(NET), tmp_path / "net")
