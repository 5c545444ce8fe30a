"""A child that stays."""

import os
import signal
import threading
import time

import pytest

import credo.app.web.desk
from child_work import answering_late, die, hang, process, refuse
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


def test_the_start_of_the_child_is_not_time_of_the_question(monkeypatch):
    monkeypatch.setattr(credo.app.web.desk, "_answering", answering_late)
    desk = Desk(Bounds(seconds=1.0))
    try:
        assert desk.call(process) > 0
    finally:
        desk.close()


def test_a_child_that_does_not_start_is_told(monkeypatch):
    monkeypatch.setattr(credo.app.web.desk, "_START", Bounds(seconds=0.0, late=("The machine is busy", "Try again")))
    desk = Desk()
    try:
        with pytest.raises(UndefinedError, match="machine is busy"):
            desk.call(process)
    finally:
        desk.close()


def test_it_closes_without_waiting_for_the_answer():
    desk = Desk()
    desk.call(process)
    under_way, next_one = desk.later(hang), desk.later(process)
    time.sleep(0.3)
    began = time.monotonic()
    desk.close()
    assert time.monotonic() - began < 5.0
    with pytest.raises(UndefinedError, match="stopped"):
        under_way.result(5.0)
    with pytest.raises(UndefinedError, match="no question is taken any more"):
        next_one.result(5.0)


def test_who_waits_for_one_desk_does_not_hold_up_another():
    slow, quick = Desk(), Desk()
    try:
        waiting = [slow.later(hang) for _ in range(50)]
        assert quick.later(process).result(60.0) > 0
        assert not any(answer.done() for answer in waiting)
    finally:
        slow.close()
        quick.close()


def test_it_goes_on_after_ctrl_c_and_after_the_thread_that_began_it():
    desk = Desk()
    try:
        beginning = threading.Thread(target=desk.open)
        beginning.start()
        beginning.join()
        os.kill(desk._child.pid, signal.SIGINT)  # before its first line
        first = desk.call(process)
        os.kill(first, signal.SIGINT)
        time.sleep(0.3)
        assert desk.call(process) == first
    finally:
        desk.close()
