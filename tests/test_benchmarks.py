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


def test_regret_on_bbob_is_compared_on_the_instances_that_all_have_run(race):
    from benchmarks.decide.bench_bbob import notes_of, table_of

    regrets = {"credo": {1: 1.0, 2: 4.0, 3: 100.0}, "Optuna": {1: 8.0, 2: 8.0}, "BoTorch": {1: 2.0, 2: 8.0}}
    there = {
        ("f3 in 4", library, seed): {"regret": regret, "cpu": 1.0}
        for library, by_seed in regrets.items()
        for seed, regret in by_seed.items()
    }
    there["f4 in 4", "Optuna", 1] = {"regret": 1.0, "cpu": 1.0}  # credo has not run it
    (row,) = table_of(there)
    assert (row["function"], row["instances"]) == ("f3", 2)
    assert row["ratio to the better peer"] == pytest.approx(0.5)
    (note,) = notes_of(there, [row])
    assert "on 1 of 1 functions, geometric mean ratio 0.50, 0 above 1.5, worst 0.50 (f3)" in note
    twice = {**row, "parameters": 2, "ratio to the better peer": 8.0}
    *_, together = notes_of(there, [row, twice, {**twice, "function": "f4", "ratio to the better peer": 0.5}])
    assert "together: not worse than the better peer (ratio at most 1.1) on 1 of 2 functions" in together
    assert "geometric mean ratio 1.00, 1 above 1.5, worst 2.00 (f3)" in together


def test_runs_of_another_version_do_not_count(race, tmp_path):
    from benchmarks.decide.runs import keep_only, read

    rows = [{"problem": "f1 in 2", "library": "credo", "seed": seed, "by": by} for seed, by in ((1, "old"), (2, "new"))]
    there = {(row["problem"], row["library"], row["seed"]): row for row in rows}
    keep_only(there, tmp_path / "runs.jsonl")
    assert list(read(tmp_path / "runs.jsonl", {"credo": "new"})) == [("f1 in 2", "credo", 2)]
    assert read(tmp_path / "none.jsonl", {"credo": "new"}) == {}


def test_comments_and_docstrings_do_not_outdate_results(race, tmp_path):
    from benchmarks.decide.with_credo import code_of

    def code(text):
        (tmp_path / "module.py").write_text(text, encoding="utf-8")
        return code_of(tmp_path / "module.py")

    plain = code('def f(x):\n    "Text."\n    return x + 1\n')
    assert code('"""A module."""\n\n\ndef f(x):\n    # Why.\n    return x + 1\n') == plain
    assert code("def f(x):\n    return x + 2\n") != plain
