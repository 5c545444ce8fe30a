"""What every race shares: interleaved timing, the table, the JSON file, and its section in docs/benchmarks.md."""

import json
import math
import os
import platform
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"

Row = dict[str, Any]


@dataclass(frozen=True)
class Race:
    """The outcome of one race: a title, what was raced and how, and a row a case."""

    title: str
    text: str
    rows: list[Row]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Timing:
    """The first call (imports and compilation included) and the best of the calls after it, in seconds."""

    first: float
    best: float
    value: Any


def interleaved(
    runners: Mapping[str, Callable[[], Any]], *, repeats: int = 5, seconds: float = 30.0
) -> dict[str, Timing]:
    """Time each runner once a round, round after round, so that a busy machine slows all of them alike.

    The first call of each is apart; the best of the rounds counts. It stops early once `seconds` have passed, after two
    rounds at the least. A runner returns when its answer is there: it blocks.
    """
    first, value = {}, {}
    for name, run in runners.items():
        start = time.perf_counter()
        value[name] = run()
        first[name] = time.perf_counter() - start
    best = dict.fromkeys(runners, math.inf)
    began = time.perf_counter()
    for done in range(repeats):
        for name, run in runners.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
        if done >= 1 and time.perf_counter() - began > seconds:
            break
    return {name: Timing(first[name], best[name], value[name]) for name in runners}


def once(runners: Mapping[str, Callable[[], Any]]) -> dict[str, Timing]:
    """Time one call of each runner, for cases that take minutes; compilation is part of it."""
    timings = {}
    for name, run in runners.items():
        start = time.perf_counter()
        value = run()
        seconds = time.perf_counter() - start
        timings[name] = Timing(seconds, seconds, value)
    return timings


def compared(timings: Mapping[str, Timing], peers: Collection[str] | None = None) -> dict[str, Row]:
    """The columns that say how fast each was: against the best of the `peers` (all but credo), and against credo."""
    best_peer = min(timing.best for name, timing in timings.items() if name in (peers or timings.keys() - {"credo"}))
    return {
        name: {
            "implementation": name,
            "seconds": timing.best,
            "ratio to best peer": timing.best / best_peer,
            "times credo's": timing.best / timings["credo"].best,
        }
        for name, timing in timings.items()
    }


def machine() -> str:
    """The machine in words that compare but do not identify."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def table(rows: list[Row]) -> str:
    """Rows as a Markdown table; numbers to three digits."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    widths = [max(len(column), *(len(line[i]) for line in cells)) for i, column in enumerate(columns)]
    lines = [columns, ["-" * width for width in widths], *cells]
    return "\n".join(
        "| " + " | ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)) + " |" for line in lines
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def publish(name: str, race: Race) -> None:
    """Print the table, write the JSON file, and renew the section of docs/benchmarks.md."""
    result = "\n\n".join([table(race.rows), *race.notes, f"Measured on {machine()}."])
    print(f"## {race.title}\n\n{race.text}\n\n{result}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    content = {"race": name, "title": race.title, "machine": machine(), "rows": race.rows}
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Benchmarks\n"
    PAGE.write_text(renewed(page, name, race, result), encoding="utf-8")


def renewed(page: str, name: str, race: Race, result: str) -> str:
    """The page with the result between the markers of this race; a race without markers gets its section at the end."""
    opening, closing = f"<!-- race:{name} -->", "<!-- end -->"
    marked = f"{opening}\n\n{result}\n\n{closing}"
    before, found, after = page.partition(opening)
    if not found:
        return f"{page.rstrip()}\n\n## {race.title}\n\n{race.text}\n\n{marked}\n"
    return before + marked + after.partition(closing)[2]
