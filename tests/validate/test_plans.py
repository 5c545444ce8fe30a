"""Plans: every row is where it should be, once, and the names mean what they say."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

from credo.errors import InputError
from credo.validate.plans import Bootstrap, NestedFolds, Plan, as_plan

Y = np.arange(30.0)
CODES = np.repeat([0, 1], [20, 10])


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
    ],
)
def test_splitters_of_scikit_learn_are_plans(splitter, kind):
    plan = as_plan(splitter, 30)
    assert plan.kind == kind
    assert as_plan(plan, 30) is plan
    ours, theirs = list(plan.splits(Y)), list(splitter.split(np.empty((30, 1)), Y))
    assert len(ours) == len(theirs)


@pytest.mark.parametrize(
    "plan", ["5 fold", "31-fold", "1-fold", "nested 2-fold", "0x5-fold", "rolling 30", "", 3, "hold-out 2"]
)
def test_a_plan_that_makes_no_sense_is_refused(plan):
    with pytest.raises(InputError, match=r"^evaluate: "):
        as_plan(plan, 30)


def test_what_is_not_offered_says_so():
    groups = np.arange(30) % 6
    for plan in ("nested 3-fold", "2x3-fold"):
        with pytest.raises(InputError, match="3-fold"):
            as_plan(plan, 30, groups=groups)
    with pytest.raises(InputError, match="two rows"):
        list(Bootstrap(1).split(np.zeros((1, 1))))
    with pytest.raises(InputError, match="0 rows to learn from"):
        list(Plan("p", "splits", _Empty()).splits(Y))


class _Empty:
    def split(self, X, y=None, groups=None):
        yield np.array([], dtype=int), np.arange(3)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1
