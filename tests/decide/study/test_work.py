"""Workers: one trial after the other, leases that live as long as their worker, processes and a cluster."""

import threading
import time

import joblib
import pytest

from credo.decide.study import Study
from credo.decide.study.work import CannotMeasureError, measure, measured
from credo.errors import InputError, StorageError
from credo.represent.space import Real, Space

LINE = Space({"x": Real(0, 1)})


def test_a_long_measurement_keeps_its_trial():
    """A lease of a fifth of a second, a measurement of half a second, another worker that asks meanwhile."""
    study = Study(LINE, acquisition="random", lease=0.2, random_state=0)
    others = []

    def slow(point):
        time.sleep(0.5)
        others.append(study.ask().number)
        return point["x"]

    assert measure(study, slow) == 0
    assert others == [1]
    assert study.trials[0].state == "done"


def test_a_worker_that_is_gone_gives_its_trial_back():
    study = Study(LINE, acquisition="random", lease=0.1, random_state=0)
    lost = study.ask()
    time.sleep(0.15)
    again = study.ask()
    assert (again.number, again.params) == (lost.number, lost.params)
    assert study.tell(lost, 1.0) is False  # too late: kept as evidence
    assert study.tell(again, 2.0) is True
    assert study.best.value == 2.0
    assert [late.values for late in study.storage.evidence(study.record)] == [(1.0,)]


def test_what_a_function_raises_is_the_note_of_a_failed_trial():
    study = Study(LINE, acquisition="random", random_state=0)
    measure(study, lambda point: 1 / 0)
    measure(study, lambda point: float("nan"))
    assert [trial.state for trial in study.trials] == ["failed", "failed"]
    assert study.trials[0].note == "ZeroDivisionError: division by zero"
    assert "nan" in study.trials[1].note


def test_a_function_that_can_measure_nothing_fails_no_trial():
    study = Study(LINE, acquisition="random", random_state=0)

    def broken(point):
        raise CannotMeasureError("Scale", "it is switched off")

    with pytest.raises(CannotMeasureError, match="switched off"):
        study.optimize(broken, 4)
    counts = study.storage.counts(study.record)
    assert (counts.done, counts.failed) == (0, 0)
    assert study.ask().number == 0


def test_a_trial_that_went_back_is_not_held_by_the_renewal_of_its_lease():
    """The renewals of a lease end before the trial is given back, or the last of them would take it again."""
    study = Study(LINE, acquisition="random", lease=0.003, random_state=0)

    def broken(point):
        time.sleep(0.02)
        raise CannotMeasureError("Scale", "it is switched off")

    for _ in range(20):
        with pytest.raises(CannotMeasureError):
            measure(study, broken)
    study.lease = 60.0
    assert study.ask().number == 0


def test_trials_come_as_they_are_told_until_too_many_in_a_row_have_failed():
    study = Study(LINE, acquisition="random", random_state=0)
    results = iter(["good", "bad", "bad", "good", "bad", "bad", "bad", "bad"])

    def function(point):
        assert next(results) == "good"
        return point["x"]

    seen = list(measured(study, function, failures=3))
    assert [trial.number for trial in seen] == list(range(7))
    assert [trial.state for trial in seen] == ["done", "failed", "failed", "done", "failed", "failed", "failed"]
    assert seen[0].value == seen[0].params["x"]


def test_trials_end_after_as_many_as_were_asked_for():
    study = Study(LINE, acquisition="random", random_state=0)
    assert len(list(measured(study, lambda point: 1 / 0, 3, failures=5))) == 3
    assert len(list(measured(study, lambda point: point["x"], 2))) == 2


def test_a_free_worker_does_not_wait_for_a_busy_one():
    """One trial takes until all others are done: workers take trials from a queue, not in rounds."""
    study, all_others = Study(LINE, acquisition="random", random_state=0), threading.Event()
    counts = []

    def function(point):
        counts.append(point)
        if len(counts) == 1:
            assert all_others.wait(timeout=30)
        if len(counts) == 6:
            all_others.set()
        return point["x"]

    study.optimize(function, 6, n_jobs=2)
    assert {trial.state for trial in study.trials} == {"done"}


@pytest.mark.slow
def test_a_cluster_of_dask_shares_a_study(tmp_path):
    from dask.distributed import Client, get_task_stream

    study = Study(LINE, storage=tmp_path / "study.db", acquisition="random", random_state=0)
    with Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1") as client:
        with get_task_stream(client) as ran, joblib.parallel_config(backend="dask"):
            study.optimize(lambda point: point["x"] ** 2, 8, n_jobs=2)
        assert len(ran.data) >= 1
    assert [trial.number for trial in study.trials] == list(range(8))
    assert all(trial.value == pytest.approx(trial.params["x"] ** 2) for trial in study.trials)


def test_a_result_that_does_not_fit_is_an_error_and_the_trial_is_given_back():
    study = Study(LINE, acquisition="random", random_state=0)
    with pytest.raises(InputError, match="2 numbers"):
        measure(study, lambda point: (1.0, 2.0))
    assert study.ask().number == 0


def test_a_result_that_none_can_be_has_failed_with_its_reason():
    study = Study(LINE, acquisition="random", random_state=0)
    measure(study, lambda point: float("nan"))
    assert study.trials[0].state == "failed"
    assert "'value' is nan" in study.trials[0].note


def test_a_storage_that_is_away_for_a_moment_costs_no_trial(monkeypatch):
    study = Study(LINE, acquisition="random", lease=0.3, random_state=0)
    renew, calls = study.storage.renew, []

    def shaky(*arguments):
        calls.append(1)
        if len(calls) == 1:
            raise StorageError("renew", "the server restarts")
        return renew(*arguments)

    monkeypatch.setattr(study.storage, "renew", shaky)

    def slow(point):
        time.sleep(0.6)
        return point["x"]

    assert measure(study, slow) == 0
    assert len(calls) >= 3
    assert study.trials[0].token == 1
