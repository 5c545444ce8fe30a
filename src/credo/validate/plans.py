"""Refit plans: which rows each refit learns from, and which rows it is judged on."""

import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

from credo.errors import InputError
from credo.numerics.random import as_seed
from credo.represent.validation import in_credos_words
from credo.validate.splits import GivenSplits, Split, checked_split, group_codes, require_apart

__all__ = ["Bootstrap", "Kind", "NestedFolds", "Plan", "Split", "as_plan"]

Kind = Literal["folds", "nested", "bootstrap", "hold-out", "rolling", "leave-one-out", "splits"]


class Bootstrap:
    """`count` samples of n rows with replacement; a row is held out where it was not drawn.

    A scikit-learn splitter. With groups it draws as many groups as there are, each with all of its rows: samples then
    differ in their number of rows. A draw that leaves nothing out is drawn again.
    """

    def __init__(self, count: int = 200, random_state: int | None = None) -> None:
        if count < 1:
            raise InputError("Bootstrap", f"{count} samples", "A plan has one refit or more", "Try Bootstrap(200)")
        self.count = count
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"Bootstrap(count={self.count}, random_state={self.random_state})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many samples."""
        return self.count

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The rows of each sample, sorted, and those that are not in it."""
        for counts in self.counts(len(X), groups):
            yield np.repeat(np.arange(len(X)), counts), np.flatnonzero(counts == 0)

    def counts(self, n: int, groups: Any = None) -> Iterator[np.ndarray]:
        """How often each sample has drawn each row: as often as its group, where there are `groups`."""
        generator = np.random.default_rng(self.random_state)
        unit = np.arange(n) if groups is None else group_codes(groups, n)
        units, names = int(np.max(unit, initial=-1)) + 1, "rows" if groups is None else "groups"
        if units < 2:
            raise InputError("Bootstrap", f"{units} {names}", "A sample leaves none out", f"Pass two {names} or more")
        for _ in range(self.count):
            counts = np.bincount(generator.integers(units, size=units), minlength=units)
            while np.all(counts):
                counts = np.bincount(generator.integers(units, size=units), minlength=units)
            yield counts[unit]


class NestedFolds:
    """Folds, and all pairs of them: for each repeat `folds` splits without one fold, then one a pair without both.

    A split without both folds of a pair holds out both (nested folds of Bates, Hastie & Tibshirani 2023, where a refit
    without two folds serves as inner refit of either). A fold has two rows or more, since its variance is used.
    """

    def __init__(self, folds: int = 5, repeats: int = 1, random_state: int | None = None) -> None:
        if folds < 3 or repeats < 1:
            what = f"{repeats} times {folds} folds"
            raise InputError("NestedFolds", what, "Inner refits leave out two folds of three or more", "Try folds=5")
        self.folds = folds
        self.repeats = repeats
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"NestedFolds(folds={self.folds}, repeats={self.repeats}, random_state={self.random_state})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """K and K(K − 1)/2 for each repeat."""
        return self.repeats * (self.folds + self.folds * (self.folds - 1) // 2)

    def parts(self, X: Any, y: Any, groups: Any) -> Iterator[list[np.ndarray]]:
        """The folds of each repeat; shared out over the classes where `y` has some."""
        if len(X) < 2 * self.folds:
            raise _too_small(len(X), self.folds, "NestedFolds")
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


class GroupFolds:
    """Folds of whole groups, some times over; shared out over the classes as well as groups allow, where there are.

    A scikit-learn splitter; once and without classes it is its GroupKFold.
    """

    def __init__(self, folds: int, repeats: int, classes: bool, random_state: int) -> None:
        self.folds = folds
        self.repeats = repeats
        self.classes = classes
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"GroupFolds({self.folds}, {self.repeats}, {self.classes}, {self.random_state})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """K for each repeat."""
        return self.folds * self.repeats

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Without each fold, a repeat after the other."""
        dealer = StratifiedGroupKFold if self.classes else GroupKFold
        for repeat in range(self.repeats):
            # Not the number alone, which is another plan's; the first is what one repeat has.
            seed = self.random_state if repeat == 0 else _further(self.random_state, repeat)
            yield from dealer(self.folds, shuffle=True, random_state=seed).split(X, y, groups)


def _further(seed: int, repeat: int) -> int:
    return int(np.random.default_rng((seed, repeat)).integers(2**31))


def _too_small(rows: int, folds: int, who: str) -> InputError:
    return InputError(
        who,
        f"{folds} nested folds for {rows} rows",
        "A fold has two rows or more, since the variance of its losses is used",
        f"Pass {2 * folds} rows or more, or try fewer folds",
    )


@dataclass(frozen=True)
class Plan:
    """A splitter of rows in the manner of scikit-learn, what kind of claims its refits allow, and how to say it."""

    name: str
    kind: Kind
    splitter: Any

    def splits(self, y: np.ndarray, groups: Any = None) -> Iterator[Split]:
        """One after the other, checked: of rows that there are, on one side each, and so of groups.

        `y` are codes of classes, or numbers.
        """
        codes = None if groups is None else group_codes(groups, len(y))
        with in_credos_words("evaluate"):
            for at, pair in enumerate(self.splitter.split(np.empty((len(y), 1)), y, groups)):
                which = f"split {at + 1} of {self.name}"
                split = checked_split(pair, which, len(y))
                if codes is not None:
                    require_apart(split, codes, which)
                yield split

    def weightings(self, y: np.ndarray, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The same as how often each row is learned from, and whether it is judged on."""
        if isinstance(self.splitter, Bootstrap):
            yield from ((counts, counts == 0) for counts in self.splitter.counts(len(y), groups))
            return
        for train, rows in self.splits(y, groups):
            held = np.zeros(len(y), dtype=bool)
            held[rows] = True
            yield np.bincount(train, minlength=len(y)), held

    def count(self, y: np.ndarray, groups: Any = None) -> int:
        """How many refits."""
        with in_credos_words("evaluate"):
            return int(self.splitter.get_n_splits(np.empty((len(y), 1)), y, groups))


_FOLDS = re.compile(r"(?:(\d+)\s*[x×]\s*)?(nested\s+)?(\d+)-fold")
_BOOTSTRAP = re.compile(r"(?:(\d+)\s+)?bootstrap")
_HOLD_OUT = re.compile(r"hold-out(?:\s+(0?\.\d+))?")
_ROLLING = re.compile(r"rolling(?:\s+(\d+))?")
_ONE_OUT = re.compile(r"leave-one-(?:group-)?out|loo")
_EXAMPLES = '"5-fold", "10x5-fold", "10x nested 5-fold", "leave-one-out", "200 bootstrap", "hold-out 0.25", "rolling 5"'


def as_plan(
    plan: Any,
    rows: int,
    *,
    classes: bool = False,
    groups: Any = None,
    seed: int | None = None,
    X: Any = None,
    y: Any = None,
) -> Plan:
    """The plan that is meant: by name, any splitter of scikit-learn, or pairs (train, test) of row numbers.

    Folds and hold-out share out the classes where there are `classes`. Where there are `groups`, folds, hold-out and
    bootstrap are of whole groups instead, and "leave-one-out" leaves out one group. "10x5-fold" repeats five folds ten
    times, "nested 5-fold" adds what the variance of a cross-validated risk needs, "200 bootstrap" draws 200 samples
    with replacement, "rolling 5" learns from the past at five origins.

    Every call of its `splits` gives the same ones: a splitter that shuffles without a seed is copied and gets `seed`,
    and one of a class that scikit-learn does not have splits `X` and `y` here, once.

    >>> as_plan("3x5-fold", 100).count(np.zeros(100))
    15
    >>> as_plan([([0, 1], [2]), ([1, 2], [0])], 3).kind
    'splits'
    """
    fixed = as_seed(seed)
    if isinstance(plan, Plan):
        same = _of_splitter(plan.splitter, rows, groups, fixed, X, y).splitter
        return plan if same is plan.splitter else replace(plan, splitter=same)
    if hasattr(plan, "get_n_splits") and not isinstance(plan, type):
        return _of_splitter(plan, rows, groups, fixed, X, y)
    if not isinstance(plan, str):
        return _of_pairs(plan, rows)
    for pattern, make in _GRAMMAR.items():
        match = pattern.fullmatch(plan.strip().lower())
        if match:
            return make(match, rows, classes, groups, fixed)
    raise InputError("evaluate", f"plan={plan!r} is unknown", "The name is misspelt", f"Plans are like {_EXAMPLES}")


def _folds(match: re.Match, rows: int, classes: bool, groups: Any, seed: int) -> Plan:
    repeats, nested, count = int(match[1] or 1), bool(match[2]), int(match[3])
    if not 2 <= count <= rows or repeats < 1 or (nested and count < 3):
        raise InputError(
            "evaluate",
            f"{repeats} times {count} folds{' with nested ones' if nested else ''} for {rows} rows",
            "A fold holds out a row or more, and nested ones leave out two",
            "Try fewer folds, or more rows",
        )
    if nested:
        if rows < 2 * count:
            raise _too_small(rows, count, "evaluate")
        _require_no_groups(groups, "nested folds", f"Try '{count}-fold' with groups")
        return Plan(match[0], "nested", NestedFolds(count, repeats, seed))
    if groups is not None:
        return Plan(match[0], "folds", GroupFolds(count, repeats, classes, seed))
    if repeats > 1:
        repeated = RepeatedStratifiedKFold if classes else RepeatedKFold
        return Plan(match[0], "folds", repeated(n_splits=count, n_repeats=repeats, random_state=seed))
    return Plan(match[0], "folds", (StratifiedKFold if classes else KFold)(count, shuffle=True, random_state=seed))


def _require_no_groups(groups: Any, what: str, remedy: str, cause: str = "They are not offered") -> None:
    if groups is not None:
        raise InputError("evaluate", f"{what} with groups", cause, remedy)


def _bootstrap(match: re.Match, rows: int, classes: bool, groups: Any, seed: int) -> Plan:
    count = int(match[1] or 200)
    if count < 1:
        raise InputError("evaluate", f"{count} samples", "A plan has one refit or more", "Try '200 bootstrap'")
    return Plan(match[0], "bootstrap", Bootstrap(count, seed))


def _hold_out(match: re.Match, rows: int, classes: bool, groups: Any, seed: int) -> Plan:
    alone = StratifiedShuffleSplit if classes else ShuffleSplit
    splitter = alone if groups is None else GroupShuffleSplit
    share = float(match[1] or 0.25)
    return Plan(match[0], "hold-out", splitter(n_splits=1, test_size=share, random_state=seed))


def _rolling(match: re.Match, rows: int, classes: bool, groups: Any, seed: int) -> Plan:
    count = int(match[1] or 5)
    why = "Origins are places in time, where rows of a group may be on both sides"
    _require_no_groups(groups, "rolling origins", "Try '5-fold' with groups, or 'rolling 5' without", why)
    if not 2 <= count < rows:
        cause = "There are two or more, each with rows before and after it"
        raise InputError("evaluate", f"{count} origins in {rows} rows", cause, "Try 'rolling 5', or 'hold-out 0.25'")
    return Plan(match[0], "rolling", TimeSeriesSplit(count))


def _one_out(match: re.Match, rows: int, classes: bool, groups: Any, seed: int) -> Plan:
    if groups is not None:
        return Plan("leave-one-group-out", "folds", LeaveOneGroupOut())
    if "group" in match[0]:
        raise InputError("evaluate", f"{match[0]!r} without groups", "", "Pass groups=, or try 'leave-one-out'")
    return Plan("leave-one-out", "leave-one-out", LeaveOneOut())


_GRAMMAR: dict[re.Pattern, Callable[[re.Match, int, bool, Any, int], Plan]] = {
    _FOLDS: _folds,
    _BOOTSTRAP: _bootstrap,
    _HOLD_OUT: _hold_out,
    _ROLLING: _rolling,
    _ONE_OUT: _one_out,
}
_REPEATED = (RepeatedKFold, RepeatedStratifiedKFold)
_KINDS: dict[Kind, Any] = {
    "bootstrap": Bootstrap,
    "nested": NestedFolds,
    "rolling": TimeSeriesSplit,
    "leave-one-out": LeaveOneOut,
    "folds": (KFold, StratifiedKFold, GroupFolds, GroupKFold, StratifiedGroupKFold, LeaveOneGroupOut, *_REPEATED),
}


def _of_splitter(splitter: Any, rows: int, groups: Any, seed: int, X: Any, y: Any) -> Plan:
    """Of a splitter that says the same at every call, made so where it does not."""
    kind = next((kind for kind, known in _KINDS.items() if isinstance(splitter, known)), None)
    if kind == "nested":
        _require_no_groups(groups, "nested folds", "Try '5-fold' with groups")
    if kind == "leave-one-out" and groups is not None:
        kind = "folds"  # whose splits are looked at, where leave-one-out may be a closed form
    state = getattr(splitter, "random_state", 0)
    if getattr(splitter, "shuffle", True) and not isinstance(state, int | np.integer):
        splitter = copy(splitter)
        splitter.random_state = seed if state is None else as_seed(state)
    text = repr(splitter)
    name = text if len(text) <= 100 and " at 0x" not in text else type(splitter).__name__
    if type(splitter).__module__.split(".")[0] in ("sklearn", "credo"):
        return Plan(name, kind or "splits", splitter)
    with in_credos_words("evaluate"):
        pairs = list(splitter.split(np.empty((rows, 1)) if X is None else X, y, groups))
    made = _of_pairs(pairs, rows, name)
    return made if kind is None else replace(made, kind=kind)


def _of_pairs(pairs: Any, rows: int, name: str = "given splits") -> Plan:
    """Of pairs of row numbers; they are folds where each row is held out once, by a refit to all others."""
    given = list(pairs) if isinstance(pairs, Iterable) and not isinstance(pairs, bytes | Mapping) else []
    if not given:
        raise InputError(
            "evaluate",
            f"plan is {reprlib.repr(pairs)}",
            "It is no name of a plan, no splitter, and has no pairs of row numbers",
            f"Try {_EXAMPLES}, a splitter of sklearn.model_selection, or [(train, test), ...]",
        )
    splits = list(Plan(name, "splits", GivenSplits(given)).splits(np.zeros(rows)))
    times = np.bincount(np.concatenate([split.held for split in splits]), minlength=rows)
    # Nothing is on both sides, so that so many different rows are all the others.
    whole = all(len(split.train) == len(np.unique(split.train)) == rows - len(split.held) for split in splits)
    kind: Kind = "hold-out" if len(splits) == 1 else "folds" if whole and np.all(times == 1) else "splits"
    return Plan(name, kind, GivenSplits(splits))
