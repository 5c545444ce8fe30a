"""A report has what is known and leaves out what cannot be said."""

import pytest

from credo.decide.study import Study
from credo.errors import InputError
from credo.represent.space import Real, Space

LINE = Space({"x": Real(0, 10)})


def test_of_several_objectives_it_has_the_front():
    study = Study(LINE, direction={"a": "minimize", "b": "minimize"}, random_state=0)
    study.optimize(lambda point: (point["x"], -point["x"]), 5)
    report = study.report()
    assert len(report.best) == 5
    assert report.recommended is None
    assert "front: #" in str(report)


def test_failures_have_their_note():
    study = Study(LINE, random_state=0).optimize(lambda point: 1 / 0, 2)
    text = str(study.report())
    assert "0 done, 2 failed" in text
    assert "division by zero" in text


def test_a_high_level_has_draws_enough():
    study = Study(Space({"x": Real(0, 1)}), random_state=0).optimize(lambda point: point["x"] ** 2, 6)
    assert "at most" in str(study.report(0.99))
    with pytest.raises(InputError, match="level is 1"):
        study.report(1.0)
