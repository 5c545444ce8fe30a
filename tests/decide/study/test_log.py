"""The log reads what changed, and goes to other processes as its address."""

import pickle

import pytest

from credo.decide.study import Study
from credo.errors import InputError
from credo.represent.space import Real, Space

LINE = Space({"x": Real(0, 1)})


def test_two_readers_of_one_file_see_each_other(tmp_path):
    ours = Study(LINE, storage=tmp_path / "study.db", name="line", random_state=0)
    theirs = pickle.loads(pickle.dumps(ours))
    trial = theirs.ask()
    theirs.tell(trial, 0.5)
    assert [one.values for one in ours.trials] == [{"value": 0.5}]
    assert ours._log.starts(ours._log.version) == ()
    with pytest.raises(InputError, match="no trial 7"):
        ours.replay(7)
