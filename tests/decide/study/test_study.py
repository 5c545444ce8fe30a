"""Studies: ask and tell, reasons, replay, crashes and failures, in memory and in a file."""

import numpy as np
import pytest

from credo.decide.study import Study
from credo.errors import ConflictError, InputError
from credo.represent.space import Choice, Integer, Real, Space

BOX = Space({"a": Real(-1, 1), "b": Real(0, 10)})


def bowl(point):
    return (point["a"] - 0.3) ** 2 + (point["b"] / 10 - 0.7) ** 2


def test_finds_the_bottom_in_either_direction():
    down = Study(BOX, random_state=0).optimize(bowl, 18)
    assert down.best.value < 1e-3
    up = Study(BOX, direction="maximize", random_state=0).optimize(lambda point: 5.0 - bowl(point), 18)
    assert up.best.value > 5.0 - 1e-3


def test_every_suggestion_can_be_made_again_and_says_why(tmp_path):
    path = str(tmp_path / "study.db")
    study = Study(BOX, storage=path, name="bowl", random_state=3).optimize(bowl, 9)
    later = Study(BOX, storage=path, name="bowl")  # another process, say
    assert [trial.params for trial in later.trials] == [trial.params for trial in study.trials]
    for trial in later.trials[3:]:
        assert later.replay(trial.number) == trial.params
    assert {trial.why.reason for trial in later.trials[:4]} == {"start"}
    assert later.trials[-1].why.reason in ("explore", "exploit")
    assert later.trials[-1].why.gain >= 0.0


def test_a_batch_is_apart_and_can_be_told_in_any_order():
    study = Study(BOX, random_state=0).optimize(bowl, 6)
    batch = study.ask_batch(3)
    points = np.array([[trial.params["a"], trial.params["b"] / 5] for trial in batch])
    assert np.min([np.linalg.norm(points[i] - points[j]) for i in range(3) for j in range(i)]) > 1e-3
    for trial in reversed(batch):
        study.tell(trial, bowl(trial.params))
    assert len([trial for trial in study.trials if trial.state == "done"]) == 9
    for trial in batch:
        assert study.replay(trial.number) == trial.params


def test_the_same_answer_twice_is_no_harm_and_another_is_refused():
    study = Study(BOX, random_state=0)
    trial = study.ask()
    study.tell(trial, 1.0)
    study.tell(trial, 1.0)
    with pytest.raises(ConflictError):
        study.tell(trial, 2.0)
    with pytest.raises(InputError):
        study.tell(study.ask(), np.nan)


def test_queued_points_come_first():
    study = Study(BOX, random_state=0)
    study.enqueue({"a": 0.25, "b": 5.0})
    trial = study.ask()
    assert trial.params == {"a": 0.25, "b": 5.0}
    assert trial.why.reason == "queued"
    assert study.ask().params != trial.params
    with pytest.raises(InputError, match="above"):
        study.enqueue({"a": 7.0, "b": 5.0})


def test_a_function_that_raises_is_a_failed_trial():
    def fragile(point):
        if point["a"] < 0:
            raise RuntimeError("it burst")
        return bowl(point)

    study = Study(BOX, random_state=1).optimize(fragile, 16)
    failed = [trial for trial in study.trials if trial.state == "failed"]
    assert failed
    assert study.best.value < 0.05
    assert sum(trial.params["a"] < 0 for trial in study.trials[8:]) <= 3


def test_threads_measure_at_once():
    study = Study(BOX, random_state=0).optimize(bowl, 12, n_jobs=3)
    assert [trial.state for trial in study.trials] == ["done"] * 12


def test_mixed_spaces_and_past_runs():
    space = Space({"a": Real(0, 1), "n": Integer(1, 4), "kind": Choice("x", "y")})
    truth = lambda point: (point["a"] - 0.5) ** 2 + (point["n"] - 3) ** 2 + (point["kind"] == "x")  # noqa: E731
    study = Study(space, random_state=0)
    runs = space.sample(10, 5)
    study.add(runs, [truth(run) for run in runs])
    study.optimize(truth, 14)
    assert study.best.params["n"] == 3
    assert study.best.params["kind"] == "y"
    assert study.best.value < 0.02
    assert study.trials[0].why.reason == "given"


def test_the_posterior_is_in_the_units_of_the_objective():
    study = Study(BOX, direction="maximize", random_state=0).optimize(lambda point: 100.0 - 10.0 * bowl(point), 20)
    points = BOX.sample(10, 9)
    belief = study.posterior(points)
    truth = np.array([100.0 - 10.0 * bowl(point) for point in points])
    assert np.mean(np.abs(np.asarray(belief.mean) - truth) < 4.0 * np.asarray(belief.std) + 0.2) > 0.8


@pytest.mark.parametrize(
    ("settings", "what"), [({"direction": "up"}, "direction"), ({"acquisition": "luck"}, "acquisition")]
)
def test_settings_that_are_none_are_refused(settings, what):
    with pytest.raises(InputError, match=what):
        Study(BOX, **settings)


def test_what_is_not_there_yet_is_said():
    study = Study(BOX, random_state=0)
    with pytest.raises(InputError, match="no trial"):
        _ = study.best
    with pytest.raises(InputError, match="two"):
        study.posterior([{"a": 0.0, "b": 1.0}])


def test_two_studies_of_one_name_and_other_settings_are_refused(tmp_path):
    path = str(tmp_path / "study.db")
    Study(BOX, storage=path, name="one", random_state=0)
    with pytest.raises(ConflictError, match="direction"):
        Study(BOX, storage=path, name="one", direction="maximize", random_state=0)
