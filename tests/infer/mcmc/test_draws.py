"""Draws: shapes, moments against NumPy, and what is refused."""

import jax.numpy as jnp
import numpy as np
import pytest

import credo
from credo.errors import InputError
from credo.infer import Draws


@pytest.fixture
def values():
    return np.random.default_rng(0).normal(size=(3, 10, 2)) * [1.0, 5.0] + [0.0, 100.0]


@pytest.fixture
def draws(values):
    return Draws(values, np.zeros((3, 10)), ("a", "b"))


def test_moments_are_those_of_all_draws_together(draws, values):
    together = np.concatenate(list(values))
    np.testing.assert_array_equal(draws.flat, together)
    np.testing.assert_allclose(draws.mean, together.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(draws.std**2, np.diagonal(np.cov(together.T)), rtol=1e-13)
    assert (draws.n_chains, draws.n_draws) == (3, 10)


def test_labels(draws, values):
    assert draws.label(1) == "b"
    assert Draws(values, np.zeros((3, 10))).label(1) == "1"


@pytest.mark.parametrize("count", [1, 2, 3, 7, 29, 30])
def test_thinning_takes_distinct_draws_of_every_chain_alike(draws, count):
    thinned = draws.thin(count)
    rows = [np.flatnonzero(np.all(np.asarray(draws.flat) == row, axis=1)).item() for row in np.asarray(thinned)]
    assert len(set(rows)) == count
    assert rows == sorted(rows)
    of_each_chain = np.bincount(np.array(rows) // 10, minlength=3)
    assert of_each_chain.max() - of_each_chain.min() <= 1


@pytest.mark.parametrize("count", [0, 31])
def test_thinning_to_nothing_or_to_more_is_refused(draws, count):
    with pytest.raises(InputError, match="of 30 draws"):
        draws.thin(count)


def test_belief_has_the_moments_of_the_draws(draws):
    belief = draws.belief()
    assert belief.event_shape == (2,)
    np.testing.assert_allclose(belief.mean, draws.mean, rtol=1e-13)
    np.testing.assert_allclose(belief.variance * 30 / 29, draws.std**2, rtol=1e-12)


@pytest.mark.parametrize(
    ("values", "densities"),
    [((3, 10), (3, 10)), ((3, 10, 2), (3,)), ((3, 10, 2), (10, 3)), ((3, 0, 2), (3, 0))],
    ids=["no chains", "no draws", "swapped", "empty"],
)
def test_shapes_that_do_not_fit_are_refused(values, densities):
    with pytest.raises(Exception, match=r"shape|chains|draws"):  # the checker of annotations may speak first
        Draws(jnp.zeros(values), jnp.zeros(densities))


def test_names_that_do_not_fit_are_refused(values):
    with pytest.raises(InputError, match="1 names for 2 coordinates"):
        Draws(values, np.zeros((3, 10)), ("a",))


def test_saved_and_loaded(draws, tmp_path):
    credo.save(draws, tmp_path / "draws.credo")
    again = credo.load(tmp_path / "draws.credo")
    np.testing.assert_array_equal(again.values, draws.values)
    assert again.names == ("a", "b")
