"""Studies of numbers with a step: what is suggested is on it, what somebody gives may lie between."""

import numpy as np
import pytest

from credo.decide.study import Study
from credo.errors import InputError
from credo.represent.space import Integer, Real, Space


@pytest.mark.parametrize("asks", [2, 5])
def test_a_context_between_the_steps_is_handed_out_as_it_was_given(asks):
    """In the even design and after it: a result belongs to the setting that was used."""
    space = Space({"t": Real(20, 80, step=5), "n": Integer(0, 20, step=5), "x": Real(0, 1)})
    study = Study(space, context=["t", "n"], initial=3, random_state=0)
    for i in range(asks):
        trial = study.ask({"t": 21.5 + i, "n": 7})
        assert (trial.params["t"], trial.params["n"]) == (21.5 + i, 7)
        assert study.trial(trial.number).params == trial.params == study.replay(trial.number)
        study.tell(trial, trial.params["x"])


def test_a_queued_number_is_stored_as_one_would_write_it():
    study = Study(Space({"t": Real(0, 1, step=0.1)}), random_state=0)
    study.enqueue({"t": 0.1 * 3})
    assert study.ask().params == {"t": 0.3}


def test_settings_of_past_runs_between_the_steps_have_a_belief():
    study = Study(Space({"t": Real(20, 80, step=5)}), random_state=0)
    study.add([{"t": 21.3}, {"t": 55.0}, {"t": 77.7}], [1.0, 0.0, 1.0])
    points = [trial.params for trial in study.trials]
    assert np.all(np.isfinite(np.asarray(study.posterior(points).mean)))
    assert np.all(np.isfinite(study.acquisition_at(points)))


def test_what_is_suggested_recommended_and_queued_is_on_the_steps():
    """Past runs between the steps are learnt from as they are; nothing of a finite space is asked for twice."""
    space = Space({"t": Real(20, 80, step=5), "p": Real(0, 2, step=0.5)})
    study = Study(space, initial=4, random_state=0)
    past = [{"t": 21.3, "p": 0.2}, {"t": 55.0, "p": 1.1}, {"t": 77.7, "p": 1.9}, {"t": 40.0, "p": 1.0}]
    loss = lambda point: ((point["t"] - 52.0) / 30.0) ** 2 + (point["p"] - 0.8) ** 2  # noqa: E731
    study.add(past, [loss(point) for point in past])
    with pytest.raises(InputError, match="22, which lies between the steps 20 and 25"):
        study.enqueue({"t": 22, "p": 1.0})
    for _ in range(3):
        for trial in study.ask_batch(2):
            study.tell(trial, loss(trial.params))
            assert study.replay(trial.number) == trial.params
    asked = [tuple(trial.params.values()) for trial in study.trials[len(past) :]]
    assert all(t in range(20, 81, 5) and p in (0.0, 0.5, 1.0, 1.5, 2.0) for t, p in asked)
    assert len({*asked, (40.0, 1.0)}) == len(asked) + 1
    assert study.recommend().params == {"t": 50.0, "p": 1.0}
    assert study.trials[0].params == past[0]
