"""Every error speaks in one voice, survives pickling, and can be caught as what it is."""

import copy
import inspect
import pickle

import pytest

from credo import errors


def public(kind):
    members = [getattr(errors, name) for name in errors.__all__]
    return [m for m in members if inspect.isclass(m) and issubclass(m, kind)]


def test_message_has_who_what_cause_remedy_each_with_one_period():
    assert errors.message("A", "b.", " c ", "d") == "A: b. c. d."
    assert errors.message("A", "b") == "A: b."
    assert errors.message("A", "b", "", "d") == "A: b. d."


@pytest.mark.parametrize("error", public(errors.CredoError))
def test_errors_are_credo_errors_and_survive_pickle_and_copy(error):
    raised = error("GPRegressor", "X has 41 columns", "The kernel has 8 length-scales", "Leave them out")
    assert isinstance(raised, errors.CredoError)
    assert str(raised) == "GPRegressor: X has 41 columns. The kernel has 8 length-scales. Leave them out."
    for clone in (pickle.loads(pickle.dumps(raised)), copy.copy(raised)):
        assert type(clone) is error
        assert str(clone) == str(raised)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.InputError, ValueError),
        (errors.FileError, ValueError),
        (errors.MissingFileError, FileNotFoundError),
        (errors.MissingFileError, errors.FileError),
        (errors.NotPositiveDefiniteError, ValueError),
        (errors.NotPositiveDefiniteError, errors.NumericalError),
        (errors.NumericalError, ArithmeticError),
        (errors.DependencyError, ImportError),
        (errors.StorageError, OSError),
        (errors.ConvergenceWarning, errors.CredoWarning),
        (errors.CredoWarning, UserWarning),
    ],
)
def test_errors_are_also_the_builtin_that_callers_expect(error, builtin):
    assert issubclass(error, builtin)


def test_all_lists_every_class_of_the_module():
    here = {name for name, m in vars(errors).items() if inspect.isclass(m) and m.__module__ == errors.__name__}
    assert here == {m.__name__ for m in public(BaseException)}
