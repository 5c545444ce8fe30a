"""A batch as a whole gains at least what one-at-a-time choices do."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions.batch import BatchLogExpectedImprovement, batches_evaluated
from credo.decide.acquisitions.normals import even_normals
from credo.decide.study.goal import Goal
from credo.decide.study.joint import _one_after_the_other, joint_batch
from credo.decide.study.known import Known
from credo.decide.study.prepare import prepare
from credo.decide.study.setup import Setup
from credo.represent.space import Integer, Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})


def prepared(space, rows):
    known = Known.of(rows, np.sin(5.0 * rows[:, 0]) + rows[:, 1] ** 2)
    setup = Setup(space, Goal.of("minimize"), "qlog_ei")
    return prepare(setup, known, np.random.default_rng(0)), known


def test_is_no_worse_than_one_after_the_other():
    what, known = prepared(BOX, BOX.sample_rows(10, 0))
    normals = jnp.asarray(even_normals(1024, 3, 5))
    gain = BatchLogExpectedImprovement(what.situation.surface, jnp.asarray(what.situation.best), normals)
    joint = joint_batch(what, known, 3, np.random.default_rng(1))
    greedy = _one_after_the_other(what, known, 3, np.random.default_rng(1))
    values = batches_evaluated(gain, np.stack([joint, greedy]))
    assert values[0] > values[1] - 0.05
    assert len(np.unique(joint, axis=0)) == 3


def test_in_a_finite_space_nothing_comes_twice():
    space = Space({"m": Integer(1, 4), "n": Integer(1, 3)})
    rows = np.unique(space.sample_rows(40, 0), axis=0)[:7]
    what, known = prepared(space, rows)
    joint = joint_batch(what, known, 4, np.random.default_rng(0))
    assert len(np.unique(np.concatenate([rows, joint]), axis=0)) == 11


BRANIN = Space({"x": Real(-5, 10), "y": Real(0, 15)})
TWELVE = [[0.286, 0.163], [0.582, 0.938], [0.838, 0.323], [0.044, 0.543], [1.0, 0.45], [0.507, 0.347]]
TWELVE += [[0.989, 0.0], [1.0, 0.199], [0.577, 0.0], [0.769, 0.0], [0.577, 0.187], [0.0, 0.0]]


def branin(rows):
    x, y = 15.0 * rows[:, 0] - 5.0, 15.0 * rows[:, 1]
    bend = y - 5.1 / (4.0 * np.pi**2) * x**2 + 5.0 / np.pi * x - 6.0
    return bend**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0


@pytest.mark.parametrize("seed", [1, 3])
def test_a_batch_in_a_corner_of_branin_has_four_settings(seed):
    """The belief has a little noise, and the largest gain is in a corner, where a start of the batch cannot move."""
    known, generator = Known.of(np.array(TWELVE), branin(np.array(TWELVE))), np.random.default_rng(seed)
    what = prepare(Setup(BRANIN, Goal.of("minimize"), "qlog_ei"), known, generator)
    batch = joint_batch(what, known, 4, generator)
    distances = np.max(np.abs(batch[:, None] - batch), axis=2)
    assert np.min(distances[np.triu_indices(4, 1)]) > 0.05
