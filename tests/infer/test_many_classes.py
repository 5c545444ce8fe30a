"""Problems of two sides and their votes, against loops over classes and rows."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from credo.infer import LinearMachine, Machine, joined_scores, pair_scores, two_sided

CODES = np.array([0, 2, 1, 1, 0, 2, 3])


def test_one_class_against_the_rest():
    problems = two_sided(CODES, 4, pairs=False)
    assert [p.positive for p in problems] == [0, 1, 2, 3]
    for problem in problems:
        assert problem.rows.tolist() == list(range(7))
        assert problem.signs.tolist() == [1.0 if code == problem.positive else -1.0 for code in CODES]
        assert problem.named("abcd") == f"{'abcd'[problem.positive]!r} against the rest"


def test_pairs_have_the_rows_of_their_classes():
    problems = two_sided(CODES, 4, pairs=True)
    assert [(p.negative, p.positive) for p in problems] == list(combinations(range(4), 2))
    for problem in problems:
        sides = {-1.0: problem.negative, 1.0: problem.positive}
        assert [sides[sign] for sign in problem.signs] == [c for c in CODES if c in sides.values()]
        assert np.array_equal(CODES[problem.rows], [sides[sign] for sign in problem.signs])
    assert problems[3].named("abcd") == "'c' against 'b'"


def test_two_classes_are_one_problem_either_way():
    for pairs in (False, True):
        (problem,) = two_sided(np.array([1, 0, 1]), 2, pairs=pairs)
        assert problem.signs.tolist() == [1.0, -1.0, 1.0]
        scores = np.array([[0.5], [-2.0]])
        assert joined_scores(scores, 2, pairs=pairs).tolist() == [0.5, -2.0]


DECISIONS = arrays(float, (5, 6), elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e300, -1e300]))


@given(DECISIONS)
def test_votes_are_counted_and_confidence_only_breaks_ties(decisions):
    scores = pair_scores(decisions, 4)
    for row, score in zip(decisions, scores, strict=True):
        votes, said = np.zeros(4), np.zeros(4)
        for value, (i, j) in zip(row, combinations(range(4), 2), strict=True):
            votes[j if value > 0.0 else i] += 1
            said[[i, j]] += [-value, value]
        for a, b in combinations(range(4), 2):
            if votes[a] != votes[b]:
                assert (score[a] > score[b]) == (votes[a] > votes[b])
        np.testing.assert_array_less(np.abs(score - votes), 1 / 3 + 1e-12)
        tied = np.flatnonzero(votes == votes.max())
        if len(tied) > 1 and np.ptp(said[tied]) > 1e-3 and np.max(np.abs(said)) < 1e3:
            assert np.argmax(score) == tied[np.argmax(said[tied])]


def test_a_linear_machine_scores_by_a_plane():
    machine = LinearMachine(np.array([1.0, -2.0]), 0.5)
    assert isinstance(machine, Machine)
    assert machine.decision(np.array([[1.0, 1.0], [0.0, 0.0]])).tolist() == [-0.5, 0.5]
