"""Records: what was finished and pending at a version; frozen and picklable."""

import dataclasses
import pickle

import pytest

from credo.decide.storage import Counts, Evidence, StudyRecord, TrialRecord


@pytest.mark.parametrize(
    ("state", "born", "version", "finished_at", "pending_at"),
    [
        ("done", 2, 5, {5, 6}, {2, 3, 4}),
        ("failed", 2, 2, {2, 3, 4, 5, 6}, set()),
        ("running", 2, 5, set(), {2, 3, 4, 5, 6}),
        ("waiting", 4, 4, set(), {4, 5, 6}),
    ],
)
def test_a_trial_is_unborn_then_pending_then_finished(state, born, version, finished_at, pending_at):
    trial = TrialRecord(0, {}, state, born=born, version=version)
    assert {v for v in range(1, 7) if trial.finished_by(v)} == finished_at
    assert {v for v in range(1, 7) if trial.pending_at(v)} == pending_at


@pytest.mark.parametrize(
    "record",
    [
        StudyRecord(1, "a", {"x": [1]}, 0.5),
        TrialRecord(3, {"x": 1}, "done", (0.1,), {"kind": "explore"}, 7, 1),
        Evidence(3, 1, None, 2.0, "late"),
    ],
)
def test_records_are_frozen_and_go_to_other_processes(record):
    assert pickle.loads(pickle.dumps(record)) == record
    field = dataclasses.fields(record)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, field, None)


def test_counts_add_up():
    assert Counts(waiting=1, running=2, done=3, failed=4).total == 10
