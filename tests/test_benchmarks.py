"""The machinery of the races: timing, tables, and the page that they renew."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def race(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import race

    yield race
    for name in [name for name in sys.modules if name.split(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_a_section_is_renewed_between_its_markers(race):
    outcome = race.Race("Title", "Text.", [{"n": 1, "seconds": 0.12345}])
    page = "# Benchmarks\n\n<!-- race:a -->\nold\n<!-- end -->\n\n<!-- race:b -->\nkept\n<!-- end -->\n"
    renewed = race.renewed(page, "a", outcome, race.table(outcome.rows))
    assert "old" not in renewed
    assert "| 1 | 0.123   |" in renewed
    assert renewed.endswith("<!-- race:b -->\nkept\n<!-- end -->\n")
    assert race.renewed(renewed, "a", outcome, race.table(outcome.rows)) == renewed


def test_a_new_race_gets_a_section_at_the_end(race):
    outcome = race.Race("Title", "Text.", [{"n": 1}])
    assert race.renewed("# Page\n", "new", outcome, "result").endswith("<!-- race:new -->\n\nresult\n\n<!-- end -->\n")


def test_timing_counts_the_first_call_apart(race):
    calls = []
    timings = race.interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repeats=3)
    assert calls == ["a", "b"] * 4
    assert timings["a"].best <= timings["a"].first + 1.0


def test_every_race_in_the_folder_is_found_and_has_its_section(race):
    from benchmarks.__main__ import main, races

    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert races()
    assert all(f"<!-- race:{name} -->" in page for name in races())
    with pytest.raises(SystemExit, match="no race nonsense"):
        main(["nonsense"])
