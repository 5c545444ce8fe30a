"""What all studies share: names, past runs, and what is stored."""

import numpy as np
import pytest

from credo.decide.storage import MemoryStorage
from credo.decide.study import Study
from credo.errors import ConflictError, InputError
from credo.represent.space import Choice, Integer, Real, Space

LINE = Space({"x": Real(0, 10)})


def test_studies_without_a_name_get_one_each():
    storage = MemoryStorage()
    assert [Study(LINE, storage=storage).name for _ in range(3)] == ["study 1", "study 2", "study 3"]


def test_a_name_that_is_taken_between_looking_and_writing_is_passed_over(monkeypatch):
    storage = MemoryStorage()
    Study(LINE, storage=storage)
    seen, real = iter([()]), storage.list_studies
    monkeypatch.setattr(storage, "list_studies", lambda: next(seen, None) or real())  # the first look sees nothing
    assert Study(LINE, storage=storage).name == "study 2"


def test_a_study_goes_on_with_its_seed_and_is_refused_with_another():
    storage = MemoryStorage()
    Study(LINE, storage=storage, name="a", random_state=5)
    assert Study(LINE, storage=storage, name="a").record.definition["seed"] == 5
    with pytest.raises(ConflictError, match="seed"):
        Study(LINE, storage=storage, name="a", random_state=6)


@pytest.mark.parametrize(
    "values", [[1.0, None, 3.0], np.array([1.0, np.nan, 3.0]), {"value": [1.0, None, 3.0]}, [(1.0,), (None,), (3.0,)]]
)
def test_past_runs_without_a_result_have_failed(values):
    study = Study(LINE)
    study.add([{"x": 1.0}, {"x": 2.0}, {"x": 30.0}], values)
    assert [trial.state for trial in study.trials] == ["done", "failed", "done"]
    assert study.best.value == 1.0
    with pytest.raises(InputError, match="3 runs and 2 results"):
        study.add([{"x": 1.0}, {"x": 2.0}, {"x": 3.0}], [1.0, 2.0])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, "much", None])
def test_what_is_no_result_is_refused_and_the_trial_stays(value):
    study = Study(LINE)
    trial = study.ask()
    with pytest.raises(InputError):
        study.tell(trial, value)
    assert study.trials[0].state == "running"
    assert study.tell(trial, 1.0)


def test_past_runs_stay_where_they_were():
    """Beyond the bounds and off what is held; a suggestion is inside."""
    space = Space({"x": Real(0, 10), "kind": Choice("a", "b"), "n": Integer(1, 5)}).fixed(kind="a")
    study = Study(space, random_state=0)
    runs = [{"x": float(x), "kind": "b", "n": n} for x, n in ((30, 9), (2, 1), (5, 3), (8, 2))]
    study.add(runs, [0.1, 2.0, 1.0, 3.0])
    assert [trial.params for trial in study.trials] == runs
    suggested = study.ask().params
    assert suggested["kind"] == "a"
    assert 0.0 <= suggested["x"] <= 10.0
    assert 1 <= suggested["n"] <= 5


def test_who_sees_the_same_suggests_something_else():
    """Another process adds its trial between looking and adding: the suggestion is made anew."""
    storage = MemoryStorage()
    ours, theirs = (Study(LINE, storage=storage, name="shared", random_state=1) for _ in range(2))
    suggested = ours._suggested

    def slowly(*arguments):
        found = suggested(*arguments)
        if len(storage.trials(ours.record).trials) == 0:
            theirs.ask()
        return found

    ours._suggested = slowly
    trial = ours.ask()
    assert trial.number == 1
    assert len({one.params["x"] for one in ours.trials}) == 2
    assert ours.replay(1) == trial.params


def test_a_trial_that_is_given_back_goes_to_the_next_who_asks():
    study = Study(LINE, random_state=0)
    trial = study.ask()
    study.give_back(trial)
    again = study.ask()
    assert (again.number, again.params) == (trial.number, trial.params)
    study.tell(again, 1.0)
    study.give_back(again)  # has its answer, and keeps it
    assert study.trials[0].state == "done"


def test_a_very_large_value_leaves_the_study_alive():
    study = Study(LINE, random_state=0)
    study.add([{"x": float(x)} for x in range(5)], [1.0, 2.0, 1e200, 3.0, 1.5])
    assert np.isfinite(study.ask().why.mean)
    with pytest.raises(InputError, match="nearly that"):
        study.tell(study.ask(), 1.7e308)


def warm(point):
    return point["x"] > 2.0


def hot(point):
    return point["x"] > 5.0


def test_a_named_study_with_a_function_as_constraint_goes_on(tmp_path):
    """The function comes with the space each time; a study whose function has another name is another."""
    path = str(tmp_path / "study.db")
    space = Space({"x": Real(0, 10)}, [warm])
    trial = Study(space, storage=path, name="a", random_state=0).ask()
    again = Study(space, storage=path, name="a")
    assert again.trials[0].params == trial.params
    assert again.ask().params["x"] > 2.0
    with pytest.raises(ConflictError, match="space"):
        Study(Space({"x": Real(0, 10)}, [hot]), storage=path, name="a")


def test_a_trial_can_be_told_by_its_number():
    study = Study(LINE, random_state=0)
    asked = study.ask()
    found = study.trial(asked.number)
    assert (found.number, found.params, found.token) == (asked.number, asked.params, asked.token)
    assert study.tell(found, 1.0)
    assert study.trial(asked.number).values == {"value": 1.0}
    with pytest.raises(InputError, match="17"):
        study.trial(17)
