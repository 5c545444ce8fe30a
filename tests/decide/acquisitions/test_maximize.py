"""The largest acquisition against a fine grid, with constraints, in mixed and in finite spaces."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import LogExpectedImprovement, maximize_acquisition, surface_of
from credo.decide.acquisitions.composed import PerCost
from credo.decide.acquisitions.improvement import Acquisition
from credo.decide.acquisitions.maximize import evaluated
from credo.decide.study.surrogate import learn_objective
from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space
from small_process import fitted, measured

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})


class Hill(Acquisition):
    """Highest at a place, with slopes a column."""

    top: jnp.ndarray

    def __call__(self, X):
        return -jnp.sum((X - self.top) ** 2, axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_finds_what_a_fine_grid_finds(seed):
    X, y = measured(seed=seed)
    gain = LogExpectedImprovement(surface_of(fitted(X, y)), jnp.asarray([np.min(y)]))
    found = maximize_acquisition(gain, BOX, np.random.default_rng(seed), near=X[np.argsort(y)[:2]])
    side = np.linspace(0.0, 1.0, 101)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    assert found.value >= float(np.max(gain(jnp.asarray(grid)))) - 1e-3
    assert found.value == pytest.approx(float(gain(jnp.asarray(found.row[None]))[0]))


def test_the_same_generator_finds_the_same():
    hill = Hill(jnp.asarray([0.3, 0.6]))
    a, b = (maximize_acquisition(hill, BOX, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(a.row, b.row)
    np.testing.assert_allclose(a.row, [0.3, 0.6], atol=1e-2)


def test_stays_where_it_is_allowed():
    space = Space({"a": Real(0, 1), "b": Real(0, 1)}, constraints=["a + b <= 1"])
    found = maximize_acquisition(Hill(jnp.asarray([0.9, 0.9])), space, np.random.default_rng(0))
    assert np.sum(found.row) <= 1.0 + 1e-9
    np.testing.assert_allclose(found.row, [0.5, 0.5], atol=0.06)


def test_discrete_columns_are_stepped_and_continuous_ones_climbed():
    space = Space({"a": Real(0, 1), "n": Integer(0, 10), "kind": Choice("x", "y", "z")})
    found = maximize_acquisition(Hill(jnp.asarray([0.37, 0.72, 2.0])), space, np.random.default_rng(0))
    assert space.decode(found.row[None])[0] == {"a": pytest.approx(0.37, abs=0.02), "n": 7, "kind": "z"}


def test_no_point_of_a_finite_space_is_suggested_twice():
    space = Space({"n": Integer(1, 4), "kind": Choice("x", "y", "z")})
    hill, taken = Hill(jnp.asarray([0.4, 1.0])), np.empty((0, 2))
    for _ in range(12):
        found = maximize_acquisition(hill, space, np.random.default_rng(0), taken=taken)
        taken = np.concatenate([taken, found.row[None]])
    assert len({tuple(point.values()) for point in space.decode(taken)}) == 12
    with pytest.raises(InputError, match="all 12 points"):
        maximize_acquisition(hill, space, np.random.default_rng(0), taken=taken)


def test_held_columns_stay():
    space = Space({"a": Real(0, 1), "b": Real(0, 1)}).fixed({"b": 0.25})
    found = maximize_acquisition(Hill(jnp.asarray([0.9, 0.9])), space, np.random.default_rng(0))
    np.testing.assert_allclose(found.row, [0.9, 0.25], atol=1e-2)


@pytest.mark.parametrize("quick", [True, False])
def test_shares_that_sum_to_one_are_climbed(quick):
    """The largest expected improvement over a triangle, against a fine grid of it; also where it is on an edge."""
    space = Space({name: Real(0, 1) for name in "abc"}, ["a + b + c == 1"])
    rows = space.sample_rows(12, 0)
    surface = learn_objective(space, rows, np.sum((rows - [0.55, 0.0, 0.45]) ** 2, axis=1), restarts=1).surface
    gain = LogExpectedImprovement(surface, jnp.asarray([-1.2]))
    acquisition = gain if quick else PerCost(gain, surface)
    found = maximize_acquisition(acquisition, space, np.random.default_rng(0), near=rows[:1], candidates=32, starts=4)
    assert np.sum(found.row) == pytest.approx(1.0)
    a, b = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101))
    grid = np.stack([a, b, 1.0 - a - b], axis=-1).reshape(-1, 3)
    grid = grid[grid[:, 2] >= 0.0]
    assert found.value >= np.max(evaluated(acquisition, grid)) - 0.02
