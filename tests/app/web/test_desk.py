"""A child that stays."""

import pytest

from child_work import die, hang, process, refuse
from credo.app.web.child import Bounds
from credo.app.web.desk import Desk
from credo.errors import NumericalError, UndefinedError

pytestmark = pytest.mark.slow


def test_it_stays_until_something_happens_to_it():
    desk = Desk(Bounds(seconds=3.0))
    try:
        first = desk.call(process)
        with pytest.raises(UndefinedError, match="Table: it is empty"):
            desk.call(refuse)
        assert desk.call(process) == first
        with pytest.raises(UndefinedError, match="longer than 3 s"):
            desk.call(hang)
        second = desk.call(process)
        assert second != first
        with pytest.raises(NumericalError, match="without an answer"):
            desk.call(die)
        assert desk.call(process) not in (first, second)
    finally:
        desk.close()
