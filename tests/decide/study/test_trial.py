"""A trial says what is stored of it."""

from credo.decide.storage import TrialRecord
from credo.decide.study.trial import Trial


def test_from_a_record():
    record = TrialRecord(3, {"x": 1}, "done", values=(2.5, 7.0), why={"reason": "start"}, token=2)
    done = Trial.of(record, ("yield", "cost"))
    assert (done.number, done.value, done.state, done.token, done.why.reason) == (3, 2.5, "done", 2, "start")
    assert done.values == {"yield": 2.5, "cost": 7.0}
    assert Trial.of(TrialRecord(0, {}, "running")).why.reason == "queued"
    assert Trial.of(TrialRecord(0, {}, "failed")).why.reason == "given"
    assert Trial.of(TrialRecord(0, {}, "failed")).value is None


def test_when_it_was_asked_for_and_told():
    record = TrialRecord(3, {"x": 1}, "done", values=(2.5,), created=100.0, finished=160.0)
    assert (Trial.of(record).asked, Trial.of(record).told) == (100.0, 160.0)
    assert Trial.of(TrialRecord(0, {}, "running", created=7.0)).told is None
