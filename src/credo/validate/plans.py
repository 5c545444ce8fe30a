"""Refit plans: which rows each refit learns from, and which rows it is judged on."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Int
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

from credo.errors import InputError
from credo.represent.validation import in_credos_words

__all__ = ["Bootstrap", "Kind", "NestedFolds", "Plan", "Split", "as_plan"]

Kind = Literal["folds", "nested", "bootstrap", "hold-out", "rolling", "leave-one-out", "splits"]


class Split(NamedTuple):
    """Rows to learn from, with repetition, and rows to judge on, in order, none of which is among them."""

    train: Int[np.ndarray, " t"]
    held: Int[np.ndarray, " h"]


class Bootstrap:
    """`count` samples of n rows with replacement; a row is held out where it was not drawn.

    A scikit-learn splitter. A draw that leaves no row out is drawn again.
    """

    def __init__(self, count: int = 200, random_state: int | None = None) -> None:
        self.count = count
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many samples."""
        return self.count

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The rows of each sample, sorted, and those that are not in it."""
        for counts in self.counts(len(X)):
            yield np.repeat(np.arange(len(X)), counts), np.flatnonzero(counts == 0)

    def counts(self, n: int) -> Iterator[np.ndarray]:
        """How often each sample has drawn each row."""
        generator = np.random.default_rng(self.random_state)
        if n < 2:
            raise InputError("Bootstrap", f"{n} rows", "A sample leaves no row out", "Pass two rows or more")
        for _ in range(self.count):
            counts = np.bincount(generator.integers(n, size=n), minlength=n)
            while np.all(counts):
                counts = np.bincount(generator.integers(n, size=n), minlength=n)
            yield counts


class NestedFolds:
    """Folds, and all pairs of them: for each repeat `folds` splits without one fold, then one a pair without both.

    A split without both folds of a pair holds out both (Bates, Hastie & Tibshirani 2023, §4.2: a refit without
    two folds serves as inner refit of either).
    """

    def __init__(self, folds: int = 5, repeats: int = 1, random_state: int | None = None) -> None:
        self.folds = folds
        self.repeats = repeats
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """K and K(K − 1)/2 for each repeat."""
        return self.repeats * (self.folds + self.folds * (self.folds - 1) // 2)

    def parts(self, X: Any, y: Any, groups: Any) -> Iterator[list[np.ndarray]]:
        """The folds of each repeat; shared out over the classes where `y` has some."""
        generator = np.random.default_rng(self.random_state)
        for _ in range(self.repeats):
            seed = int(generator.integers(2**31))
            classes = y is not None and np.asarray(y).dtype.kind != "f"
            dealer = (StratifiedKFold if classes else KFold)(self.folds, shuffle=True, random_state=seed)
            yield [held for _, held in dealer.split(X, y, groups)]

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Without each fold, then without each pair."""
        every = np.arange(len(X))
        for parts in self.parts(X, y, groups):
            pairs = [(i, j) for i in range(self.folds) for j in range(i)]
            for out in [*((i,) for i in range(self.folds)), *pairs]:
                held = np.sort(np.concatenate([parts[i] for i in out]))
                yield np.setdiff1d(every, held, assume_unique=True), held


@dataclass(frozen=True)
class Plan:
    """A splitter of rows in the manner of scikit-learn, what kind of claims its refits allow, and how to say it."""

    name: str
    kind: Kind
    splitter: Any

    def splits(self, y: np.ndarray, groups: Any = None) -> Iterator[Split]:
        """One after the other. `y` are codes of classes, or numbers."""
        with in_credos_words("evaluate"):
            for train, held in self.splitter.split(np.empty((len(y), 1)), y, groups):
                if not len(train) or not len(held):
                    raise InputError(
                        "evaluate",
                        f"a split of {self.name} has {len(train)} rows to learn from and {len(held)} to judge on",
                        "The plan has more parts than there are rows",
                        "Try fewer folds",
                    )
                yield Split(np.asarray(train), np.sort(held))

    def weightings(self, y: np.ndarray, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The same as how often each row is learned from, and whether it is judged on."""
        if isinstance(self.splitter, Bootstrap):
            yield from ((counts, counts == 0) for counts in self.splitter.counts(len(y)))
            return
        for train, rows in self.splits(y, groups):
            held = np.zeros(len(y), dtype=bool)
            held[rows] = True
            yield np.bincount(train, minlength=len(y)), held

    def count(self, y: np.ndarray, groups: Any = None) -> int:
        """How many refits."""
        return int(self.splitter.get_n_splits(np.empty((len(y), 1)), y, groups))


_FOLDS = re.compile(r"(?:(\d+)\s*[x×]\s*)?(nested\s+)?(\d+)-fold")
_BOOTSTRAP = re.compile(r"(?:(\d+)\s+)?bootstrap")
_HOLD_OUT = re.compile(r"hold-out(?:\s+(0?\.\d+))?")
_ROLLING = re.compile(r"rolling(?:\s+(\d+))?")
_EXAMPLES = '"5-fold", "10x5-fold", "10x nested 5-fold", "leave-one-out", "200 bootstrap", "hold-out 0.25", "rolling 5"'


def as_plan(plan: Any, rows: int, *, classes: bool = False, groups: Any = None, seed: int | None = None) -> Plan:
    """The plan that is meant: by name, or any splitter of scikit-learn.

    Folds and hold-out share out the classes where there are `classes`, and keep groups together where there are
    `groups`. "10x5-fold" repeats five folds ten times, "nested 5-fold" adds what the variance of a cross-validated risk
    needs, "200 bootstrap" draws 200 samples with replacement, "rolling 5" learns from the past at five origins.

    >>> as_plan("3x5-fold", 100).count(np.zeros(100))
    15
    """
    if isinstance(plan, Plan):
        return plan
    if not isinstance(plan, str):
        return _of_splitter(plan)
    text = plan.strip().lower()
    if text in ("leave-one-out", "loo"):
        return Plan("leave-one-out", "leave-one-out", LeaveOneOut())
    for pattern, make in _GRAMMAR.items():
        match = pattern.fullmatch(text)
        if match:
            return make(match, rows, classes, groups, seed)
    raise InputError("evaluate", f"plan={plan!r} is unknown", "The name is misspelt", f"Plans are like {_EXAMPLES}")


def _folds(match: re.Match, rows: int, classes: bool, groups: Any, seed: int | None) -> Plan:
    repeats, nested, count = int(match[1] or 1), bool(match[2]), int(match[3])
    if not 2 <= count <= rows or repeats < 1 or (nested and count < 3):
        raise InputError(
            "evaluate",
            f"{repeats} times {count} folds{' with nested ones' if nested else ''} for {rows} rows",
            "A fold holds out a row or more, and nested ones leave out two",
            "Try fewer folds, or more rows",
        )
    if nested and groups is None:
        return Plan(match[0], "nested", NestedFolds(count, repeats, seed))
    if nested:
        raise InputError(
            "evaluate", "nested folds with groups", "They are not offered", f"Try '{count}-fold' with groups"
        )
    if groups is not None:
        if repeats > 1:
            raise InputError("evaluate", f"{repeats} times folds of groups", "", f"Try '{count}-fold' with groups")
        return Plan(match[0], "folds", GroupKFold(count, shuffle=True, random_state=seed))
    if repeats > 1:
        return Plan(
            match[0],
            "folds",
            (RepeatedStratifiedKFold if classes else RepeatedKFold)(
                n_splits=count, n_repeats=repeats, random_state=seed
            ),
        )
    return Plan(match[0], "folds", (StratifiedKFold if classes else KFold)(count, shuffle=True, random_state=seed))


def _bootstrap(match: re.Match, rows: int, classes: bool, groups: Any, seed: int | None) -> Plan:
    return Plan(match[0], "bootstrap", Bootstrap(int(match[1] or 200), seed))


def _hold_out(match: re.Match, rows: int, classes: bool, groups: Any, seed: int | None) -> Plan:
    share = float(match[1] or 0.25)
    return Plan(
        match[0],
        "hold-out",
        (StratifiedShuffleSplit if classes else ShuffleSplit)(n_splits=1, test_size=share, random_state=seed),
    )


def _rolling(match: re.Match, rows: int, classes: bool, groups: Any, seed: int | None) -> Plan:
    count = int(match[1] or 5)
    if rows < count + 1:
        raise InputError("evaluate", f"{count} origins in {rows} rows", "", "Try fewer origins")
    return Plan(match[0], "rolling", TimeSeriesSplit(count))


_GRAMMAR: dict[re.Pattern, Callable[[re.Match, int, bool, Any, int | None], Plan]] = {
    _FOLDS: _folds,
    _BOOTSTRAP: _bootstrap,
    _HOLD_OUT: _hold_out,
    _ROLLING: _rolling,
}


def _of_splitter(splitter: Any) -> Plan:
    if not (hasattr(splitter, "split") and hasattr(splitter, "get_n_splits")):
        raise InputError(
            "evaluate",
            f"plan is {splitter!r}",
            "It is no name of a plan and no splitter",
            f"Try {_EXAMPLES}, or a splitter of sklearn.model_selection",
        )
    known: dict[type, Kind] = {Bootstrap: "bootstrap", NestedFolds: "nested", LeaveOneOut: "leave-one-out"}
    folded = (KFold, StratifiedKFold, GroupKFold, RepeatedKFold, RepeatedStratifiedKFold)
    kind = known.get(type(splitter), "folds" if isinstance(splitter, folded) else "splits")
    return Plan(str(splitter), "rolling" if isinstance(splitter, TimeSeriesSplit) else kind, splitter)
