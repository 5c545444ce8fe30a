"""Children that answer, fail, hang, swell and die."""

import os
import subprocess
import sys

import pytest

from child_work import die, double, hang, refuse, stumble, swell
from credo.app.web.child import Bounds, start

pytestmark = pytest.mark.slow  # each starts a process


def test_an_answer_and_its_phase():
    job = start(double, 21).wait(60)
    assert (job.state, job.result, job.phase) == ("done", 42, "doubling")


def test_an_error_of_credo_is_its_sentence_and_another_says_nothing_of_its_inside():
    assert start(refuse).wait(60).error == "Table: it is empty."
    assert "passwd" not in start(stumble).wait(60).error


def test_what_is_stopped_ends():
    job = start(hang)
    job.stop()
    assert job.wait(60).state == "failed"
    assert "was stopped" in job.error


def test_a_child_takes_at_most_half_of_the_machine():
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < Bounds().memory <= min(6 * 2**30, machine / 2)
    code = "import os; os.sysconf = lambda name: 2**15; from credo.app.web.child import Bounds; print(Bounds().memory)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(told) == 2**29


@pytest.mark.parametrize(
    ("work", "bounds", "words"),
    [
        (hang, Bounds(seconds=2.0, late=("It thinks", "Ask less")), "longer than 2 s. It thinks. Ask less."),
        (swell, Bounds(memory=2**29, seconds=120.0), "0.5 GiB"),
        (die, Bounds(), "without an answer"),
    ],
)
def test_what_takes_too_much_or_dies_is_told(work, bounds, words):
    job = start(work, bounds=bounds).wait(180)
    assert job.state == "failed"
    assert words in job.error
