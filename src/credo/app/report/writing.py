"""The model and the report of what was learnt, in a folder: the same for the command line and the web page."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import credo
from credo.app.console import Direction
from credo.app.report.page import report_html
from credo.decide import Explanation, Learned, NextRuns, explain
from credo.errors import CredoError

__all__ = ["Written", "write_report"]


class Written(NamedTuple):
    """Where they are."""

    model: Path
    report: Path


def write_report(
    learned: Learned,
    folder: Path,
    say: Callable[[str], None],
    *,
    direction: Direction | None = None,
    seed: int = 0,
    command: str = "",
) -> Written:
    """Explain what was learnt, with a direction also what to measure next, and write both files; `say` takes phases."""
    question = learned.question
    say("what it goes by")
    explanation: Explanation = explain(learned, random_state=seed)
    runs: NextRuns | str | None = None
    if direction is not None and question.kind != "class":
        say("what to measure next")
        known = learned.table.frame[[*question.columns, question.target]]
        try:
            runs = credo.next_runs(known, question.target, direction=direction, random_state=seed)
        except CredoError as error:  # what was learnt is worth a report all the same
            runs = str(error)
    say("writing")
    written = Written(folder / "model.credo", folder / "report.html")
    page = report_html(learned, explanation, runs, command=command)
    # The name of a file may hold bytes that are no letters; they are told by their numbers.
    written.report.write_text(page, encoding="utf-8", errors="backslashreplace")
    credo.save(learned.model, written.model)
    return written
