"""Constraints: the map is one to one, its Jacobian is autodiff's, and what lies outside is named."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import InputError, UndefinedError
from credo.numerics import (
    Bounded,
    Constraint,
    Extended,
    Fixed,
    Nonnegative,
    Positive,
    PositiveDefinite,
    Probability,
    Real,
    Simplex,
    Whole,
)


def lower_triangle(K):
    rows, columns = np.tril_indices(K.shape[-1])
    return K[..., rows, columns].ravel()


# Each constraint with the shape of its free coordinates and the independent entries of its value.
FREE = {
    "Real": (Real(), (3,), jnp.ravel),
    "Positive": (Positive(), (3,), jnp.ravel),
    "Bounded": (Bounded(low=-2.0, high=5.0), (2, 2), jnp.ravel),
    "Bounded by arrays": (Bounded(low=[0.0, 1.0, -3.0], high=[1.0, 4.0, 9.0]), (2, 3), jnp.ravel),
    "Probability": (Probability(), (3,), jnp.ravel),
    "Simplex": (Simplex(), (2, 3), lambda x: x[..., :-1].ravel()),
    "PositiveDefinite": (PositiveDefinite(), (6,), lower_triangle),
    "PositiveDefinite batch": (PositiveDefinite(), (2, 3), lower_triangle),
}
HELD = [Fixed(), Extended(), Nonnegative(), Whole()]


@pytest.mark.parametrize("name", FREE)
def test_free_coordinates_go_there_and_back(name):
    constraint, shape, _ = FREE[name]
    there, back = jax.jit(constraint.from_free), jax.jit(constraint.to_free)

    @given(st.integers(0, 2**31))
    def check(seed):
        u = 2.0 * np.random.default_rng(seed).standard_normal(shape)
        x = there(u)
        assert np.all(constraint.contains(x))
        np.testing.assert_allclose(back(x), u, rtol=1e-8, atol=1e-8)

    check()


@pytest.mark.parametrize("name", FREE)
def test_log_jacobian_is_the_log_determinant_of_the_map(name):
    constraint, shape, entries = FREE[name]
    u = np.random.default_rng(3).standard_normal(shape)
    flat = lambda v: entries(constraint.from_free(v.reshape(shape)))  # noqa: E731
    jacobian, claimed = jax.jit(lambda v: (jax.jacobian(flat)(v), constraint.log_jacobian(v.reshape(shape))))(u.ravel())
    _, log_det = np.linalg.slogdet(jacobian)
    np.testing.assert_allclose(claimed, log_det, rtol=1e-10, atol=1e-12)


def test_log_jacobian_of_the_simplex_survives_the_corner():
    assert np.isfinite(Simplex().log_jacobian(jnp.array([-2000.0, 0.0])))


@pytest.mark.parametrize(
    ("constraint", "inside", "outside"),
    [
        (Real(), [0.0, -1e300], [np.nan, np.inf]),
        (Positive(), [1e-300, 5.0], [0.0, -1.0, np.nan, np.inf]),
        (Bounded(low=-1.0, high=2.0), [-0.999, 1.999], [-1.0, 2.0, np.nan]),
        (Probability(), [0.0, 0.5, 1.0], [-1e-9, 1.0 + 1e-9, np.nan]),
        (Fixed(), [0.0, -3.0], [np.nan, np.inf]),
        (Extended(), [-np.inf, 0.0, np.inf], [np.nan]),
        (Nonnegative(), [0.0, 0.5], [-1.0, np.nan, np.inf]),
        (Whole(), [0.0, 7.0], [-1.0, 0.5, np.nan, np.inf]),
    ],
)
def test_contains_entry_by_entry(constraint, inside, outside):
    assert np.all(constraint.contains(np.array(inside)))
    assert not np.any(constraint.contains(np.array(outside)))
    assert constraint.words()


def test_contains_of_vectors_and_matrices():
    simplex = np.array([[0.2, 0.8], [0.0, 1.0], [0.5, 0.6], [-0.1, 1.1], [np.nan, 1.0]])
    assert Simplex().contains(simplex).tolist() == [True, True, False, False, False]
    good, indefinite = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])
    definite = PositiveDefinite()
    assert definite.contains(np.stack([good, indefinite])).tolist() == [True, False]
    assert np.all(definite.contains(np.stack([good, good])))
    assert not np.any(definite.contains(np.array([[1.0, 0.5], [0.0, 1.0]])))
    assert not np.any(definite.contains(np.full((2, 2), np.nan)))
    assert not np.any(definite.contains(np.ones((2, 3))))
    assert not np.any(definite.contains(np.ones((2, 2))))


@pytest.mark.parametrize("held", HELD)
def test_held_parameters_have_no_free_coordinates(held):
    assert not held.is_free
    assert held.to_free(jnp.ones(3)).size == 0
    assert float(held.log_jacobian(jnp.zeros(0))) == 0.0
    with pytest.raises(UndefinedError, match="no free coordinates"):
        held.from_free(jnp.zeros(0))


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0), (0.0, np.inf), ([0.0, 3.0], [1.0, 2.0])]
)
def test_bounds_that_hold_nothing_are_refused(low, high):
    with pytest.raises(InputError, match="Bounded: low="):
        Bounded(low=low, high=high)


def test_words_name_the_bounds():
    assert Bounded(low=-1.0, high=2.5).words() == "between -1 and 2.5"
    assert Bounded(low=[0.0, 1.0], high=3.0).words() == "between (0.0, 1.0) and 3"


def test_constraints_are_abstract_hashable_and_static():
    with pytest.raises(TypeError, match="abstract"):
        Constraint()
    one, two = Bounded(low=np.array([0.0, 1.0]), high=3.0), Bounded(low=[0.0, 1.0], high=3.0)
    assert jax.tree.structure(one) == jax.tree.structure(two)
    assert jax.tree.leaves(one) == []
