"""Bars are the times that the storage keeps."""

import numpy as np
import pytest

from chart_specs import specification, table_with
from credo.decide.storage import MemoryStorage
from credo.decide.study import Study
from credo.errors import InputError
from credo.plots import plot, timeline_chart
from credo.represent import Real, Space


class Clock:
    """Seconds since 1970, as a test sets them."""

    now = 1_000_000_000.0

    def __call__(self):
        return self.now


def taken(study, clock, at):
    """A trial that is handed out at this time."""
    clock.now = at
    record = study.storage.add_running(study.record, {"x": 0.5}, lease=1e6, why={"reason": "explore"}, seed=0)
    return next(trial for trial in study.trials if trial.number == record.number)


@pytest.fixture
def made():
    """A past run, one that took 2 minutes, one that failed after 5, one under way and one in the queue."""
    clock = Clock()
    start = clock.now
    study = Study(Space({"x": Real(0, 1)}), storage=MemoryStorage(clock=clock), random_state=0)
    study.add([{"x": 0.1}], [1.0])
    first, second = taken(study, clock, start + 60.0), taken(study, clock, start + 120.0)
    clock.now = start + 180.0
    study.tell(first, 2.0)
    clock.now = start + 420.0
    study.tell(second, failed=True)
    taken(study, clock, start + 480.0)
    clock.now = start + 500.0
    study.storage.enqueue(study.record, {"x": 0.9})
    return study, start


def test_bars_run_from_asked_to_told_and_to_now(made):
    study, start = made
    chart = plot(study, "timeline", now=start + 600.0)
    table = table_with(chart, "asked")
    np.testing.assert_allclose(table["asked"], [0.0, 1.0, 2.0, 8.0, 500.0 / 60.0])
    np.testing.assert_allclose(table["told"], [0.0, 3.0, 7.0, 10.0, 10.0])
    assert table["state"].tolist() == ["done", "done", "failed", "under way", "in the queue"]
    assert table["took"][2] == "5 minutes"
    title = specification(chart)["title"]
    assert title["text"] == "5 trials: 2 done, 1 failed, 1 under way, 1 in the queue"
    assert "2001-09-09 01:46:40 UTC" in title["subtitle"]


def test_states_have_shapes_words_and_colors_of_their_own(made):
    study, start = made
    marks = specification(timeline_chart(study, now=start + 600.0))["layer"][1]["encoding"]
    assert marks["shape"]["scale"]["domain"] == ["done", "failed", "under way", "in the queue"]
    for channel in ("shape", "color"):
        assert len(set(marks[channel]["scale"]["range"])) == 4


@pytest.mark.parametrize(("took", "unit"), [(90.0, "seconds"), (7201.0, "hours"), (259200.0, "days")])
def test_the_unit_is_the_largest_that_tells_apart(took, unit):
    clock = Clock()
    study = Study(Space({"x": Real(0, 1)}), storage=MemoryStorage(clock=clock), random_state=0)
    trial = taken(study, clock, clock.now)
    clock.now += took
    study.tell(trial, 1.0)
    chart = timeline_chart(study)
    assert specification(chart)["layer"][0]["encoding"]["x"]["title"] == f"{unit} since the first of them"
    seconds = {"seconds": 1.0, "hours": 3600.0, "days": 86400.0}[unit]
    assert table_with(chart, "asked")["told"][0] == pytest.approx(took / seconds)


def test_of_many_the_latest_are_drawn():
    study = Study(Space({"x": Real(0, 1)}), random_state=0)
    study.add([{"x": 0.5}] * 520, np.arange(520.0))
    chart = timeline_chart(study)
    assert table_with(chart, "trial")["trial"].tolist() == list(range(20, 520))
    assert "the latest 500 of 520" in specification(chart)["title"]["subtitle"]


def test_an_empty_study_has_none():
    with pytest.raises(InputError, match="the study has no trial"):
        timeline_chart(Study(Space({"x": Real(0, 1)}), random_state=0))
