"""A trial says what is stored of it."""

from credo.decide.storage import TrialRecord
from credo.decide.study.trial import Trial, point_in_words, value_in_words


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


def test_a_point_in_words_reads_back():
    point = {"t": 44.596975315362215, "lr": 1e-05, "n": 3, "s": "water", "on": True}
    assert point_in_words(point) == "t = 44.596975315362215, lr = 1e-05, n = 3, s = water, on = True"
    assert [float(value_in_words(x)) for x in (40.0, 1e22, -0.1, 1 / 3)] == [40.0, 1e22, -0.1, 1 / 3]
    assert value_in_words(40.0) == "40"
