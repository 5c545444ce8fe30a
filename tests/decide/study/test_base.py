"""What all studies share: names, past runs, and what is stored."""

import numpy as np
import pytest

from credo.decide.storage import MemoryStorage
from credo.decide.study import Study
from credo.errors import ConflictError, InputError
from credo.represent.space import Real, Space

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
