"""What the child that stays does about studies: plain values in, plain values out, nothing kept but the storage."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from credo.app.console import jsonable
from credo.errors import InputError

if TYPE_CHECKING:
    from credo.decide import Study, Trial

__all__ = ["ask", "begin", "chart", "exported", "listed", "of_study", "shown", "standing", "tell"]

Say = Callable[[str], None]
_LEASE = 30 * 86400.0  # seconds: a person who measures takes days
_SHOWN = 500  # trials, the latest


def listed(say: Say, storage: str) -> list[dict[str, Any]]:
    """The studies that are kept, the newest first."""
    from credo.decide import storage_from

    where = storage_from(storage)
    records = sorted(where.list_studies(), key=lambda record: -record.id)
    return [{"id": record.id, "name": record.name, **where.counts(record)._asdict()} for record in records]


def begin(
    say: Say,
    storage: str,
    name: str,
    directions: dict[str, Any],
    parameters: dict[str, dict[str, Any]],
    bounds: list[str],
    runs: Path | None,
    scales: dict[str, Any],
) -> int:
    """Its number. What was said of columns counts for the table of past runs."""
    from credo.app.beginning import begin_study
    from credo.represent import Space, Table

    space = Space({key: _parameter(key, given) for key, given in parameters.items()}) if parameters else None
    table = None if runs is None else Table.read(runs, scales=scales)
    made = begin_study(storage, name, directions, space=space, bounds=bounds, runs=table, lease=_LEASE)
    return made.record.id


def of_study(say: Say, storage: str, id: int, work: Callable[..., Any], *arguments: Any) -> Any:
    """What ``work(study, *arguments)`` says of the study of that number; None where there is none."""
    from credo.decide import storage_from

    names = {record.id: record.name for record in storage_from(storage).list_studies()}
    return work(_opened(storage, id, names[id]), *arguments) if id in names else None


def shown(study: "Study") -> dict[str, Any]:
    """What a study is and where its trials stand."""
    trials = study.trials
    return jsonable(
        {
            "id": study.record.id,
            "name": study.name,
            "directions": study.goal.directions,
            "bounds": [str(bound) for bound in study.goal.bounds],
            "outcomes": list(study.goal.outcomes),
            "parameters": [{"name": key, "values": p.values_in_words} for key, p in study.space.parameters.items()],
            "counts": study.storage.counts(study.record)._asdict(),
            "best": _best(study),
            "charts": _charts(study),
            "trials": [_trial(trial) for trial in trials[-_SHOWN:]],
        }
    )


def ask(study: "Study", n: int) -> list[dict[str, Any]]:
    """New trials, each with its reason."""
    return jsonable([_trial(trial) for trial in study.ask_batch(n)])


def tell(study: "Study", number: int, values: dict[str, float], failed: bool, note: str) -> bool:
    """The result of a trial, or that it failed."""
    return study.tell(study.trial(number), None if failed else values, failed=failed, note=note)


def standing(study: "Study") -> list[str]:
    """The best measured, what is recommended, and what is left to gain."""
    return list(study.report().standing)


def chart(study: "Study", kind: str, columns: list[str]) -> dict[str, Any]:
    """A picture as Vega-Lite, with its words and its numbers."""
    from credo.plots import chart_tables, chart_words, plot

    drawn = plot(study, kind, *columns)
    tables = [{"columns": table.columns, "rows": table.rows} for table in chart_tables(drawn)]
    return {"spec": drawn.to_dict(), **jsonable({"words": chart_words(drawn), "tables": tables})}


def exported(study: "Study") -> str:
    """All trials as CSV, without formulas."""
    import polars as pl

    from credo.represent import write_csv

    columns = ["trial", *study.space.parameters, *study.goal.outcomes, "state", "note"]
    names = [_unlike(column, columns[:i]) for i, column in enumerate(columns)]
    rows = [
        [
            trial.number,
            *(trial.params.get(name) for name in study.space.parameters),
            *((trial.values or {}).get(name) for name in study.goal.outcomes),
            trial.state,
            trial.note or None,
        ]
        for trial in study.trials
    ]
    return write_csv(pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None))


@lru_cache(maxsize=16)
def _opened(storage: str, id: int, name: str) -> "Study":
    """A study, opened once: it reads what is new, and remembers what it has learnt. A name may be given again."""
    from credo.decide import open_study

    return open_study(name, storage, lease=_LEASE)


def _parameter(name: str, given: Mapping[str, Any]) -> Any:
    from credo.represent import Choice
    from credo.represent.space.ranges import range_of

    return Choice(*given["options"], ordered=given["ordered"]) if "options" in given else range_of(name, **given)


def _charts(study: "Study") -> dict[str, list[list[str]]]:
    """The pictures that there are, each with what can be chosen for its columns."""
    kinds = {name: p.column(name).kind for name, p in study.space.parameters.items()}
    numbers = [name for name, kind in kinds.items() if kind in ("continuous", "integer")]
    several = len(study.names) > 1
    found: dict[str, list[list[str]]] = {"pareto": []} if several else {"history": []}
    found["slice"] = [list(kinds)]
    if len(numbers) > 1:
        found["contour"] = [numbers, numbers]
    return {**found, "parallel": [], "timeline": []}


def _best(study: "Study") -> list[int]:
    """The numbers of the best measured trial, of several objectives of the front."""
    try:
        found = study.pareto if len(study.names) > 1 else [study.best]
    except InputError:  # nothing that counts was measured yet
        return []
    return [trial.number for trial in found]


def _trial(trial: "Trial") -> dict[str, Any]:
    return {
        "number": trial.number,
        "params": trial.params,
        "values": trial.values,
        "state": trial.state,
        "note": trial.note,
        "why": str(trial.why),
    }


def _unlike(name: str, others: list[str]) -> str:
    """A parameter may be called "state"."""
    while name in others:
        name += "_"
    return name
