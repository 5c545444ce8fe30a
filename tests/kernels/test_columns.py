"""The sentences about columns that do not fit."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import ArcCosine, Brownian, Matern52
from credo.kernels.columns import require_indices, require_one_column, require_one_each, rows_named


def sentence(function, *arguments):
    with pytest.raises(InputError) as raised:
        function(*arguments)
    return str(raised.value)


def test_a_length_scale_a_column():
    said = sentence(require_one_each, Matern52(lengthscale=np.ones(8)), "lengthscale", 41, "GPRegressor")
    assert said == (
        "GPRegressor: X has 41 columns, but the kernel was given 8 length-scales. A length-scale per column was"
        " probably meant. Try kernel=Matern52(lengthscale=np.ones(41)), or leave it out."
    )


def test_other_parameters_by_their_name_and_other_shapes_by_their_shape():
    kernel = ArcCosine(weight_variance=np.ones((2, 2)))
    said = sentence(require_one_each, kernel, "weight_variance", 2, "ArcCosine")
    assert "given weight variances of shape (2, 2)" in said
    assert "ArcCosine(weight_variance=np.ones(2))" in said


def test_one_for_all_or_one_each_is_accepted():
    require_one_each(Matern52(lengthscale=0.5), "lengthscale", 41, "GPRegressor")
    require_one_each(Matern52(lengthscale=np.ones(41)), "lengthscale", 41, "GPRegressor")
    require_one_column(Brownian(), 1, "GPRegressor", "time")


def test_one_column():
    said = sentence(require_one_column, Brownian(), 3, "GPRegressor", "time")
    assert said.startswith("GPRegressor: X has 3 columns, but Brownian is on one, time.")
    assert said.endswith("Try On(Brownian(...), [0]).")


def test_rows_by_their_number():
    table = np.array([[1.0, 2.0], [3.0, 4.0]])
    named = rows_named(jnp.asarray(table), jnp.asarray([[1.0], [0.0], [2.0], [-1.0], [0.5]]))
    np.testing.assert_array_equal(named[:2], table[[1, 0]])
    assert np.all(np.isnan(named[2:]))


def test_a_number_that_names_nothing():
    require_indices(jnp.array([[0.0], [4.0]]), 5, "GP", "node", "a graph of 5")
    said = sentence(require_indices, jnp.array([[0.0], [5.0]]), 5, "GP", "node", "a graph of 5")
    assert said == ("GP: 5 is no node of a graph of 5. Nodes are counted from zero. Pass whole numbers from 0 to 4.")
