"""Stored studies, opened by name."""

import pytest

from credo.decide import Study, open_study
from credo.errors import ConflictError, InputError, MissingFileError
from credo.models import GPRegressor
from credo.represent.space import Choice, Integer, Linear, Real, Space

SPACE = Space(
    {"t": Real(20, 80), "lr": Real(1e-5, 1, log=True), "n": Integer(1, 9), "s": Choice("water", "ethanol")},
    constraints=[Linear({"t": 1.0, "n": 2.0}, most=90)],
)


def path(tmp_path):
    return tmp_path / "study.db"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"direction": {"yield": "maximize"}, "outcome_constraints": ["impurity <= 0.5"], "cost": "price"},
        {"acquisition": "lcb", "context": ["n"], "robust": {"t": 2.0}, "initial": 5, "region": "whole"},
        {"crash_cost": 3.0},
    ],
)
def test_it_is_the_same_study(tmp_path, settings):
    made = Study(SPACE, storage=path(tmp_path), name="first", random_state=3, **settings)
    opened = open_study("first", path(tmp_path))
    assert opened.setup.to_dict() == made.setup.to_dict()
    assert opened.space.to_dict() == SPACE.to_dict()
    assert opened.record.definition == made.record.definition


def test_a_study_that_was_stored_before_a_crash_had_a_price_has_none(tmp_path):
    made = Study(SPACE, storage=path(tmp_path), name="new", random_state=3)
    before = {key: value for key, value in made.record.definition.items() if key != "crash_cost"}
    made.storage.create_study("first", before)
    for opened in (open_study("first", path(tmp_path)), Study(SPACE, storage=path(tmp_path), name="first")):
        assert opened.setup.crash_cost == 0.0
    with pytest.raises(ConflictError, match="crash_cost"):
        Study(SPACE, storage=path(tmp_path), name="first", random_state=3, crash_cost=1.0)
    assert open_study("new", path(tmp_path)).setup.crash_cost == 1.0


def test_it_goes_on_where_the_other_was(tmp_path):
    made = Study(SPACE, storage=path(tmp_path), name="first", random_state=3)
    for _ in range(9):
        made.tell(made.ask(), 1.0)
    opened = open_study("first", path(tmp_path))
    assert len(opened.trials) == 9
    assert opened.ask().number == 9


@pytest.mark.parametrize(
    "code",
    [{"surrogate": GPRegressor()}, {"cost": lambda point: 1.0}],
    ids=["surrogate", "cost"],
)
def test_code_is_not_stored_and_this_is_said(tmp_path, code):
    Study(SPACE, storage=path(tmp_path), name="first", random_state=3, **code)
    with pytest.raises(InputError, match="Python object"):
        open_study("first", path(tmp_path))


def test_functions_as_constraints_are_not_stored(tmp_path):
    space = Space({"t": Real(0, 1)}, constraints=[lambda p: p["t"] < 0.5])
    Study(space, storage=path(tmp_path), name="first", random_state=3)
    with pytest.raises(InputError, match="constraint is a Python object"):
        open_study("first", path(tmp_path))


def test_studies_without_a_name_and_missing_ones(tmp_path):
    made = Study(SPACE, storage=path(tmp_path), random_state=3)
    with pytest.raises(InputError, match="no name of its own"):
        open_study(made.name, path(tmp_path))
    with pytest.raises(InputError, match="other"):
        open_study("other", path(tmp_path))


def test_to_look_for_a_study_makes_no_file(tmp_path):
    with pytest.raises(MissingFileError, match=r"no file .*study\.db"):
        open_study("first", path(tmp_path))
    assert not list(tmp_path.iterdir())
