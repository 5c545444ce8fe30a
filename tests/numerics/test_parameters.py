"""Parameters of modules: to one vector and back to the last bit, with priors, Jacobians and gradients."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import Array
from scipy import stats

from credo.beliefs import Normal
from credo.errors import InputError
from credo.numerics import (
    Bounded,
    Fixed,
    Parameterized,
    Positive,
    PositiveDefinite,
    Real,
    Simplex,
    constraint_of,
    declared_parameters,
    flatten,
    log_prior,
    parameter,
    parameters,
)
from credo.numerics.parameters import free_constraints


class Leaf(Parameterized):
    scale: Array = parameter(Positive(prior=Normal(0.0, 2.0)))
    position: Array = parameter(Bounded(low=-1.0, high=1.0), default=0.25)


class Wide(Parameterized):
    weights: Array = parameter(Simplex(), event_ndim=1)
    covariance: Array = parameter(PositiveDefinite(), event_ndim=2)


class Plain(eqx.Module):
    inner: Leaf
    label: str = eqx.field(static=True)


class Tree(Parameterized):
    shift: Array = parameter(Real())
    wide: Wide
    leaves: list[Leaf]
    named: dict[str, Any]


def make_tree(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    return Tree(
        shift=rng.normal(size=2),
        wide=Wide(rng.dirichlet(np.ones(4)), A @ A.T + 0.1 * np.eye(3)),
        leaves=[Leaf(rng.gamma(1.0)), Leaf(Fixed(rng.gamma(1.0)), rng.uniform(-1, 1))],
        named={"b": Plain(Leaf(rng.gamma(1.0, size=2)), "x"), "a": (Leaf(3.0),)},
    )


PATHS = [
    "shift",
    "wide.weights",
    "wide.covariance",
    "leaves[0].scale",
    "leaves[0].position",
    "leaves[1].scale",
    "leaves[1].position",
    "named['a'][0].scale",
    "named['a'][0].position",
    "named['b'].inner.scale",
    "named['b'].inner.position",
]


@settings(max_examples=10)
@given(st.integers(0, 2**31))
def test_round_trip_is_exact_to_the_last_bit(seed):
    tree = make_tree(seed)
    vector, rebuild, *_ = flatten(tree)
    back = rebuild(vector)
    assert jax.tree.structure(back) == jax.tree.structure(tree)
    for mine, theirs in zip(jax.tree.leaves(back), jax.tree.leaves(tree), strict=True):
        assert np.asarray(mine).tobytes() == np.asarray(theirs).tobytes()


def test_paths_names_and_what_is_left_out():
    tree = make_tree(0)
    assert list(parameters(tree)) == PATHS
    flat = flatten(tree)
    assert len(flat.names) == flat.vector.size == 2 + 3 + 6 + 2 + 1 + 2 + 3
    assert not any(name.startswith("leaves[1].scale") for name in flat.names)
    assert flat.names[:3] == ("shift[0]", "shift[1]", "wide.weights[0]")
    assert "leaves[0].scale" in flat.names


def test_moved_vectors_move_every_free_parameter_and_stay_inside():
    tree = make_tree(1)
    vector, rebuild, *_ = flatten(tree)
    moved = parameters(eqx.filter_jit(rebuild)(vector + 0.5))
    before = parameters(tree)
    for path in PATHS:
        assert np.array_equal(moved[path], before[path]) == (path == "leaves[1].scale"), path
    np.testing.assert_allclose(moved["leaves[0].scale"], before["leaves[0].scale"] * np.exp(0.5), rtol=1e-14)
    np.testing.assert_allclose(moved["wide.weights"].sum(), 1.0, rtol=1e-14)
    assert np.linalg.eigvalsh(moved["wide.covariance"])[0] > 0


def test_gradient_through_rebuild_is_right_at_the_start_itself():
    vector, rebuild, *_ = flatten(make_tree(2))

    def total(u):
        values = parameters(rebuild(u)).values()
        return sum(jnp.sum(jnp.sin(v)) for v in values)

    total = jax.jit(total)
    steps = 1e-6 * np.eye(vector.size)
    numeric = np.array([(total(vector + h) - total(vector - h)) / 2e-6 for h in steps])
    np.testing.assert_allclose(jax.jit(jax.grad(total))(vector), numeric, rtol=1e-6, atol=1e-8)


def test_log_jacobian_is_the_sum_over_parameters():
    leaf = Leaf(np.array([0.5, 2.0]), 0.25)
    vector, _, log_jacobian, _ = flatten(leaf)
    exact = np.log(0.5) + np.log(2.0) + np.log((0.25 + 1.0) * (1.0 - 0.25) / 2.0)
    np.testing.assert_allclose(log_jacobian(vector), exact, rtol=1e-14)


def test_priors_are_declared_overridden_and_summed():
    declared = Leaf(np.array([0.5, 2.0]))
    by_hand = stats.norm.logpdf([0.5, 2.0], 0.0, 2.0).sum()
    np.testing.assert_allclose(log_prior(declared), by_hand, rtol=1e-13)
    overridden = Leaf(Positive(0.5, prior=Normal(1.0, 0.1)), Bounded(0.1, low=0.0, high=0.5, prior=Normal(0.0, 1.0)))
    by_hand = stats.norm.logpdf(0.5, 1.0, 0.1) + stats.norm.logpdf(0.1)
    np.testing.assert_allclose(log_prior(overridden), by_hand, rtol=1e-13)
    nested = [declared, {"x": overridden}]
    np.testing.assert_allclose(log_prior(nested), log_prior(declared) + log_prior(overridden), rtol=1e-13)
    assert float(log_prior(Leaf(Fixed(0.5, prior=Normal(0.0, 1.0))))) == 0.0


def test_overrides_replace_the_constraint_of_one_instance_only():
    bound = Leaf(Bounded(0.2, low=0.1, high=0.3))
    assert isinstance(constraint_of(bound, "scale"), Bounded)
    assert constraint_of(bound, "scale").value is None
    assert isinstance(constraint_of(Leaf(0.2), "scale"), Positive)
    vector, rebuild, *_ = flatten(bound)
    assert 0.1 < float(rebuild(vector + 100.0).scale) <= 0.3
    assert float(bound.scale) == 0.2


def test_a_module_with_nothing_free_has_an_empty_vector():
    held = Leaf(Fixed(1.0), Fixed(0.0))
    vector, rebuild, log_jacobian, names = flatten(held)
    assert vector.shape == (0,)
    assert names == ()
    assert rebuild(vector) is held
    assert float(log_jacobian(vector)) == 0.0


def test_one_array_in_two_places_is_two_parameters():
    shared = jnp.asarray(0.5)
    vector, rebuild, *_ = flatten(Leaf(shared, shared))
    moved = rebuild(vector.at[0].add(1.0))
    np.testing.assert_allclose([moved.scale, moved.position], [0.5 * np.e, 0.5], rtol=1e-14)


def test_declared_parameters_and_float64():
    assert declared_parameters(Wide) == {"weights": 1, "covariance": 2}
    assert Leaf(np.float32(1.0)).scale.dtype == jnp.float64
    assert Leaf(2).scale.dtype == jnp.float64


def test_modules_pass_through_jit_and_vmap_without_checks():
    doubled = jax.vmap(lambda s: Leaf(s).scale * 2.0)(jnp.array([1.0, -1.0]))
    assert doubled.tolist() == [2.0, -2.0]


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda: Leaf(-1.0), r"Leaf: scale is -1\.?0?, but must be positive and finite"),
        (lambda: Leaf(np.nan), "scale is nan"),
        (lambda: Leaf(1.0, 2.0), "position is 2.*between -1 and 1"),
        (lambda: Leaf(Fixed(-1.0)), "positive and finite"),
        (lambda: Leaf(Bounded(5.0, low=0.0, high=1.0)), "between 0 and 1"),
        (lambda: Leaf(Positive()), r"scale=Positive\(\) has no value"),
        (lambda: Leaf("wide"), "scale is 'wide', which is not numeric"),
        (lambda: constraint_of(Leaf(1.0), "scael"), "Its parameters are: scale, position"),
        (lambda: flatten(Wide(np.array([0.0, 1.0]), np.eye(2))), "weights is .*no finite free coordinates"),
    ],
)
def test_bad_values_get_the_name_the_value_and_the_remedy(build, match):
    with pytest.raises(InputError, match=match):
        build()


def test_every_free_entry_has_its_constraint():
    tree = make_tree(0)
    found = free_constraints(tree)
    assert tuple(found) == flatten(tree).names
    kinds = {"shift[0]": Real, "wide.weights[0]": Simplex, "leaves[0].scale": Positive, "leaves[0].position": Bounded}
    assert all(type(found[name]) is kind for name, kind in kinds.items())
    assert list(free_constraints(Leaf(Fixed(2.0)))) == ["position"]
