"""Whether the intervals of a study hold: coverage of 90 % intervals on known functions, with few and noisy trials.

A run is one study of a function, a size of the noise, a number of parameters and a seed; its beliefs are checked after
6, 8, 15, 30 and 60 trials. Each run is written to a file as soon as it ends, so that an interrupted race goes on:

    python -m benchmarks honest   # what is missing of it, in two processes, and the table
    CREDO_SEEDS=10 python -m benchmarks honest   # with fewer seeds than the hundred
    CREDO_SECONDS=1200 python -m benchmarks honest   # as far as it comes in twenty minutes

Results do not depend on the time, so that runs share the machine with others; each has one thread.
"""

import json
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import qmc

from benchmarks.decide.runs import completed
from benchmarks.decide.with_credo import identity
from benchmarks.race import RESULTS, Race, Row

TRUTHS = ("flat", "smooth", "rough", "step")
NOISES = {"none": 0.0, "small": 0.5, "large": 5.0}  # the standard deviation of a function over its space is 5
SIZES = (1, 2, 5)
TRIALS = (6, 8, 15, 30, 60)
SEEDS = int(os.environ.get("CREDO_SEEDS", "100"))
LEVEL = 0.9
_BAND, _LOWEST, _SHARE = (0.85, 0.95), 0.80, 0.90  # the target: within the band in nine of ten cells, nowhere lower
_LEVEL_OF_TRUTH, _SPREAD = 50.0, 5.0
_POINTS = 16  # random points of the space at which the posterior is checked
_ROUND_OFF = 1e-9  # of the spread: an interval that is a point may miss by this much

Key = tuple[str, str, int, int]
Function = Callable[[np.ndarray], np.ndarray]


class Truth(NamedTuple):
    """A function of rows of the unit cube."""

    function: Function

    def at(self, point: dict[str, float]) -> float:
        """Its value at one point."""
        return float(self.function(np.array([list(point.values())]))[0])


def truth_of(name: str, d: int, seed: int) -> Truth:
    """One function of a kind, with a place of its own for each seed; its standard deviation over the cube is 5."""
    if name == "flat":
        return Truth(lambda X: np.full(len(X), _LEVEL_OF_TRUTH))
    raw = {"smooth": _smooth, "rough": _rough, "step": _step}[name](d, np.random.default_rng([seed, d]))
    values = raw(qmc.Sobol(d, seed=0).random(4096))
    center, spread = float(np.mean(values)), float(np.std(values))
    return Truth(lambda X: _LEVEL_OF_TRUTH + _SPREAD * (raw(X) - center) / spread)


def _smooth(d: int, rng: np.random.Generator) -> Function:
    """A bowl whose axes interact, with its bottom somewhere inside."""
    bottom, widths = rng.uniform(0.2, 0.8, d), rng.uniform(0.5, 2.0, d)
    return lambda X: ((X - bottom) ** 2) @ widths + 0.3 * np.prod(X, axis=1)


def _rough(d: int, rng: np.random.Generator) -> Function:
    """A draw from a Matérn-3/2 process whose length-scale is a fifth of the typical distance."""
    waves = rng.standard_t(3, size=(512, d)) / (0.2 * np.sqrt(d))
    phases = rng.uniform(0.0, 2.0 * np.pi, 512)
    weights = rng.normal(size=512)
    return lambda X: np.cos(X @ waves.T + phases) @ weights


def _step(d: int, rng: np.random.Generator) -> Function:
    """A jump along a plane through the middle, on a slope."""
    across, along = rng.normal(size=d), rng.normal(size=d)
    return lambda X: np.sign((X - 0.5) @ across) + 0.5 * (X - 0.5) @ along


def run(key: Key, by: str) -> Row:
    """One study: after each number of trials whether the interval of the recommendation holds, that of the suggestion
    before it, and in which share of random points that of the posterior does; and how wide the first is."""
    from credo import Study
    from credo.represent.space import Real, Space

    name, noise, d, seed = key
    truth = truth_of(name, d, seed)
    rng = np.random.default_rng([seed, d, TRUTHS.index(name), list(NOISES).index(noise)])
    errors = NOISES[noise] * rng.normal(size=max(TRIALS))
    points = [{f"x{j}": float(x) for j, x in enumerate(row)} for row in rng.uniform(size=(_POINTS, d))]
    study = Study(Space({f"x{j}": Real(0, 1) for j in range(d)}), random_state=seed)
    results: dict[str, list[float]] = {"recommended": [], "suggested": [], "anywhere": [], "width": []}
    for count, error in enumerate(errors, 1):
        trial = study.ask()
        value = truth.at(trial.params)
        study.tell(trial, value + float(error))
        if count not in TRIALS:
            continue
        best = study.recommend()
        low, high = (float(end) for end in best.belief.interval(LEVEL))
        lows, highs = (np.asarray(end) for end in study.posterior(points).interval(LEVEL))
        values = np.array([truth.at(point) for point in points])
        results["recommended"].append(float(_held(low, high, truth.at(best.params))))
        results["suggested"].append(_of_suggestion(trial.why, value))
        results["anywhere"].append(float(np.mean(_held(lows, highs, values))))
        results["width"].append(round(high - low, 6))
    return {"key": key, "by": by, **results}


def _held(low: Any, high: Any, value: Any) -> Any:
    slack = _ROUND_OFF * _SPREAD
    return (low - slack <= value) & (value <= high + slack)


def _of_suggestion(why: Any, value: float) -> float:
    """Whether the normal interval of the reason holds; NaN in the even design, which has no belief."""
    if why.mean is None:
        return float("nan")
    half = 1.6448536269514722 * why.std
    return float(_held(why.mean - half, why.mean + half, value))


def table_of(runs: dict[Key, dict[str, Any]]) -> tuple[list[Row], tuple[str, ...]]:
    """A row for each function, noise and number of parameters, coverage of recommendations by trials; and notes."""
    rows: list[Row] = []
    cells: list[float] = []
    for name, noise, d in product(TRUTHS, NOISES, SIZES):
        results = [found for key, found in runs.items() if key[:3] == (name, noise, d)]
        if not results:
            continue
        held = np.mean([found["recommended"] for found in results], axis=0)
        cells += held.tolist()
        row: Row = {"function": name, "noise": noise, "parameters": d, "studies": len(results)}
        row |= {f"{count} trials": f"{share:.0%}" for count, share in zip(TRIALS, held, strict=True)}
        row["suggestions"] = f"{np.nanmean([found['suggested'] for found in results]):.0%}"
        row["random points"] = f"{np.mean([found['anywhere'] for found in results]):.0%}"
        rows.append(row)
    return rows, _notes(np.array(cells))


def _notes(cells: np.ndarray) -> tuple[str, ...]:
    low, high = _BAND
    inside, enough = np.mean((cells >= low) & (cells <= high)), np.mean(cells >= low)
    return (
        f"Of {len(cells)} cells {inside:.0%} are within {low:.0%} to {high:.0%}, {enough:.0%} at {low:.0%} or above; "
        f"the lowest is {np.min(cells):.0%}. Target: {_SHARE:.0%} within, none below {_LOWEST:.0%}. If each interval "
        f"held with probability {LEVEL:.0%} exactly, some 94 % of the cells would be within.",
    )


def runs_of(file: Path, seeds: range, by: str, workers: int) -> dict[Key, Row]:
    """The results of all studies; what is not in the file, or holds for other sources, is run first."""
    keys = [(name, noise, d, seed) for seed in seeds for name, noise, d in product(TRUTHS, NOISES, SIZES)]
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = [row for row in map(json.loads, lines) if row["by"] == by]
    results = {tuple(row["key"]): row for row in rows}
    for row in completed([(run, key, by) for key in keys if key not in results], workers=workers, file=file):
        results[tuple(row["key"])] = row
    file.write_text("".join(json.dumps(results[key]) + "\n" for key in sorted(results)), encoding="utf-8")
    return {key: results[key] for key in keys if key in results}


def race(workers: int = 2) -> Race:
    """One row for each function, noise and number of parameters."""
    runs = runs_of(RESULTS / "honest_runs.jsonl", range(SEEDS), identity(), workers)
    rows, notes = table_of(runs)
    text = (
        f"How often the 90 % interval of `Study.recommend()` contains the true mean at the recommended point, {SEEDS} "
        "studies with their defaults for each row, after 6 to 60 trials. Functions of one, two and five parameters "
        "have a standard deviation of 5 over the unit cube: a constant, a bowl, a draw from a Matérn-3/2 process, a "
        "jump on a slope; the standard deviation of the noise is 0, 0.5 or 5. Beside it the intervals of suggestions "
        "(mean ± 1.64 standard deviations, as their reasons state) and of `Study.posterior` at random points."
    )
    return Race("Coverage of what a study reports", text, rows, notes)
