"""The laws of every storage, each on memory, SQLite and PostgreSQL."""

import math
import threading

import numpy as np
import pytest

from credo.errors import ConflictError, InputError

MINUTE = 60.0


def test_a_study_is_found_by_name_and_listed_in_order(storage):
    made = [storage.create_study(name, {"n": n, "space": {"x": [0.1, None]}}) for n, name in enumerate("bca")]
    assert storage.list_studies() == tuple(made)
    assert storage.load_study("c") == made[1]
    assert storage.load_study("a").definition == {"n": 2, "space": {"x": [0.1, None]}}


def test_two_studies_with_one_name_are_refused(storage, study):
    with pytest.raises(ConflictError, match="already is a study named 'reactor'"):
        storage.create_study("reactor", {"direction": "minimize"})
    assert storage.create_study("reactor", {"direction": "minimize"}, exist_ok=True) == study
    with pytest.raises(ConflictError, match=r"defined otherwise.*'direction'"):
        storage.create_study("reactor", {"direction": "maximize"}, exist_ok=True)
    assert storage.list_studies() == (study,)


def test_a_deleted_study_is_gone_and_its_record_harms_no_other(storage, study):
    trial = storage.add_running(study, {}, lease=MINUTE)
    storage.delete_study(study)
    again = storage.create_study("reactor", {"direction": "minimize"})
    other = storage.add_running(again, {}, lease=MINUTE)
    assert (other.number, other.token) == (trial.number, trial.token)
    for use in (
        lambda: storage.tell(study, trial.number, trial.token, 1.0),
        lambda: storage.enqueue(study, {}),
        lambda: storage.claim_waiting(study, lease=MINUTE),
        lambda: storage.renew(study, 0, 1, MINUTE),
        lambda: storage.trials(study),
        lambda: storage.trial(study, 0),
        lambda: storage.counts(study),
        lambda: storage.evidence(study),
        lambda: storage.delete_study(study),
    ):
        with pytest.raises(InputError, match="no study 'reactor'"):
            use()
    assert storage.trial(again, other.number).state == "running"


def test_numbers_count_up_whatever_makes_the_trial(storage, study):
    numbers = [
        storage.enqueue(study, {"x": 1}),
        storage.add_running(study, {"x": 2}, lease=MINUTE).number,
        *storage.add_finished(study, [({"x": 3}, 0.5), ({"x": 4}, None)]),
        storage.enqueue(study, {"x": 5}),
    ]
    assert numbers == [0, 1, 2, 3, 4]
    assert [trial.params["x"] for trial in storage.trials(study).trials] == [1, 2, 3, 4, 5]


def test_a_trial_carries_what_it_was_given(storage, study, clock):
    why = {"kind": "explore", "gain": 0.25, "belief": [1.0, 2.0]}
    trial = storage.add_running(study, {"µ": "a\0b"}, lease=MINUTE, why=why, seed=2**63 - 1, worker="w\ud800")
    assert storage.trial(study, 0) == trial
    assert (trial.params, trial.why, trial.seed, trial.worker) == ({"µ": "a\0b"}, why, 2**63 - 1, "w\\ud800")
    assert (trial.state, trial.token, trial.created) == ("running", 1, clock.time)
    assert trial.lease_until == clock.time + MINUTE
    clock.time += 5.0
    storage.tell(study, 0, 1, [0.1, -0.2], note="fine\0")
    told = storage.trial(study, 0)
    assert (told.values, told.state, told.finished) == ((0.1, -0.2), "done", clock.time)
    assert (told.note, told.lease_until) == ("fine\\0", None)


def test_what_is_returned_is_nobody_elses(storage, study):
    given = {"x": [1]}
    trial = storage.add_running(study, given, lease=MINUTE)
    given["x"].append(2)
    trial.params["x"].append(3)
    storage.load_study("reactor").definition["direction"] = "maximize"
    assert storage.trial(study, 0).params == {"x": [1]}
    assert storage.load_study("reactor").definition == {"direction": "minimize"}


def test_the_queue_is_handed_out_once_and_in_order(storage, study):
    for x in range(4):
        storage.enqueue(study, {"x": x}, why={"kind": "enqueued"})
    got = [storage.claim_waiting(study, lease=MINUTE, worker=f"w{i}") for i in range(5)]
    assert [trial and trial.number for trial in got] == [0, 1, 2, 3, None]
    assert [trial.worker for trial in got[:4]] == ["w0", "w1", "w2", "w3"]
    assert got[0].why == {"kind": "enqueued"}


def test_a_trial_goes_back_when_its_lease_runs_out(storage, study, clock):
    first = storage.add_running(study, {"x": 1}, lease=MINUTE, worker="dies")
    storage.enqueue(study, {"x": 2})
    clock.time += MINUTE - 1.0
    assert storage.claim_waiting(study, lease=MINUTE).number == 1
    assert storage.claim_waiting(study, lease=MINUTE) is None
    clock.time += 1.0
    again = storage.claim_waiting(study, lease=MINUTE, worker="lives")
    assert (again.number, again.token, again.worker, again.params) == (0, first.token + 1, "lives", {"x": 1})
    assert again.created == first.created


def test_a_lease_is_renewed_or_given_back(storage, study, clock):
    trial = storage.add_running(study, {}, lease=MINUTE)
    clock.time += 50.0
    assert storage.renew(study, 0, trial.token, 2 * MINUTE) == clock.time + 2 * MINUTE
    clock.time += 100.0
    assert storage.claim_waiting(study, lease=MINUTE) is None
    storage.renew(study, 0, trial.token, 0.0)
    taken = storage.claim_waiting(study, lease=MINUTE)
    assert taken.number == 0
    with pytest.raises(ConflictError, match="not held by token 1"):
        storage.renew(study, 0, trial.token, MINUTE)
    storage.tell(study, 0, taken.token, 1.0)
    with pytest.raises(ConflictError, match="has its answer"):
        storage.renew(study, 0, taken.token, MINUTE)


@pytest.mark.parametrize("said", [{"values": 1.5}, {"values": (1.5, 2.5)}, {"failed": True}])
def test_an_answer_is_final(storage, study, said):
    trial = storage.add_running(study, {}, lease=MINUTE)
    assert storage.tell(study, 0, trial.token, **said, note="first") is True
    before = storage.trials(study)
    assert storage.tell(study, 0, trial.token, **said, note="second") is True
    for other in ({"values": 7.0}, {"values": (1.5, 7.0)}, {"failed": True}):
        if other != said:
            with pytest.raises(ConflictError, match="already told"):
                storage.tell(study, 0, trial.token, **other)
    assert storage.trials(study) == before
    assert storage.evidence(study) == ()


def test_a_late_answer_is_kept_as_evidence_and_overwrites_nothing(storage, study, clock):
    slow = storage.add_running(study, {}, lease=MINUTE)
    clock.time += MINUTE
    quick = storage.claim_waiting(study, lease=MINUTE)
    before = storage.trials(study)
    for _ in range(2):
        assert storage.tell(study, 0, slow.token, 9.0, note="slow") is False
    assert storage.trials(study) == before
    with pytest.raises(ConflictError, match=r"told 9.0 late, and is now told 8.0"):
        storage.tell(study, 0, slow.token, 8.0)
    assert storage.tell(study, 0, quick.token, 1.0) is True
    assert storage.tell(study, 0, slow.token, 9.0) is False
    (kept,) = storage.evidence(study)
    assert (kept.number, kept.token, kept.values, kept.received, kept.note) == (0, 1, (9.0,), clock.time, "slow")
    assert "handed out again" in kept.reason
    assert storage.trial(study, 0).values == (1.0,)


def test_an_answer_after_the_lease_counts_while_nobody_else_has_the_trial(storage, study, clock):
    trial = storage.add_running(study, {}, lease=MINUTE)
    clock.time += 10 * MINUTE
    assert storage.tell(study, 0, trial.token, 1.0) is True
    assert storage.claim_waiting(study, lease=MINUTE) is None


def test_a_late_failure_is_evidence_too(storage, study, clock):
    slow = storage.add_running(study, {}, lease=1.0)
    clock.time += 1.0
    storage.claim_waiting(study, lease=1.0)
    assert storage.tell(study, 0, slow.token, failed=True) is False
    assert storage.evidence(study)[0].values is None
    assert storage.counts(study) == (0, 1, 0, 0)


@pytest.mark.parametrize(("token", "words"), [(0, "handed out 1 times"), (2, "handed out 1 times"), (-1, "handed out")])
def test_a_token_that_was_never_given_is_refused(storage, study, token, words):
    storage.add_running(study, {}, lease=MINUTE)
    with pytest.raises(InputError, match=words):
        storage.tell(study, 0, token, 1.0)


def test_what_is_not_there_is_named(storage, study):
    storage.enqueue(study, {})
    with pytest.raises(InputError, match="Nobody has claimed it yet"):
        storage.tell(study, 0, 1, 1.0)
    for use in (
        lambda: storage.tell(study, 7, 1, 1.0),
        lambda: storage.trial(study, 7),
        lambda: storage.trial(study, -1),
        lambda: storage.renew(study, 7, 1, MINUTE),
    ):
        with pytest.raises(InputError, match=r"no trial (7|-1)"):
            use()
    with pytest.raises(InputError, match="no study 'other'"):
        storage.load_study("other")


@pytest.mark.parametrize(
    "values", [math.nan, math.inf, (1.0, -math.inf), (), "high", None, np.float64("nan"), [[1.0]], "12"]
)
def test_values_that_are_no_finite_numbers_never_reach_the_storage(storage, study, values):
    trial = storage.add_running(study, {}, lease=MINUTE)
    with pytest.raises(InputError, match="values is"):
        storage.tell(study, 0, trial.token, values)
    assert storage.trial(study, 0) == trial


def test_whole_numbers_of_numpy_are_whole_numbers(storage, study):
    trial = storage.add_running(study, {}, lease=MINUTE, seed=np.int64(7))
    assert (storage.trial(study, np.int64(0)), trial.seed, type(trial.seed)) == (trial, 7, int)
    assert storage.renew(study, np.int64(0), np.uint8(1), MINUTE) > 0.0
    assert storage.tell(study, np.int64(0), np.int32(1), 2.0)
    assert storage.trials(study, since=np.int64(1)).trials == (storage.trial(study, 0),)


def test_numbers_that_are_not_whole_are_refused(storage, study):
    storage.add_running(study, {}, lease=MINUTE)
    for use, what in [
        (lambda: storage.add_running(study, {}, lease=MINUTE, seed=5.5), r"seed is 5\.5"),
        (lambda: storage.tell(study, 0.0, 1, 2.0), r"number is 0\.0"),
        (lambda: storage.tell(study, 0, "1", 2.0), "token is '1'"),
        (lambda: storage.renew(study, 0, None, MINUTE), "token is None"),
        (lambda: storage.trial(study, "0"), "number is '0'"),
        (lambda: storage.trials(study, since=0.5), r"since is 0\.5"),
    ]:
        with pytest.raises(InputError, match=what):
            use()
    assert storage.counts(study) == (0, 1, 0, 0)


def test_changes_are_read_from_where_one_stopped(storage, study, clock):
    storage.add_finished(study, [({"x": x}, float(x)) for x in range(3)])
    version, seen = storage.trials(study)
    assert [trial.number for trial in seen] == [0, 1, 2]
    assert storage.trials(study, since=version) == (version, ())
    a = storage.add_running(study, {}, lease=MINUTE)
    storage.enqueue(study, {})
    storage.tell(study, a.number, a.token, 1.0)
    later, news = storage.trials(study, since=version)
    assert [(trial.number, trial.state) for trial in news] == [(3, "done"), (4, "waiting")]
    assert later == version + 3
    assert [trial.born for trial in news] == [version + 1, version + 2]
    storage.claim_waiting(study, lease=MINUTE)
    assert [trial.number for trial in storage.trials(study, since=later).trials] == [4]
    assert [trial.number for trial in storage.trials(study).trials] == [0, 1, 2, 3, 4]


def test_what_a_suggestion_saw_can_be_told_from_the_versions(storage, study):
    storage.add_finished(study, [({}, 1.0)])
    slow = storage.add_running(study, {}, lease=MINUTE)
    seen = storage.trials(study).version
    storage.tell(study, slow.number, slow.token, 2.0)
    storage.add_running(study, {}, lease=MINUTE)
    trials = storage.trials(study).trials
    assert [trial.number for trial in trials if trial.finished_by(seen)] == [0]
    assert [trial.number for trial in trials if trial.pending_at(seen)] == [1]


def test_counts_follow_the_trials(storage, study):
    assert storage.counts(study).total == 0
    storage.add_finished(study, [({}, 1.0), ({}, None), ({}, 2.0)])
    storage.add_finished(study, [])
    for _ in range(2):
        storage.enqueue(study, {})
    trial = storage.claim_waiting(study, lease=MINUTE)
    storage.tell(study, trial.number, trial.token, failed=True)
    storage.tell(study, trial.number, trial.token, failed=True)
    storage.add_running(study, {}, lease=MINUTE)
    counts = storage.counts(study)
    assert counts == (1, 1, 2, 2)
    assert counts.total == len(storage.trials(study).trials) == 6


def test_studies_do_not_see_each_other(storage, study):
    other = storage.create_study("other", {})
    storage.enqueue(study, {"x": 1})
    assert storage.enqueue(other, {"x": 2}) == 0
    assert storage.claim_waiting(other, lease=MINUTE).params == {"x": 2}
    storage.tell(other, 0, 1, 5.0)
    assert storage.counts(study) == (1, 0, 0, 0)
    storage.delete_study(other)
    assert storage.counts(study) == (1, 0, 0, 0)


def test_threads_get_numbers_without_gaps_and_each_trial_once(storage, study):
    for x in range(12):
        storage.enqueue(study, {"x": x})
    got, lock = [], threading.Lock()

    def work():
        while (trial := storage.claim_waiting(study, lease=1e6)) is not None:
            new = storage.add_running(study, {}, lease=1e6)
            storage.tell(study, trial.number, trial.token, float(trial.number))
            with lock:
                got.extend([trial.number, new.number])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == list(range(24))
    assert [trial.values for trial in storage.trials(study).trials[:12]] == [(float(x),) for x in range(12)]


def test_a_trial_that_was_made_for_a_number_gets_that_or_none(storage, study):
    assert storage.add_running(study, {"x": 1.0}, lease=MINUTE, number=0).number == 0
    with pytest.raises(ConflictError, match="the next trial of study 'reactor' is 1, not 0"):
        storage.add_running(study, {"x": 1.0}, lease=MINUTE, number=0)
    assert len(storage.trials(study).trials) == 1
    assert storage.add_running(study, {"x": 2.0}, lease=MINUTE).number == 1
