"""The rules of tokens and answers, as a table."""

import pytest

from credo.decide.storage import Evidence, StudyRecord, TrialRecord
from credo.decide.storage.fencing import judge, lost_lease, missing_study, missing_trial, same_late_answer, too_late
from credo.errors import ConflictError, InputError

STUDY = StudyRecord(1, "reactor", {}, 0.0)
RUNNING = TrialRecord(4, {}, "running", token=2)
DONE = TrialRecord(4, {}, "done", (1.0,), token=2)
FAILED = TrialRecord(4, {}, "failed", token=2)
WAITING = TrialRecord(4, {}, "waiting", token=0)


@pytest.mark.parametrize(
    ("trial", "token", "values", "verdict"),
    [
        (RUNNING, 2, (1.0,), "taken"),
        (RUNNING, 2, None, "taken"),
        (RUNNING, 1, (1.0,), "late"),
        (DONE, 2, (1.0,), "repeated"),
        (DONE, 2, (2.0,), ConflictError),
        (DONE, 2, (1.0, 1.0), ConflictError),
        (DONE, 2, None, ConflictError),
        (DONE, 1, (1.0,), "late"),
        (FAILED, 2, None, "repeated"),
        (FAILED, 2, (1.0,), ConflictError),
        (FAILED, 1, None, "late"),
        (RUNNING, 3, (1.0,), InputError),
        (RUNNING, 0, (1.0,), InputError),
        (WAITING, 0, (1.0,), InputError),
        (WAITING, 1, (1.0,), InputError),
    ],
)
def test_verdicts(trial, token, values, verdict):
    if isinstance(verdict, str):
        assert judge(STUDY, trial, token, values) == verdict
    else:
        with pytest.raises(verdict, match=r"trial 4 of study 'reactor'"):
            judge(STUDY, trial, token, values)


def test_a_late_answer_is_final_for_its_holder():
    kept = Evidence(4, 1, (1.0,), 0.0, "late")
    same_late_answer(STUDY, kept, (1.0,))
    for other in ((2.0,), None):
        with pytest.raises(ConflictError, match=r"told 1\.0 late"):
            same_late_answer(STUDY, kept, other)


def test_the_words_name_the_study_the_trial_and_the_tokens():
    assert "token 1 " in too_late(RUNNING, 1)
    assert "token 2." in too_late(RUNNING, 1)
    assert "has its answer" in str(lost_lease(STUDY, DONE, 2))
    assert "not held by token 1 (now 2)" in str(lost_lease(STUDY, RUNNING, 1))
    assert "'lost'" in str(missing_study("lost"))
    assert "no trial 9" in str(missing_trial(STUDY, 9))
