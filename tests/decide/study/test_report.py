"""A report has what is known and leaves out what cannot be said."""

import math

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


def test_bounds_are_in_the_header_and_trials_that_break_one_are_marked():
    study = Study(LINE, direction={"yield": "maximize"}, outcome_constraints=["heat <= 0.5"], random_state=0)
    study.add([{"x": 1.23456}], {"yield": [1.0], "heat": [0.5]})
    study.add([{"x": 2.0}], {"yield": [2.0], "heat": [0.75]})
    lines = str(study.report()).splitlines()
    assert lines[0] == f"{study.name}: maximize yield, heat <= 0.5"
    assert "  best measured: #0 x = 1.23456: yield 1, heat 0.5" in lines
    assert any(line.startswith("    #0 x = 1.23456: yield 1, heat 0.5; ") for line in lines)
    assert any(line.startswith("    #1 x = 2: yield 2, heat 0.75 (breaks heat <= 0.5); ") for line in lines)


def test_a_robust_study_ranks_by_the_believed_average():
    """A sharp optimum at 2 that was measured, and a wide one at 7."""
    loss = lambda x: -math.exp(-(((x - 2.0) / 0.1) ** 2)) - 0.8 * math.exp(-(((x - 7.0) / 1.5) ** 2))  # noqa: E731
    runs = [{"x": x} for x in (0.0, 1.5, 1.8, 2.0, 2.2, 2.5, 4.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 9.0, 10.0)]
    robust = Study(LINE, robust={"x": 0.5}, random_state=0)
    plain = Study(LINE, random_state=0)
    for study in (robust, plain):
        study.add(runs, [loss(run["x"]) for run in runs])
    assert plain.best.params == {"x": 2.0}
    assert robust.best.params == {"x": 7.0}
    report = robust.report()
    assert report.average == (float(robust.average([{"x": 7.0}]).mean[0]), pytest.approx(report.average[1]))
    assert f"  best predicted by the average around it ({report.average[0]:.4g} ± " in str(report)
    assert "recommended by the average around it: x = " in str(report)
    assert plain.report().average is None
    with pytest.raises(InputError, match="no parameter is missed"):
        plain.average([{"x": 1.0}])
