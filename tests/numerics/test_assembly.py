"""Assembled modules against those that their constructors make."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.kernels import Constant, Matern52
from credo.kernels.algebra import Sum
from credo.numerics.assembly import assembler
from credo.numerics.constraints import Fixed


def build(parts):
    return Sum((Matern52(variance=parts["variance"], lengthscale=parts["lengths"]), Constant(Fixed(2.0))))


def parts_of(variance, *lengths):
    return {"variance": jnp.asarray(variance), "lengths": jnp.asarray(lengths)}


def test_is_what_the_constructors_make_of_other_parts():
    assembled = assembler(build, parts_of(1.0, 1.0, 1.0))
    other = parts_of(0.3, 2.0, 0.5)
    mine, theirs = assembled(other), build(other)
    assert jax.tree.structure(mine) == jax.tree.structure(theirs)
    X = np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_array_equal(np.asarray(mine(X)), np.asarray(theirs(X)))


def test_arrays_may_have_other_shapes():
    assembled = assembler(build, parts_of(1.0, 1.0))
    assert assembled(parts_of(1.0, 1.0, 2.0, 3.0)).terms[0].lengthscale.shape == (3,)


def test_what_changes_an_array_cannot_be_assembled():
    with pytest.raises(AssertionError, match="changed an array"):
        assembler(
            lambda parts: Matern52(variance=2.0 * parts["variance"], lengthscale=parts["lengths"]), parts_of(1.0, 1.0)
        )
