"""The refits of a plan, each fitted once, and what their predictions cost, summed so that memory does not grow.

An estimator with `fit_many` is fitted as weights, many refits in a call. Any other is cloned and fitted on row indices
through joblib, whose backends (Dask and Ray among them) are the caller's to choose.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import jax
import numpy as np
from jaxtyping import Bool, Float
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from credo.errors import InputError
from credo.infer.replicates import replicate_blocks
from credo.numerics.progress import Tracker
from credo.numerics.threads import OneBlasThread, on_all_cores
from credo.represent.validation import in_credos_words
from credo.validate.entries import LEVELS, dice, places
from credo.validate.plans import Plan, Split
from credo.validate.predictions import Prediction, Targets, prediction_of, replicated_prediction
from credo.validate.scores import Score
from credo.validate.tally import Sums, Tally

__all__ = ["Held", "Refits", "Said", "refit", "said_at"]

Refit = TypeVar("Refit")
_ENTRIES = 2**21  # refits times rows that are predicted at once: 16 MB a number
_PIECE = 2**16  # of these, scored at once: arrays of 512 KB, which stay in the cache
_COVERING = 32  # samples with replacement, of which all hold a row with probability (1 − 1/e)^32, four in ten million


@dataclass
class Held:
    """What was said about each row by the first refit that held it out; `there` are the rows that one did."""

    there: Bool[np.ndarray, " n"]
    point: np.ndarray
    probabilities: Float[np.ndarray, "n k"] | None
    pit: Float[np.ndarray, " n"]
    std: Float[np.ndarray, " n"]
    inside: Bool[np.ndarray, "l n"]
    has_belief: bool = False


@dataclass
class Refits:
    """All that was kept of the refits of one estimator."""

    tallies: dict[str, Tally]
    held: Held
    times: Float[np.ndarray, " n"]  # how often each row was held out
    drawn: Float[np.ndarray, " n"]  # and drawn
    train_sizes: Float[np.ndarray, " b"]
    held_sizes: Float[np.ndarray, " b"]
    batched: bool
    closed: bool = False  # leave-one-out without refits, at parameters that were fitted to all rows


class _Task(NamedTuple):
    """What is refitted, how, and what is asked of it."""

    estimator: Any
    X: Any
    targets: Targets
    plan: Plan
    scores: tuple[Score, ...]
    groups: Any
    levels: tuple[float, ...]
    n_jobs: int | None

    @property
    def everywhere(self) -> bool:
        """Whether losses are wanted at all rows, as the optimism of a bootstrap does."""
        return self.plan.kind == "bootstrap"


class _Judged(NamedTuple):
    """Refits in a block: how often each drew each row, what each held out, and the sums of each score."""

    counts: Float[np.ndarray, "b n"]
    held: Bool[np.ndarray, "b n"]
    tallies: list[list[Tally]]  # of a piece of the block after the other, one a score
    first: Prediction | None
    said: "Said | None"


class Said(NamedTuple):
    """About some rows, by one refit."""

    point: np.ndarray
    probabilities: np.ndarray | None
    pit: np.ndarray | None
    std: np.ndarray | None
    inside: np.ndarray | None

    def of(self, rows: np.ndarray) -> "Said":
        def some(part: np.ndarray | None) -> np.ndarray | None:
            return None if part is None else part[rows]

        inside = None if self.inside is None else self.inside[:, rows]
        return Said(self.point[rows], some(self.probabilities), some(self.pit), some(self.std), inside)


def refit(
    estimator: Any,
    X: Any,
    targets: Targets,
    plan: Plan,
    scores: Sequence[Score],
    *,
    groups: Any = None,
    n_jobs: int | None = None,
    levels: tuple[float, ...] = LEVELS,
    track: Tracker,
) -> Refits:
    """Fit every refit of the plan once and judge it on the rows it has not seen.

    `levels` are those of the intervals whose coverage is kept.
    """
    task = _Task(estimator, X, targets, plan, tuple(scores), groups, levels, n_jobs)
    if plan.kind == "leave-one-out" and targets.classes is None and hasattr(type(estimator), "loo_"):
        return _closed_form(task)
    batched = _takes_weights(estimator, X, scores)
    kept = _empty(task, batched=batched)
    at = 0
    for block in _by_weights(task) if batched else _by_rows(task):
        _add(kept, block, at, task)
        at += len(block.counts)
        track.advance(len(block.counts))
    return kept


def _closed_form(task: _Task) -> Refits:
    """Leave-one-out as the estimator itself has it: one fit, and the belief about each row from all others."""
    y, n = task.targets.values, len(task.targets)
    belief = clone(task.estimator).fit(task.X, y).loo_
    prediction = Prediction(np.asarray(belief.mean), belief=belief)
    tallies = {}
    for score in task.scores:
        above, below = score.parts(prediction, y)
        both = np.stack([above, np.ones(n) if below is None else below])
        tallies[score.name] = Tally(both, both.copy(), *np.zeros((3, 2, n)))
    held = _nothing_held(task)
    _keep(held, np.arange(n), said_at(prediction, slice(None), y, dice(n), task.levels))
    sizes = np.full(n, n - 1.0), np.ones(n)
    return Refits(tallies, held, np.ones(n), np.full(n, n - 1.0), *sizes, batched=False, closed=True)


def _takes_weights(estimator: Any, X: Any, scores: Sequence[Score]) -> bool:
    return hasattr(estimator, "fit_many") and not sparse.issparse(X) and all(s.needs != "decision" for s in scores)


def _empty(task: _Task, *, batched: bool) -> Refits:
    n, count = len(task.targets), task.plan.count(task.targets.values, task.groups)

    sizes = np.zeros(count), np.zeros(count)
    tallies = {score.name: Tally.zeros(n, count) for score in task.scores}
    return Refits(tallies, _nothing_held(task), np.zeros(n), np.zeros(n), *sizes, batched)


def _nothing_held(task: _Task) -> Held:
    n, no = len(task.targets), np.zeros
    return Held(no(n, dtype=bool), no(n), None, no(n), no(n), no((len(task.levels), n), dtype=bool))


def _by_weights(task: _Task) -> Iterator[_Judged]:
    """Blocks of refits, each one call."""
    n, covered = len(task.targets), np.zeros(len(task.targets), dtype=bool)
    for block in _blocks(task.plan.weightings(task.targets.values, task.groups), max(1, _ENTRIES // n)):
        counts, held = np.empty((len(block), n)), np.empty((len(block), n), dtype=bool)
        for b, (drawn, out) in enumerate(block):
            counts[b], held[b] = drawn, out
        # One thread a call of BLAS, here and between: threads that wait for the next one would take the cores.
        with OneBlasThread():
            judged = _judged(task, counts, held, said=bool(np.all(covered)))
        yield judged
        covered |= np.any(held, axis=0)


def _judged(task: _Task, counts: np.ndarray, held: np.ndarray, *, said: bool) -> _Judged:
    """A block of refits, fitted in one call; scores of so few at a time as stay in the cache.

    What is said of a row when it is first held out is kept, belief included; after that, as `said` says, and of other
    refits it is enough to know what the scores need.
    """
    classes, who = task.targets.classes, type(task.estimator).__name__
    full = not task.everywhere or any(score.needs == "belief" for score in task.scores)
    models = clone(task.estimator).fit_many(task.X, task.targets.labels, counts)
    prediction = first = replicated_prediction(models, task.X, classes, who, with_belief=full)
    if classes is None and not (full or said):
        first = replicated_prediction(_first(models, _covering(held)), task.X, classes, who)
    pieces = replicate_blocks(len(held), max(1, _PIECE // held.shape[1]))
    tallies = on_all_cores(lambda piece: _scored(prediction.at(piece), counts[piece], held[piece], task), pieces)
    return _Judged(counts, held, tallies, first, None)


def _covering(held: np.ndarray) -> int:
    """How many of the refits, of the first ones, hold out every row that one does; a power of two, for few shapes."""
    last = int(np.max(np.argmax(held, axis=0), initial=0)) + 1
    return min(len(held), max(_COVERING, 2 ** (last - 1).bit_length()))


def _first(models: Any, count: int) -> Any:
    """The first of a batch of refits, whose arrays all begin with the axis of the batch."""
    return jax.tree.map(lambda leaf: leaf[:count] if np.ndim(leaf) else leaf, models)


def _scored(prediction: Prediction, counts: np.ndarray, held: np.ndarray, task: _Task) -> list[Tally]:
    """The sums of each score: of a bootstrap its losses everywhere, else where a row was held out."""
    y = task.targets.values
    sums = Sums(counts, held, task.plan.kind)
    if task.everywhere:
        return [sums.of(score.parts(prediction, y)) for score in task.scores]
    where = np.nonzero(held)
    some = prediction.at(where)
    return [sums.of(_spread(score.parts(some, y[where[1]]), where, held.shape)) for score in task.scores]


def _by_rows(task: _Task) -> Iterator[_Judged]:
    """One refit after the other, or as many at once as joblib is told to."""
    n = len(task.targets)
    work = (delayed(_one)(task, split) for split in task.plan.splits(task.targets.values, task.groups))
    for split, rows, parts, said in Parallel(n_jobs=task.n_jobs, return_as="generator")(work):
        held = np.zeros((1, n), dtype=bool)
        held[0, split.held] = True
        counts = np.bincount(split.train, minlength=n).astype(np.float64)[None]
        where = np.zeros(len(rows), dtype=int), rows
        sums = Sums(counts, held, task.plan.kind)
        tallies = [sums.of(_spread(part, where, held.shape)) for part in parts]
        yield _Judged(counts, held, [tallies], None, said)


def _one(task: _Task, split: Split) -> tuple[Split, np.ndarray, list, Said]:
    """One refit, judged on the rows it held out, or on all."""
    X, targets = task.X, task.targets
    _require_classes(task.estimator, targets.of(split.train))
    with in_credos_words(f"{type(task.estimator).__name__}, fitted to {len(split.train)} of {len(targets)} rows"):
        learned = clone(task.estimator).fit(_safe_indexing(X, split.train), targets.labels[split.train])
    rows = np.concatenate([split.held, np.unique(split.train)]) if task.everywhere else split.held
    y = targets.values[rows]
    with in_credos_words(f"{type(task.estimator).__name__}, asked about {len(rows)} rows"):
        prediction = prediction_of(learned, _safe_indexing(X, rows), targets.classes, task.levels)
    parts = [score.parts(prediction, y) for score in task.scores]
    first = slice(0, len(split.held))
    return split, rows, parts, said_at(prediction, first, y[first], dice(len(targets))[split.held], task.levels)


def _require_classes(estimator: Any, targets: Targets) -> None:
    if targets.classes is not None and np.all(targets.values == targets.values[0]):
        raise InputError(
            "evaluate",
            f"{len(targets)} rows that {type(estimator).__name__} was to learn from have one class only, "
            f"{targets.labels[0]!r}",
            "The other classes are all in the fold that is held out",
            "Try fewer folds, shuffled and shared out over the classes ('5-fold' does so), or more rows",
        )


def _spread(
    part: tuple[np.ndarray, np.ndarray | None], where: tuple[np.ndarray, ...], shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    above, below = np.zeros(shape), np.zeros(shape)
    above[where], below[where] = part[0], 1.0 if part[1] is None else part[1]
    return above, below


def said_at(prediction: Prediction, at: Any, y: np.ndarray, thrown: np.ndarray, levels: tuple[float, ...]) -> Said:
    """What a prediction says at some of its rows: for a number also where the truth lies in the belief, put into its
    jumps by the dice of these rows."""
    point = prediction.point[at]
    if prediction.probabilities is not None:
        return Said(point, prediction.probabilities[at], None, None, None)
    if prediction.intervals is not None:
        low, high = np.moveaxis(prediction.intervals[..., at], 1, 0)
        return Said(point, None, None, None, (low <= y) & (y <= high))
    if prediction.belief is None:
        return Said(point, None, None, None, None)
    place = places(prediction.belief[at], y, thrown, levels)
    return Said(point, None, place.pit, place.std, place.inside)


def _add(kept: Refits, block: _Judged, at: int, task: _Task) -> None:
    to = slice(at, at + len(block.counts))
    _remember(kept.held, block, task)
    kept.times += np.sum(block.held, axis=0)
    kept.drawn += np.sum(block.counts, axis=0)
    kept.train_sizes[to], kept.held_sizes[to] = np.sum(block.counts, axis=1), np.sum(block.held, axis=1)
    for piece in block.tallies:
        size = piece[0].refits.shape[1] if piece else 0
        for score, tally in zip(task.scores, piece, strict=True):
            kept.tallies[score.name].add(tally, slice(at, at + size))
        at += size


def _remember(held: Held, block: _Judged, task: _Task) -> None:
    """Keep what the first refit said that held a row out."""
    new = np.any(block.held, axis=0) & ~held.there
    if not np.any(new):
        return
    rows = np.flatnonzero(new)
    if block.first is not None:
        first = np.argmax(block.held[:, rows], axis=0)
        thrown = dice(len(task.targets))[rows]
        said = said_at(block.first, (first, rows), task.targets.values[rows], thrown, task.levels)
    else:
        assert block.said is not None
        said = block.said.of(new[np.flatnonzero(block.held[0])])  # of the rows that this refit held out
    _keep(held, rows, said)


def _keep(held: Held, rows: np.ndarray, said: Said) -> None:
    held.there[rows], held.point[rows] = True, said.point
    if said.probabilities is not None:
        if held.probabilities is None:
            held.probabilities = np.zeros((len(held.there), said.probabilities.shape[1]))
        held.probabilities[rows] = said.probabilities
    if said.inside is not None:
        held.inside[:, rows] = said.inside
    if said.pit is not None:
        held.has_belief = True
        held.pit[rows], held.std[rows] = said.pit, said.std


def _blocks(refits: Iterable[Refit], size: int) -> Iterator[list[Refit]]:
    """So many at a time."""
    refits = iter(refits)
    while block := list(islice(refits, size)):
        yield block
