"""Accuracy on scikit-learn's digits after some labels, by the sampler that chose what to label."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import Isomap
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.race import Row
from credo.decide.pool import (
    CoreSetSampler,
    EntropySampler,
    KMeansSampler,
    MarginSampler,
    ProbCover,
    RandomSampler,
    UncertaintySampler,
)

POOL, STEP, BUDGETS = 1200, 10, (10, 20, 50, 100)
Picks = dict[int, np.ndarray]


def spaces() -> dict[str, np.ndarray]:
    """The digits as pixels, and as an embedding that was learnt without labels."""
    pixels = load_digits().data / 16.0
    return {"pixels": pixels, "Isomap, 8 columns": Isomap(n_neighbors=12, n_components=8).fit_transform(pixels)}


def classifier() -> Any:
    """The one that all are judged by, and that the unsure ones ask."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))


def at_once(make: Callable[[int], Any]) -> Callable[..., Picks]:
    """A sampler that needs no labels: asked for each budget."""
    return lambda X, y, seed: {n: make(seed).ask(X, n).indices for n in BUDGETS}


def in_steps(make: Callable[[Any], Any]) -> Callable[..., Picks]:
    """A sampler that asks a classifier: random rows first, then batch by batch, refitted in between."""

    def picks(X: np.ndarray, y: np.ndarray, seed: int) -> Picks:
        rows = RandomSampler(random_state=seed).ask(X, BUDGETS[0]).indices
        while len(rows) < BUDGETS[-1]:
            fitted = classifier().fit(X[rows], y[rows])
            rows = np.concatenate([rows, make(fitted).ask(X, STEP, labelled=rows).indices])
        return {n: rows[:n] for n in BUDGETS}

    return picks


SAMPLERS: dict[str, Callable[..., Picks]] = {
    "ProbCover": at_once(lambda seed: ProbCover(classes=10, random_state=seed)),
    "ProbCover, alpha=0.8": at_once(lambda seed: ProbCover(classes=10, alpha=0.8, random_state=seed)),
    "random": at_once(lambda seed: RandomSampler(random_state=seed)),
    "core-set": at_once(lambda seed: CoreSetSampler(random_state=seed)),
    "k-means": at_once(lambda seed: KMeansSampler(random_state=seed)),
    "uncertainty": in_steps(UncertaintySampler),
    "margin": in_steps(MarginSampler),
    "entropy": in_steps(EntropySampler),
}


def rows_of_digits(seeds: int) -> list[Row]:
    """One row a space and sampler: mean accuracy on the digits that are not in the pool, with its standard error."""
    y, rows = load_digits().target, []
    for space, X in spaces().items():
        for name, sampler in SAMPLERS.items():
            scores: dict[int, list[float]] = {n: [] for n in BUDGETS}
            for seed in range(seeds):
                order = np.random.default_rng(seed).permutation(len(X))
                pool, test = order[:POOL], order[POOL:]
                for n, picked in sampler(X[pool], y[pool], seed).items():
                    scores[n].append(_accuracy(X, y, pool[picked], test))
            rows.append(
                {"case": f"digits, {space}", "sampler": name} | {f"{n} labels": _said(scores[n]) for n in BUDGETS}
            )
    return rows


def _accuracy(X: np.ndarray, y: np.ndarray, learn: np.ndarray, test: np.ndarray) -> float:
    if len(set(y[learn])) == 1:
        return float(np.mean(y[test] == y[learn[0]]))
    return float(classifier().fit(X[learn], y[learn]).score(X[test], y[test]))


def _said(scores: list[float]) -> str:
    return f"{np.mean(scores):.3f} ± {np.std(scores, ddof=1) / np.sqrt(len(scores)):.3f}"
