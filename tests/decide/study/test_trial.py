"""A trial says what is stored of it."""

from credo.decide.storage import TrialRecord
from credo.decide.study.trial import Trial


def test_from_a_record():
    done = Trial.of(TrialRecord(3, {"x": 1}, "done", values=(2.5,), why={"reason": "start"}, token=2), {"x": 1})
    assert (done.number, done.value, done.state, done.token, done.why.reason) == (3, 2.5, "done", 2, "start")
    assert Trial.of(TrialRecord(0, {}, "running"), {}).why.reason == "queued"
    assert Trial.of(TrialRecord(0, {}, "failed"), {}).why.reason == "given"
    assert Trial.of(TrialRecord(0, {}, "failed"), {}).value is None
