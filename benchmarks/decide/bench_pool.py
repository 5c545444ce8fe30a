"""What to label next in a pool: time and memory at 50 000 × 64, and what the labels are worth on the digits.

`python -m benchmarks.decide.bench_pool NAME` prints the seconds and the peak memory in MiB of one sampler.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.decide.pool_digits import rows_of_digits
from benchmarks.gp.memory import measured_apart, peak_beyond_now
from benchmarks.race import Race, Row
from credo.decide.pool import CoreSetSampler, KMeansSampler, ProbCover, RandomSampler

ROWS, COLUMNS, PICKS, CLUMPS = 50_000, 64, 100, 10
# Two rows of a clump are some √128 = 11.3 apart. Within 10 a ball holds a tenth of its clump on average, around its
# center two thirds, and nothing of another clump: covering is then a question of which rows to pick.
DELTA = 10.0


def pool() -> np.ndarray:
    """Ten clumps that touch."""
    rng = np.random.default_rng(0)
    centers = 1.5 * rng.normal(size=(CLUMPS, COLUMNS))
    return centers[rng.integers(CLUMPS, size=ROWS)] + rng.normal(size=(ROWS, COLUMNS))


def greedy_on_graph(X: np.ndarray) -> np.ndarray:
    """The usual way: scikit-learn's graph of all pairs within the radius, then the greedy cover on it."""
    graph = NearestNeighbors(radius=DELTA, algorithm="brute").fit(X).radius_neighbors_graph(X)
    bare, picks = np.ones(ROWS, dtype=bool), np.empty(PICKS, dtype=np.int64)
    for k in range(PICKS):
        picks[k] = np.argmax(graph @ bare.astype(np.float64))
        bare[graph.indices[graph.indptr[picks[k]] : graph.indptr[picks[k] + 1]]] = False
    return picks


SAMPLERS: dict[str, Callable[[np.ndarray], Any]] = {
    "ProbCover": lambda X: ProbCover(random_state=0).ask(X, PICKS).indices,
    f"ProbCover, delta={DELTA:g}": lambda X: ProbCover(delta=DELTA).ask(X, PICKS).indices,
    f"scikit-learn's graph, delta={DELTA:g}": greedy_on_graph,
    "core-set": lambda X: CoreSetSampler(random_state=0).ask(X, PICKS).indices,
    "k-means": lambda X: KMeansSampler(random_state=0).ask(X, PICKS).indices,
    "random": lambda X: RandomSampler(random_state=0).ask(X, PICKS).indices,
}


def rows_of_size() -> list[Row]:
    """One row a sampler: seconds of one question, and peak memory beyond the pool, in a process of its own."""
    X, rows, picks = pool(), [], {}
    for name, ask in SAMPLERS.items():
        start, worked = time.perf_counter(), time.process_time()
        picks[name] = ask(X)
        row = {"seconds": time.perf_counter() - start, "CPU seconds": time.process_time() - worked}
        row |= {"peak MiB": measured_apart("benchmarks.decide.bench_pool", name)}
        rows.append({"case": f"{ROWS} × {COLUMNS}, {PICKS} picks", "sampler": name, **row})
    same = np.array_equal(picks[f"ProbCover, delta={DELTA:g}"], picks[f"scikit-learn's graph, delta={DELTA:g}"])
    print("The exact greedy and scikit-learn's graph pick the same rows." if same else "The picks differ.")
    return rows


def race(seeds: int = 20) -> Race:
    """The large pool, then the digits."""
    rows = rows_of_size() + rows_of_digits(seeds)
    text = (
        f"Time and peak memory (beyond the pool itself) of {PICKS} picks from {ROWS} rows of {COLUMNS} columns; CPU "
        "seconds, of all threads, do not depend on who else is at work on the machine. Then the accuracy of logistic "
        "regression on digits that are not in the pool, after so many labels, with its standard error over "
        f"{seeds} splits. ProbCover was told that there are ten classes; uncertainty, margin and entropy begin with "
        "ten random rows and ask the classifier again after every ten."
    )
    return Race("Picking from a pool", text, rows)


if __name__ == "__main__":
    X = pool()
    print(peak_beyond_now(lambda: SAMPLERS[sys.argv[1]](X)))
