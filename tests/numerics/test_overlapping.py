"""The first makes the setting, the last undoes it, whichever order and thread they come in."""

from threading import Barrier, Thread

import pytest

from credo.numerics.overlapping import Overlapping


class Log:
    def __init__(self):
        self.said = []

    def make(self):
        self.said.append("make")
        return lambda: self.said.append("undo")


def test_made_once_and_undone_once_and_made_anew():
    log = Log()
    setting = Overlapping(log.make)
    for _ in range(2):
        setting.enter()
        setting.enter()
        setting.leave()
        assert log.said[-1] == "make"
        setting.leave()
    assert log.said == ["make", "undo"] * 2


def test_threads_share_it():
    log, meet = Log(), Barrier(4)
    setting = Overlapping(log.make)

    def use():
        setting.enter()
        meet.wait()
        setting.leave()

    threads = [Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.said == ["make", "undo"]


def test_a_setting_that_cannot_be_made_is_not_counted():
    log = Log()
    makes = iter([lambda: 1 / 0, log.make])
    setting = Overlapping(lambda: next(makes)())
    with pytest.raises(ZeroDivisionError):
        setting.enter()
    setting.enter()
    setting.leave()
    assert log.said == ["make", "undo"]
