"""Plans: every row is where it should be, once, and the names mean what they say."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    TimeSeriesSplit,
)

from credo.errors import InputError
from credo.validate.plans import Bootstrap, NestedFolds, Plan, Split, as_plan

Y = np.arange(30.0)
CODES = np.repeat([0, 1], [20, 10])
GROUPS = np.repeat(["c", "a", "b", "e", "d", "f"], [1, 9, 5, 5, 6, 4])  # of different sizes, not in order


def parts(plan, y=Y, groups=None, **options):
    return list(as_plan(plan, len(y), groups=groups, seed=0, **options).splits(y, groups))


@pytest.mark.parametrize("plan", ["5-fold", "3x5-fold", "leave-one-out", "loo", "2x nested 4-fold", "40 bootstrap"])
def test_no_row_is_learned_from_and_judged_on(plan):
    splits = parts(plan)
    assert len(splits) == as_plan(plan, 30).count(Y)
    for split in splits:
        assert not set(split.train) & set(split.held)
        assert set(split.train) | set(split.held) == set(range(30))
        assert np.all(np.diff(split.held) > 0)


@pytest.mark.parametrize(("plan", "times"), [("5-fold", 1), ("3x5-fold", 3), ("leave-one-out", 1)])
def test_folds_hold_each_row_out_once_a_repeat(plan, times):
    held = np.concatenate([split.held for split in parts(plan)])
    assert np.bincount(held).tolist() == [times] * 30


def test_classes_are_shared_out_and_groups_kept_together():
    for split in parts("5-fold", CODES, classes=True):
        assert np.bincount(CODES[split.held]).tolist() == [4, 2]
    groups = np.repeat(np.arange(10), 3)
    for split in parts("5-fold", groups=groups):
        assert not set(groups[split.train]) & set(groups[split.held])
    (held,) = (split.held for split in parts("hold-out 0.3", CODES, classes=True))
    assert np.bincount(CODES[held]).tolist() == [6, 3]


def test_the_future_is_not_learned_from():
    splits = parts("rolling 4")
    assert len(splits) == 4
    assert all(np.max(split.train) < np.min(split.held) for split in splits)


def test_a_sample_with_replacement_has_as_many_rows_and_leaves_a_third_out():
    splits = parts("400 bootstrap")
    assert all(len(split.train) == 30 for split in splits)
    # A row is left out with probability (1 − 1/n)^n, and there are 12 000 of them.
    assert np.mean([len(split.held) for split in splits]) / 30 == pytest.approx((1 - 1 / 30) ** 30, abs=0.01)
    assert all(len(held) for _, held in Bootstrap(200, 0).split(np.zeros((2, 1))))


def test_nested_folds_are_folds_and_all_pairs_of_them():
    splits = parts("nested 4-fold")
    singles, pairs = splits[:4], splits[4:]
    assert len(pairs) == 6
    wanted = [set(singles[i].held) | set(singles[j].held) for i in range(4) for j in range(i)]
    assert [set(split.held) for split in pairs] == wanted


def test_the_same_seed_is_the_same_plan():
    first, again = parts("200 bootstrap"), parts("200 bootstrap")
    assert all(np.array_equal(a.train, b.train) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize(
    ("splitter", "kind"),
    [
        (KFold(3), "folds"),
        (ShuffleSplit(4), "splits"),
        (TimeSeriesSplit(3), "rolling"),
        (Bootstrap(3), "bootstrap"),
        (NestedFolds(3), "nested"),
        (LeaveOneOut(), "leave-one-out"),
        (StratifiedGroupKFold(3), "folds"),
        (RepeatedKFold(n_splits=3, n_repeats=2), "folds"),
    ],
)
def test_splitters_of_scikit_learn_are_plans(splitter, kind):
    plan = as_plan(splitter, 30)
    assert plan.kind == kind
    assert as_plan(plan, 30) is plan
    groups = np.arange(30) if isinstance(splitter, StratifiedGroupKFold) else None
    ours, theirs = list(plan.splits(CODES, groups)), list(splitter.split(np.empty((30, 1)), CODES, groups))
    assert len(ours) == len(theirs)


@pytest.mark.parametrize(
    "plan",
    [
        *("5 fold", "31-fold", "1-fold", "nested 2-fold", "nested 16-fold", "0x5-fold", "rolling 30", "rolling 1"),
        *("rolling 0", "0 bootstrap", "leave-one-group-out", "", 3, "hold-out 2", [], b"5-fold", {"plan": "5-fold"}),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(plan):
    with pytest.raises(InputError, match=r"^evaluate: "):
        as_plan(plan, 30)


def test_what_is_not_offered_says_so():
    groups = np.arange(30) % 6
    with pytest.raises(InputError, match="3-fold"):
        as_plan("nested 3-fold", 30, groups=groups)
    with pytest.raises(InputError, match="two rows"):
        list(Bootstrap(1).split(np.zeros((1, 1))))
    with pytest.raises(InputError, match="0 rows to learn from"):
        list(Plan("p", "splits", _Empty()).splits(Y))
    with pytest.raises(InputError, match="rolling origins with groups"):
        as_plan("rolling 3", 30, groups=groups)
    with pytest.raises(InputError, match="nested folds with groups"):
        as_plan(NestedFolds(3), 30, groups=groups)
    for make in (lambda: Bootstrap(0), lambda: NestedFolds(2), lambda: NestedFolds(3, 0)):
        with pytest.raises(InputError):
            make()
    with pytest.raises(InputError, match="two groups or more"):
        list(Bootstrap(1).split(np.zeros((4, 1)), groups=np.zeros(4)))
    with pytest.raises(InputError, match="greater than the number of groups"):
        parts("7-fold", groups=GROUPS)


@pytest.mark.parametrize("classes", [False, True])
def test_a_nested_fold_has_two_rows(classes):
    y = np.arange(10.0) if not classes else np.repeat([0, 1], [7, 3])
    with pytest.warns(UserWarning, match="least populated") if classes else nullcontext():
        splits = parts("nested 5-fold", y, classes=classes)
    assert {len(split.held) for split in splits[:5]} == {2}
    with pytest.raises(InputError, match="5 nested folds for 9 rows"):
        parts("nested 5-fold", y[:9], classes=classes)
    with pytest.raises(InputError, match="5 nested folds for 9 rows"):
        list(NestedFolds(5).split(np.zeros((9, 1)), y[:9]))


PLANS_OF_GROUPS = ["4-fold", "2x3-fold", "hold-out 0.3", "leave-one-out", "leave-one-group-out", "50 bootstrap"]


@pytest.mark.parametrize(
    "plan", [*PLANS_OF_GROUPS, Bootstrap(50), LeaveOneGroupOut(), GroupShuffleSplit(5), GroupKFold(3)]
)
@pytest.mark.parametrize("classes", [False, True])
def test_groups_are_on_one_side_each(plan, classes):
    y = CODES if classes else Y
    chosen = as_plan(plan, 30, groups=GROUPS, classes=classes, seed=0)
    splits = list(chosen.splits(y, GROUPS))
    assert len(splits) == chosen.count(y, GROUPS)
    for split, (counts, held) in zip(splits, chosen.weightings(y, GROUPS), strict=True):
        assert set(GROUPS[split.train]) | set(GROUPS[split.held]) == set(GROUPS)
        assert not set(GROUPS[split.train]) & set(GROUPS[split.held])
        assert np.array_equal(np.bincount(split.train, minlength=30), counts)
        assert np.array_equal(np.flatnonzero(held), split.held)


def test_a_bootstrap_of_groups_draws_as_many_groups_as_there_are():
    for counts in Bootstrap(200, 0).counts(30, GROUPS):
        by_group = [set(counts[GROUPS == group]) for group in "abcdef"]
        assert all(len(each) == 1 for each in by_group)
        assert sum(each.pop() for each in by_group) == 6
    # Where each row is a group of its own, it is the bootstrap of rows.
    alone = zip(Bootstrap(20, 0).counts(30), Bootstrap(20, 0).counts(30, np.arange(30)), strict=True)
    assert all(np.array_equal(rows, groups) for rows, groups in alone)


def test_leaving_one_out_of_groups_says_so():
    plan = as_plan("leave-one-out", 30, groups=GROUPS)
    assert plan.name == "leave-one-group-out"
    assert plan.kind == "folds"  # and not what a closed form of leave-one-out would answer
    held = [set(GROUPS[split.held]) for split in plan.splits(Y, GROUPS)]
    assert held == [{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}]


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    "plan", [KFold(5), LeaveOneOut(), ShuffleSplit(2), [(range(5, 30), range(5))], TimeSeriesSplit(3)]
)
def test_a_plan_that_parts_a_group_is_refused(plan):
    chosen = as_plan(plan, 30, groups=GROUPS)
    assert chosen.kind != "leave-one-out"
    with pytest.raises(InputError, match="groups on both sides"):
        list(chosen.splits(Y, GROUPS))
    with pytest.raises(InputError, match="groups on both sides"):
        list(chosen.weightings(Y, GROUPS))


def same(first, again):
    pairs = zip(first, again, strict=True)
    return all(np.array_equal(a.train, b.train) and np.array_equal(a.held, b.held) for a, b in pairs)


SHUFFLED = [
    lambda state: KFold(5, shuffle=True, random_state=state),
    lambda state: ShuffleSplit(4, random_state=state),
    lambda state: RepeatedKFold(n_splits=3, n_repeats=2, random_state=state),
    lambda state: Plan("mine", "splits", ShuffleSplit(4, random_state=state)),
    lambda state: Bootstrap(6, state),
    lambda state: NestedFolds(3, 2, state),
    lambda state: _Forgetful(state),
]


@pytest.mark.parametrize("make", SHUFFLED)
def test_a_splitter_without_a_seed_gets_that_of_the_plan_and_is_left_as_it_was(make):
    own = make(None)
    before = dict(vars(own))
    plan, again, other = (as_plan(own, 30, seed=seed) for seed in (0, 0, 1))
    assert same(plan.splits(Y), plan.splits(Y))
    assert same(plan.splits(Y), again.splits(Y)) or isinstance(own, _Forgetful)
    assert not same(plan.splits(Y), other.splits(Y))
    assert vars(own) == before


@pytest.mark.parametrize("make", SHUFFLED[:4])
def test_a_splitter_whose_state_moves_on_says_the_same_again(make):
    plan = as_plan(make(np.random.RandomState(3)), 30)
    again = as_plan(make(np.random.RandomState(3)), 30)
    assert same(plan.splits(Y), plan.splits(Y))
    assert same(plan.splits(Y), again.splits(Y))


def test_a_seed_of_ones_own_is_kept():
    splitter = ShuffleSplit(4, random_state=7)
    assert as_plan(splitter, 30, seed=0).splitter is splitter
    assert as_plan(KFold(5), 30, seed=0).splitter.random_state is None


def test_a_splitter_of_ones_own_sees_the_rows_and_labels_once():
    seen = []

    class Own:
        def split(self, X, y=None, groups=None):
            seen.append((X, y, groups))
            yield np.flatnonzero(X[:, 0] <= 20.0), np.flatnonzero(X[:, 0] > 20.0)

        def get_n_splits(self, X=None, y=None, groups=None):
            return 1

    X, labels, groups = Y[:, None], np.where(CODES, "b", "a"), (Y > 20.0).astype(int)
    plan = as_plan(Own(), 30, X=X, y=labels, groups=groups)
    for _ in range(2):
        (split,) = plan.splits(CODES, groups)
        assert split.held.tolist() == list(range(21, 30))
    assert len(seen) == 1
    assert all(given is wanted for given, wanted in zip(seen[0], (X, labels, groups), strict=True))
    assert (plan.kind, plan.name) == ("hold-out", "Own")


@pytest.mark.parametrize("form", [list, iter, tuple])
def test_pairs_of_row_numbers_are_a_plan(form):
    for splitter, kind in [(KFold(4), "folds"), (ShuffleSplit(3, random_state=0), "splits")]:
        pairs = list(splitter.split(np.zeros((30, 1))))
        plan = as_plan(form(pairs), 30)
        assert plan.kind == kind
        assert plan.count(Y) == len(pairs)
        for _ in range(2):
            assert same(plan.splits(Y), [Split(train, np.sort(held)) for train, held in pairs])
    assert as_plan([(range(20), range(20, 30))], 30).kind == "hold-out"
    gaps = [(np.delete(np.arange(30), [i, 29 - i]), [i]) for i in range(30)]
    assert as_plan(gaps, 30).kind == "splits"  # each row is held out once, but others are left out too


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        ([(np.arange(20), np.arange(20, 31))], "rows from 20 to 30, of 30"),
        ([(np.arange(20), np.arange(20, 30)), (np.arange(20), [-1])], "split 2 of given splits has rows from -1"),
        ([(np.arange(20.0), np.arange(20, 30))], "array of float64"),
        ([(Y > 5, Y <= 5)], "flatnonzero"),
        ([(np.zeros((2, 2), dtype=int), [3])], "shape"),
        ([(np.arange(20), [])], "20 rows to learn from and 0 to judge on"),
        ([(np.arange(20), np.arange(19, 30))], "judges on 1 rows that it learns from"),
        ([(np.arange(20), [21, 21])], "a row twice"),
        ([np.arange(20), np.arange(20, 30)], "is no pair"),
        (np.arange(3000), "is no pair"),
        (np.zeros(0), "no pairs of row numbers"),
        (KFold, "no name of a plan"),
    ],
)
def test_pairs_that_are_none_are_refused_without_printing_them(pairs, what):
    with pytest.raises(InputError, match=what) as caught:
        as_plan(pairs, 30)
    assert len(str(caught.value)) < 400


def test_names_are_short_and_have_no_addresses():
    assert len(as_plan(PredefinedSplit(np.arange(500) % 5), 500).name) <= 100
    assert as_plan(PredefinedSplit(np.arange(50) * 100), 50).name == "PredefinedSplit"
    assert as_plan(_Forgetful(1), 30).name == "_Forgetful"
    assert as_plan(Bootstrap(3), 30, seed=4).name == "Bootstrap(count=3, random_state=4)"
    assert as_plan(NestedFolds(3), 30, seed=4).name == "NestedFolds(folds=3, repeats=1, random_state=4)"


class _Forgetful:
    """A splitter of someone else, which draws other rows at every call whatever its seed."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def split(self, X, y=None, groups=None):
        order = np.random.default_rng().permutation(len(X))
        yield order[:20], order[20:]

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1


class _Empty:
    def split(self, X, y=None, groups=None):
        yield np.array([], dtype=int), np.arange(3)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1
