"""The process that NumPy finds: JAX's at its parameters, smoother where there is noise, choices that add."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions.maximize import moments_at
from credo.decide.study.columns import in_units
from credo.decide.study.quick_surrogate import learn_quickly, searched_rows
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.posterior import condition, marginal_block
from credo.infer.gaussian.quick_mode import Evidence
from credo.kernels import RBF, Matern52
from credo.kernels.algebra import Sum
from credo.represent.space import Choice, Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
MIXED = Space({"a": Real(0, 1), "kind": Choice("x", "y", "z"), "b": Real(0, 1)})


def learnt(space, rows, values):
    return learn_quickly(space, in_units(space, rows), values, None, 1, 0)


@pytest.mark.parametrize("space", [BOX, MIXED, Space({"kind": Choice("x", "y", "z")})])
def test_is_what_jax_makes_of_the_same_parameters(space):
    rows = space.sample_rows(20, 0)
    values = np.sin(5.0 * rows[:, 0]) + 0.3 * rows[:, -1]
    surface = learnt(space, rows, values).surface
    data, _ = observations(in_units(space, rows), values)
    plain = condition(surface.posterior.process, data)
    new = space.sample_rows(8, 1)
    wanted = marginal_block(plain, jnp.asarray(in_units(space, new)))
    found = moments_at(surface, new)
    np.testing.assert_allclose([part[:, 0] for part in found], wanted, rtol=1e-6, atol=1e-8)


def test_the_kernel_is_smoother_where_there_is_noise_and_the_function_is():
    rng = np.random.default_rng(0)
    rows = BOX.sample_rows(60, 0)
    smooth = np.sin(3.0 * rows[:, 0]) + np.cos(2.0 * rows[:, 1])
    noisy = learnt(BOX, rows, smooth + 0.2 * rng.normal(size=60)).surface
    assert isinstance(noisy.posterior.process.kernel.terms[0], RBF)
    sure = learnt(BOX, rows, np.abs(rows[:, 0] - 0.4) + np.abs(rows[:, 1] - 0.6)).surface
    assert isinstance(sure.posterior.process.kernel.terms[0], Matern52)


def test_choices_that_add_something_are_learnt_from_few_trials():
    """Of 24 rows each choice has eight; what they share is learnt from all."""

    def truth(rows):
        return np.sin(6.0 * rows[:, 0]) + np.cos(5.0 * rows[:, 2]) + np.array([0.0, 2.0, -1.0])[rows[:, 1].astype(int)]

    rows, new = MIXED.sample_rows(24, 0), MIXED.sample_rows(64, 1)
    surface = learnt(MIXED, rows, truth(rows)).surface
    assert isinstance(surface.posterior.process.kernel, Sum)
    error = moments_at(surface, new)[0][:, 0] - truth(new)
    assert np.sqrt(np.mean(error**2)) < 0.2 * np.std(truth(new))


def test_many_rows_cost_no_more_evaluations_than_some(monkeypatch):
    """The search is on as many rows with 1000 as with 1100; the belief is from all of them."""
    rows = BOX.sample_rows(1100, 0)
    values = np.sin(5.0 * rows[:, 0]) + 0.3 * rows[:, 1]
    values += 0.01 * np.random.default_rng(0).normal(size=1100)
    work, evaluated = [], Evidence.__call__
    monkeypatch.setattr(Evidence, "__call__", lambda self, logs: work.append(len(self.y)) or evaluated(self, logs))
    cost = []
    for n in (1000, 1100):
        work.clear()
        surface = learnt(BOX, rows[:n], values[:n]).surface
        cost.append(sum(size**3 for size in work))
        assert int(np.sum(np.asarray(surface.posterior.data.weights))) == n
    assert cost[1] < 1.5 * cost[0]
    new = BOX.sample_rows(50, 1)
    mean, variance = (part[:, 0] for part in moments_at(surface, new))
    assert np.max(np.abs(mean - np.sin(5.0 * new[:, 0]) - 0.3 * new[:, 1])) < 0.05
    assert np.max(variance) < 0.01**2


def test_parameters_of_many_rows_are_those_of_all(monkeypatch):
    rows = BOX.sample_rows(300, 0)
    values = np.sin(5.0 * rows[:, 0]) + 0.3 * rows[:, 1] + 0.1 * np.random.default_rng(0).normal(size=300)
    whole = learnt(BOX, rows, values).parameters
    monkeypatch.setattr("credo.decide.study.quick_surrogate._SEARCHED", 150)
    np.testing.assert_allclose(learnt(BOX, rows, values).parameters, whole, atol=0.7)


def test_one_row_more_hardly_changes_which_are_searched():
    before, after = (set(searched_rows(n).tolist()) for n in (1500, 1501))
    assert len(before - after) <= 1
    assert len(after) == len(before)
