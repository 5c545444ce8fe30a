"""Six UCI tables, ten splits each: test log density, RMSE and coverage of credo, scikit-learn and GPyTorch.

The tables are reference data that are not part of the project: `uci/NAME.csv.gz` (last column the target) and
`uci/NAME.test_mask.csv.gz` (column j marks the test rows of split j) in the folder that the environment variable
CREDO_DATA names, by default `../shared/data` beside the checkout.

All splits take hours, so each fit is kept as soon as it is done. `python -m benchmarks.gp.bench_uci --sets yacht
--splits 0 1` does some and prints what there is; `python -m benchmarks uci` does what is missing and renews the page.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from benchmarks.gp.problem import RESTARTS, Fitted, log_density, log_evidence, starts
from benchmarks.race import RESULTS, ROOT, Race, Row, table

SETS = ("yacht", "housing", "energy", "concrete", "airfoil", "wine")
SPLITS = tuple(range(10))
CONTESTANTS = ("credo", "scikit-learn", "GPyTorch")
LEVEL = 0.9
STORE = RESULTS / "uci_splits.json"

Records = dict[str, Row]


def folder() -> Path:
    """Where the reference data lie."""
    return Path(os.environ.get("CREDO_DATA", ROOT.parent / "shared" / "data")) / "uci"


def split_of(name: str, split: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows and targets to fit, rows and targets to predict."""
    rows = np.loadtxt(folder() / f"{name}.csv.gz", delimiter=",")
    test = np.loadtxt(folder() / f"{name}.test_mask.csv.gz", delimiter=",", usecols=split) == 1.0
    x, y = rows[:, :-1], rows[:, -1]
    return x[~test], y[~test], x[test], y[test]


def fit(contestant: str, x: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    """credo as it comes; the peers by maximal evidence, from as many starts of the same distribution."""
    if contestant == "credo":
        from benchmarks.gp import with_credo

        return with_credo.fit(x, y, seed, n_restarts=RESTARTS)
    points = starts(x.shape[1], seed)
    if contestant == "GPyTorch":
        from benchmarks.gp import with_gpytorch

        return with_gpytorch.fit(x, y, points)
    from benchmarks.gp import with_scikit_learn

    return with_scikit_learn.fit(x, y, points)


def outcome(name: str, split: int, contestant: str) -> Row:
    """One fit, and its predictions judged in the units of the table."""
    x, y, new_x, new_y = split_of(name, split)
    fitted = fit(contestant, x, y, split)
    mean, std = fitted.predict(new_x)
    inside = np.abs(new_y - mean) <= ndtri(0.5 + 0.5 * LEVEL) * std
    return {
        "rows": len(y),
        "columns": x.shape[1],
        "test rows": len(new_y),
        "inside": int(np.sum(inside)),
        "log density": float(np.mean(log_density(new_y, mean, std))),
        "RMSE": float(np.sqrt(np.mean((new_y - mean) ** 2))),
        "log evidence": log_evidence(x, y, fitted),
        "noise variance": fitted.noise,
    }


def run(
    sets: Sequence[str], splits: Sequence[int], contestants: Sequence[str], store: Path = STORE, *, again: bool = False
) -> Records:
    """All records there are, after those asked for and missing (or `again`, all asked for) have been made."""
    records: Records = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
    for split in splits:
        for name in sets:
            for contestant in contestants:
                key = f"{name}/{split}/{contestant}"
                if key in records and not again:
                    continue
                records[key] = outcome(name, split, contestant)
                _write(store, records)
                print(key, {part: f"{value:.5g}" for part, value in records[key].items()}, flush=True)
    return records


def _write(store: Path, records: Records) -> None:
    """All or nothing: a run that is stopped leaves the records of before."""
    store.parent.mkdir(parents=True, exist_ok=True)
    draft = store.with_suffix(".part")
    draft.write_text(json.dumps(dict(sorted(records.items())), indent=1) + "\n", encoding="utf-8")
    draft.replace(store)


def summary(records: Records) -> list[Row]:
    """One row a table and contestant, and the pooled coverage of each contestant."""
    rows = []
    for name in SETS:
        for contestant in CONTESTANTS:
            mine = _of(records, name, contestant)
            if mine:
                rows.append({"table": name, **_averages(mine, contestant)})
    for contestant in CONTESTANTS:
        every = [record for name in SETS for record in _of(records, name, contestant)]
        if every:
            pooled = {"splits": len(every), "90 % coverage": _coverage(every)}
            rows.append({"table": "all", "implementation": contestant, **pooled})
    return rows


def _of(records: Records, name: str, contestant: str) -> list[Row]:
    keys = (f"{name}/{split}/{contestant}" for split in SPLITS)
    return [records[key] for key in keys if key in records]


def _averages(mine: list[Row], contestant: str) -> Row:
    density = np.array([record["log density"] for record in mine])
    return {
        "rows": mine[0]["rows"],
        "implementation": contestant,
        "splits": len(mine),
        "log density": float(np.mean(density)),
        "± standard error": float(np.std(density, ddof=1) / len(mine) ** 0.5) if len(mine) > 1 else None,
        "RMSE": float(np.mean([record["RMSE"] for record in mine])),
        "90 % coverage": _coverage(mine),
        "log evidence": float(np.mean([record["log evidence"] for record in mine])),
    }


def _coverage(records: list[Row]) -> float:
    return sum(record["inside"] for record in records) / sum(record["test rows"] for record in records)


def race(store: Path = STORE) -> Race:
    """What is stored, completed where the tables are at hand."""
    at_hand = [name for name in SETS if (folder() / f"{name}.csv.gz").exists()]
    records = run(at_hand, SPLITS, CONTESTANTS, store)
    missing = len(SETS) * len(SPLITS) * len(CONTESTANTS) - len(records)
    text = (
        "Six UCI tables with ten splits each, nine tenths to fit and one to predict: Matérn-5/2 with a length-scale a "
        "column and noise, five starts of the same distribution for all. credo as it comes (the mode under its "
        "priors), the peers by maximal evidence with L-BFGS-B. Log density of a new observation and RMSE are averages "
        "over splits, in the units of the table; coverage of 90 % intervals is pooled over test rows."
    )
    notes = (f"{missing} fits are missing: the reference data were not there.",) if missing else ()
    return Race("Gaussian processes on UCI tables", text, summary(records), notes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--splits", nargs="+", type=int, choices=SPLITS, default=SPLITS, metavar="0..9")
    parser.add_argument("--contestants", nargs="+", choices=CONTESTANTS, default=CONTESTANTS)
    parser.add_argument("--again", action="store_true", help="also what is already stored")
    parser.add_argument("--store", type=Path, default=STORE, help="the file of finished splits")
    asked = parser.parse_args()
    print(table(summary(run(asked.sets, asked.splits, asked.contestants, asked.store, again=asked.again))))


if __name__ == "__main__":
    main()
