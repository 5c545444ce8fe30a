"""What is left to gain falls as a study goes on, and is refused where it is not known."""

import pytest

from credo.decide.study import Study
from credo.errors import InputError
from credo.models import BayesianLinearRegression
from credo.represent.space import Real, Space

LINE = Space({"x": Real(0, 10)})


def loss(point):
    return 50.0 * (point["x"] - 6.3) ** 2


def test_falls_and_covers_what_is_left():
    study = Study(LINE, random_state=0).optimize(loss, 5)
    early, regret = study.remaining(), study.best.value
    assert early.bound(0.95) >= regret
    study.optimize(loss, 8)
    assert study.remaining().expected < early.expected


def test_is_refused_where_functions_cannot_be_drawn_or_do_not_count():
    with pytest.raises(InputError, match="surrogate"):
        Study(LINE, surrogate=BayesianLinearRegression(), random_state=0).optimize(loss, 5).remaining()
    bounded = Study(LINE, outcome_constraints=["c <= 1"], random_state=0)
    with pytest.raises(InputError, match="bounds"):
        bounded.optimize(lambda point: (loss(point), 0.5), 5).remaining()
