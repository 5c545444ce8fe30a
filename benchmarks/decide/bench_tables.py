"""`credo.learn` as it comes against scikit-learn's HistGradientBoosting with split-conformal intervals, on ten tables.

A run is a table and a split of it, both contestants on the same rows. Each is written to a file of results as soon as
it is there, so that an interrupted race goes on where it was; results hold for the sources of credo.
"""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.decide.tables import OF_UCI, SPLITS, TABLES, UCI, Ten, split
from benchmarks.decide.with_credo import identity_of
from benchmarks.race import RESULTS, Race, Row

CACHE = RESULTS / "tables_runs.jsonl"
LEVEL = 0.9
PARTS = ("numerics", "beliefs", "kernels", "represent", "infer", "models", "validate", "decide/learning")


def interval_score(low: np.ndarray, high: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Width, and what a miss costs (Gneiting & Raftery 2007, eq. 43)."""
    alpha = 1.0 - LEVEL
    return high - low + 2.0 / alpha * (np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0))


def log_losses(probabilities: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Of the class that was seen."""
    return -np.log(np.maximum(probabilities[np.arange(len(codes)), codes], 1e-15))


def judged_credo(ten: Ten, train: np.ndarray, test: np.ndarray) -> Row:
    """What was learnt, at rows it has not seen."""
    import credo

    learned = credo.learn(ten.frame[train], ten.target, random_state=0)
    new, y = ten.frame[test], ten.frame[ten.target][test].to_numpy()
    if ten.is_class:
        codes = np.searchsorted(learned.model.classes_, y.astype(str))
        probabilities = np.asarray(learned.model.predict_dist(new).mean)
        inside = learned.model.predict_set(new, LEVEL)[np.arange(len(codes)), codes]
        shares = np.unique(learned.y, return_counts=True)[1] / len(learned.y)
        none = log_losses(np.tile(shares, (len(codes), 1)), codes)
        losses = log_losses(probabilities, codes)
    else:
        low, high = learned.model.predict_interval(new, LEVEL)
        inside, losses = (low <= y) & (y <= high), interval_score(low, high, y)
        own, none = (learned.model.predict(new) - y) ** 2, (np.mean(learned.y) - y) ** 2
        return {"held": inside, "losses": losses, "own": own, "none": none, "model": learned.chosen}
    return {"held": inside, "losses": losses, "own": losses, "none": none, "model": learned.chosen}


def judged_peer(ten: Ten, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Gradient boosting with its defaults: split-conformal intervals from a quarter of the rows, or probabilities."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    X, y = ten.frame.drop(ten.target).to_numpy().astype(float), ten.frame[ten.target].to_numpy()
    if ten.is_class:
        model = HistGradientBoostingClassifier(random_state=0).fit(X[train], y[train])
        return log_losses(model.predict_proba(X[test]), np.searchsorted(model.classes_, y[test]))
    order = np.random.default_rng(0).permutation(train)
    kept, calibration = order[len(order) // 4 :], order[: len(order) // 4]
    model = HistGradientBoostingRegressor(random_state=0).fit(X[kept], y[kept])
    errors = np.sort(np.abs(y[calibration] - model.predict(X[calibration])))
    reach = errors[min(int(np.ceil(LEVEL * (len(errors) + 1))), len(errors)) - 1]
    said = model.predict(X[test])
    return interval_score(said - reach, said + reach, y[test])


def run(name: str, seed: int, by: str) -> Row:
    """Both contestants on one split."""
    ten = TABLES[name]()
    train, test = split(len(ten.frame), seed)
    start = time.perf_counter()
    found = judged_credo(ten, train, test)
    seconds = time.perf_counter() - start
    return {
        "table": name,
        "split": seed,
        "by": by,
        "model": found["model"],
        "rows": len(test),
        "held": int(np.sum(found["held"])),
        "credo": float(np.mean(found["losses"])),
        "peer": float(np.mean(judged_peer(ten, train, test))),
        "own": float(np.mean(found["own"])),
        "none": float(np.mean(found["none"])),
        "seconds": seconds,
    }


def read(file: Path, by: str) -> dict[tuple[str, int], Row]:
    """The results that still hold."""
    if not file.exists():
        return {}
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {(row["table"], row["split"]): row for row in rows if row["by"] == by}


def summary(rows: list[Row]) -> Row:
    """Of one table: coverage with its 99 % band, and the scores."""
    n, held = sum(row["rows"] for row in rows), sum(row["held"] for row in rows)
    low, high = stats.binom.ppf([0.005, 0.995], n, LEVEL) / n
    own, peer = float(np.mean([row["credo"] for row in rows])), float(np.mean([row["peer"] for row in rows]))
    models = sorted({row["model"] for row in rows}, key=lambda name: (-sum(row["model"] == name for row in rows), name))
    better = np.mean([row["own"] for row in rows]) < np.mean([row["none"] for row in rows])
    return {
        "table": rows[0]["table"],
        "model": models[0],
        "held": f"{held / n:.1%} of {n}",
        "99 % band": f"{low:.1%} to {high:.1%}",
        "inside": "yes" if low <= held / n <= high else "no",
        "credo": own,
        "HistGradientBoosting": peer,
        "as good": "yes" if own <= peer else "no",
        "better than the mean": "yes" if better else "no",
    }


def race() -> Race:
    """One row a table."""
    by, notes = identity_of(PARTS), []
    names = [name for name in TABLES if UCI.exists() or name not in OF_UCI]
    there = read(CACHE, by)
    with CACHE.open("a", encoding="utf-8") as lines:
        for seed in range(SPLITS):
            for name in names:
                if (name, seed) not in there:
                    row = there[name, seed] = run(name, seed, by)
                    print(f"{name} {seed}: {row['model']}, {row['credo']:.3g} against {row['peer']:.3g}", flush=True)
                    lines.write(json.dumps(row) + "\n")
                    lines.flush()
    CACHE.write_text("".join(json.dumps(there[key]) + "\n" for key in sorted(there)), encoding="utf-8")
    rows: list[dict[str, Any]] = [summary([there[name, seed] for seed in range(SPLITS)]) for name in names]
    n, held = (sum(there[name, s][part] for name in names for s in range(SPLITS)) for part in ("rows", "held"))
    notes.append(f"Pooled over tables, {held / n:.1%} of {n} rows were held.")
    text = (
        "`credo.learn` with its defaults, a tenth of the rows held out, ten splits: how often 90 % intervals (sets of "
        "classes) held, beside the band in which 99 % of honest ones would, and the score of the 90 % interval (log "
        "loss of classes), less is better. The peer is scikit-learn's HistGradientBoosting with its defaults, of "
        "numbers with split-conformal intervals from a quarter of its rows, on the same splits."
    )
    return Race("Tables as they come", text, rows, tuple(notes))
