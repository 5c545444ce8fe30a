"""Progress: nothing unless asked, and no control characters where nobody watches."""

import io
import sys

import pytest

from credo.numerics import Tracker, progress, show_progress, tracker
from credo.numerics.progress import PlainTracker, RichTracker, SilentTracker


def work(**options):
    with tracker("fitting", total=3, **options) as track:
        track.phase("compiling")
        track.phase("minimizing")
        for _ in range(3):
            track.phase("minimizing")
            track.advance()
    return track


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def switched_on():
    show_progress(True)
    yield
    show_progress(False)


def test_silent_by_default(capfd):
    assert isinstance(work(), SilentTracker)
    assert capfd.readouterr() == ("", "")


def test_piped_output_is_plain_lines_that_name_the_phases(capfd):
    assert isinstance(work(show=True), PlainTracker)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[:2] == ["fitting: compiling", "fitting: minimizing"]
    assert lines[2].startswith("fitting: done, 3 of 3 steps in ")
    assert len(lines) == 3
    assert all(c.isprintable() or c == "\n" for c in err)


def test_the_switch_shows_it_and_a_call_may_say_otherwise(switched_on, capfd):
    work()
    assert "compiling" in capfd.readouterr().err
    work(show=False)
    assert capfd.readouterr().err == ""


def test_a_terminal_gets_a_bar(monkeypatch):
    pytest.importorskip("rich", reason="Rich comes with the app extra")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(work(show=True), RichTracker)
    assert "fitting: minimizing" in screen.getvalue()


def test_a_terminal_without_rich_gets_plain_lines(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    assert isinstance(work(show=True), PlainTracker)
    assert screen.getvalue().startswith("fitting: compiling\n")


def test_a_failure_passes_through_and_does_not_claim_to_be_done(capfd):
    def fail():
        with tracker("fitting", show=True) as track:
            track.phase("compiling")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert capfd.readouterr().err == "fitting: compiling\n"


def test_every_tracker_keeps_the_protocol():
    assert isinstance(SilentTracker(), Tracker)
    assert isinstance(PlainTracker("x", None, io.StringIO()), Tracker)
    assert progress.Tracker is Tracker


@pytest.fixture
def nobody_has_chosen(monkeypatch):
    monkeypatch.setattr(progress, "_shown", None)


def fitted_in(seconds):
    with tracker("fitting", seconds=seconds) as track:
        track.phase("minimizing")
        track.phase("minimizing")
    return track


def test_long_work_states_its_time_before_anything_else(nobody_has_chosen, capfd):
    fitted_in(42.4)
    lines = capfd.readouterr().err.splitlines()
    assert lines[:2] == ["fitting: takes about 42 s", "fitting: minimizing"]
    assert lines[2].startswith("fitting: done, ")


def test_short_work_stays_silent(nobody_has_chosen, capfd):
    assert isinstance(fitted_in(9.0), SilentTracker)
    assert capfd.readouterr().err == ""


def test_long_work_is_silent_where_progress_is_switched_off(nobody_has_chosen, capfd):
    show_progress(False)
    assert isinstance(fitted_in(1e4), SilentTracker)
    assert capfd.readouterr().err == ""


def test_long_work_inside_work_that_is_shown_is_part_of_it(nobody_has_chosen, capfd):
    with tracker("learning", show=True):
        assert isinstance(fitted_in(100.0), SilentTracker)
    assert isinstance(fitted_in(100.0), PlainTracker)


def test_a_long_phase_says_every_ten_seconds_how_far_it_is(monkeypatch):
    clock = iter([0.0, 1.0, 5.0, 12.0, 13.0, 310.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))
    stream = io.StringIO()
    track = PlainTracker("fitting", None, stream, 300.0)
    for _ in range(5):
        track.phase("minimizing")
    assert stream.getvalue().splitlines() == [
        "fitting: takes about 5 min",
        "fitting: minimizing",
        "fitting: minimizing, 12 s of about 5 min",
        "fitting: minimizing, 5 min of about 5 min",
    ]
