"""What was known at a version of the history."""

from functools import partial

import numpy as np

from credo.decide.storage import TrialRecord
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known, known_at, rows_of
from credo.represent.space import Real, Space

SPACE = Space({"x": Real(0, 10)})
ENCODED = partial(rows_of, SPACE)
HISTORY = [
    TrialRecord(0, {"x": 1.0}, "done", values=(5.0, 1.0), born=1, version=3),
    TrialRecord(1, {"x": 2.0}, "failed", born=2, version=4),
    TrialRecord(2, {"x": 4.0}, "done", values=(7.0, 3.0), born=5, version=7),
    TrialRecord(3, {"x": 8.0}, "running", born=6, version=6),
]


def test_a_version_hides_what_came_later():
    goal = Goal.of("maximize", ["c <= 2"])
    early = known_at(goal, HISTORY, 3, ENCODED)
    assert (early.rows.tolist(), early.failed.tolist(), early.pending.tolist()) == ([[0.1]], [], [[0.2]])
    late = known_at(goal, HISTORY, 7, ENCODED)
    assert late.values.tolist() == [[-5.0], [-7.0]]
    assert late.met.tolist() == [True, False]
    assert late.failed.tolist() == [[0.2]]
    assert late.pending.tolist() == [[0.8]]
    assert (late.numbers, late.pending_numbers) == ((0, 2), (3,))
    assert sorted(late.taken[:, 0].tolist()) == [0.1, 0.2, 0.4, 0.8]
    assert known_at(goal, HISTORY, 0, ENCODED).values.shape == (0, 1)


def test_what_is_not_given_is_empty():
    known = Known.of(np.ones((3, 2)), np.arange(3.0))
    assert known.values.shape == (3, 1)
    assert known.pending.shape == (0, 2)
    assert np.all(known.met)
